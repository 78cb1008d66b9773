"""The command about a judge's probabilities beside people's votes."""

from __future__ import annotations

import argparse

from core.cli import options
from core.cli.command import Command
from core.cli.options import add_provenance
from core.cli.output import Answer, shown
from core.cli.settings import add_settings, parse_settings
from core.findings.calibration import CalibrateSettings, calibration
from core.settings import list_settings
from core.store import Store


def calibrate(store: Store, asked: argparse.Namespace) -> Answer:
    settings = parse_settings(asked, CalibrateSettings)
    result = calibration(store, options.selection(store, asked), settings)
    sentences = "\n".join(result.facts["sentences"])
    return Answer(result.document(), f"{sentences}\n\n{shown(result)}")


def _add_options(sub: argparse.ArgumentParser) -> None:
    add_settings(sub.add_argument, CalibrateSettings, *list_settings(CalibrateSettings))
    add_provenance(sub)


COMMANDS = {
    "calibrate": Command(calibrate, "how far a judge's probabilities are people's", _add_options)
}
