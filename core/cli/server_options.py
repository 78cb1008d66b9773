"""Options of a model behind a server: where it is, how fast it may be asked, what it costs."""

from __future__ import annotations

import argparse
from typing import Any

from core.cli.options import Part, number, told, whole
from core.runs import Prices


def add(sub: argparse.ArgumentParser, of: str) -> None:
    """`of` is the option that names the model."""
    served = Part(
        sub,
        "models behind a server (openai:MODEL)",
        lambda asked: getattr(asked, of).startswith("openai:"),
        of,
    )
    served.add("--base-url", metavar="URL", help="any OpenAI-compatible server (default: OpenAI's)")
    how = {
        "--concurrency": (whole(1), "N", "requests in flight (default 8)"),
        "--rpm": (whole(1), "N", "most requests a minute"),
        "--tpm": (whole(1), "N", "most tokens a minute"),
        "--timeout": (number(0), "S", "seconds until a request is given up (default 60)"),
        "--price-in": (number(0), "X", "of a million tokens read"),
        "--price-out": (number(0), "Y", "of a million tokens written"),
    }
    for name, (kind, metavar, words) in how.items():  # what changes no answer
        served.add(name, type=kind, metavar=metavar, help=words, harmless=True)


def execution(asked: argparse.Namespace) -> dict[str, Any]:
    """How a run is done: what changes no answer."""
    return told(asked, ["concurrency", "rpm", "tpm", "timeout"])


def prices(asked: argparse.Namespace) -> Prices:
    return Prices(**told(asked, ["price_in", "price_out"]))
