"""Options of a model behind a server: where it is, how fast it may be asked, what it costs."""

from __future__ import annotations

import argparse
from typing import Any

from core.commands.options import number, whole
from core.costs import Prices


def add(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--base-url", metavar="URL", help="of openai: any OpenAI-compatible server")
    sub.add_argument("--concurrency", type=whole(1), metavar="N", help="requests in flight (default 8)")
    sub.add_argument("--rpm", type=whole(1), metavar="N", help="most requests a minute")
    sub.add_argument("--tpm", type=whole(1), metavar="N", help="most tokens a minute")
    sub.add_argument("--timeout", type=number(0), metavar="S", help="seconds until a request is given up (default 60)")
    sub.add_argument("--price-in", type=number(0), default=0.0, metavar="X", help="of a million tokens read")
    sub.add_argument("--price-out", type=number(0), default=0.0, metavar="Y", help="of a million tokens written")


def execution(asked: argparse.Namespace) -> dict[str, Any]:
    """How a run is done: what changes no answer."""
    given = {name: getattr(asked, name) for name in ("concurrency", "rpm", "tpm", "timeout")}
    return {name: value for name, value in given.items() if value is not None}


def prices(asked: argparse.Namespace) -> Prices:
    return Prices(asked.price_in, asked.price_out)
