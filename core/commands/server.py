"""Options of a model behind a server: where it is, how fast it may be asked, what it costs."""

from __future__ import annotations

import argparse
from typing import Any

from core.commands.options import Part, number, told, whole
from core.costs import Prices


def add(sub: argparse.ArgumentParser, of: str) -> None:
    """`of` is the option that names the model."""
    served = Part(
        sub, "models behind a server (openai:MODEL)", lambda asked: getattr(asked, of).startswith("openai:"), of
    )
    served.add("--base-url", metavar="URL", help="any OpenAI-compatible server (default: OpenAI's)")
    served.add("--concurrency", type=whole(1), metavar="N", help="requests in flight (default 8)")
    served.add("--rpm", type=whole(1), metavar="N", help="most requests a minute")
    served.add("--tpm", type=whole(1), metavar="N", help="most tokens a minute")
    served.add("--timeout", type=number(0), metavar="S", help="seconds until a request is given up (default 60)")
    served.add("--price-in", type=number(0), metavar="X", help="of a million tokens read")
    served.add("--price-out", type=number(0), metavar="Y", help="of a million tokens written")


def execution(asked: argparse.Namespace) -> dict[str, Any]:
    """How a run is done: what changes no answer."""
    return told(asked, ["concurrency", "rpm", "tpm", "timeout"])


def prices(asked: argparse.Namespace) -> Prices:
    return Prices(**told(asked, ["price_in", "price_out"]))
