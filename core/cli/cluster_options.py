"""Options of what can be spread over the workers of a cluster."""

from __future__ import annotations

import argparse
from typing import Any

from core.cli.options import Part, told
from core.cli.settings import add_settings
from core.models import SPREADING, Options


def add_cluster(sub: argparse.ArgumentParser) -> None:
    """Where it is done, and by how many."""
    add_settings(sub.add_argument, Options, "on")
    spread = Part(sub, "--on ray", lambda asked: asked.on)
    add_settings(spread.add, Options, "workers", "gpus_per_worker")


def spreading(asked: argparse.Namespace) -> dict[str, Any]:
    """What was given of them, as a run stores it."""
    return told(asked, SPREADING)
