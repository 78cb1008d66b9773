"""The command about a judge's probabilities beside people's votes."""

from __future__ import annotations

import argparse
from dataclasses import fields, replace

from core.cli import options
from core.cli.command import Command
from core.cli.options import add_provenance, told, whole
from core.cli.output import Answer, shown
from core.findings.calibration import CalibrateSettings, calibration
from core.findings.judgements import calibrating
from core.statistics import calibration as estimates
from core.store import Store

SHOWN = (
    "judge", "attribute", "map", "answers", "items", "calibration_error", "error_low",
    "error_high", "error_by_chance", "brier", "reliability", "resolution", "uncertainty", "slope",
    "slope_low", "slope_high", "shift",
)  # fmt: skip


def calibrate(store: Store, asked: argparse.Namespace) -> Answer:
    settings = CalibrateSettings(**told(asked, [field.name for field in fields(CalibrateSettings)]))
    result = calibration(store, options.selection(store, asked), settings)
    rows = result.rows[list(SHOWN)].dropna(axis="columns", how="all")
    sentences = "\n".join(result.facts["sentences"])
    return Answer(result.document(), f"{sentences}\n\n{shown(replace(result, rows=rows))}")


def _options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--maps",
        choices=tuple(estimates.METHODS),
        nargs="+",
        action="extend",
        help="from a judge's probability to people's (default: all)",
    )
    sub.add_argument(
        "--bins",
        type=whole(1),
        metavar="N",
        help=f"bins of equal width (default {CalibrateSettings.bins})",
    )
    sub.add_argument(
        "--against",
        choices=calibrating.AGAINST,
        help="whose votes probabilities are held against (default human)",
    )
    sub.add_argument(
        "--bootstrap",
        type=whole(0),
        metavar="B",
        help=f"resamples of the items (default {CalibrateSettings.bootstrap})",
    )
    add_provenance(sub)


COMMANDS = {
    "calibrate": Command(calibrate, "how far a judge's probabilities are people's", _options)
}
