"""Options of what can be spread over the workers of a cluster."""

from __future__ import annotations

import argparse
from typing import Any

from core.cli.options import Part, number, told, whole
from core.models import SPREADING


def add_cluster(sub: argparse.ArgumentParser) -> None:
    """Where it is done, and by how many."""
    sub.add_argument(
        "--on",
        metavar="ray|ray://HOST:PORT",
        help="spread over the workers of a Ray cluster (default: in this process)",
    )
    spread = Part(sub, "--on ray", lambda asked: asked.on)
    spread.add(
        "--workers",
        type=whole(1),
        metavar="N",
        help="how many workers (default: one a GPU, or one for every four cores)",
    )
    spread.add(
        "--gpus-per-worker",
        type=number(0),
        metavar="G",
        help="GPUs of each, also a part of one (default 1 where there are any)",
    )


def spreading(asked: argparse.Namespace) -> dict[str, Any]:
    """What was given of them, as a run stores it."""
    return told(asked, SPREADING)
