"""The lab: judges compared on the same pairs, and their test items opened."""

from __future__ import annotations

from dataclasses import dataclass

from ..catalogue import FINDINGS, PROVENANCE
from ..findings.judgements import Selection
from ..findings.lab import LabSettings
from ..store import Store
from .command import Command
from .finding_text import PrintSettings, write_answer
from .options import WHO, flag
from .output import CommandAnswer
from .settings import include, include_all


@dataclass(frozen=True)
class LabRequest:
    """Options of `lab`: the judges, and how they are compared."""

    selection: Selection = include(*PROVENANCE)
    settings: LabSettings = include_all()
    shown: PrintSettings = include_all()


def compare_judges(store: Store, request: LabRequest) -> CommandAnswer:
    """Compare judges on development items, or open the test items and compare them there."""
    declared = FINDINGS["lab"]
    found = declared.find(store, request.selection, request.settings, by=WHO)
    result = found.name_settings(flag)
    text = write_answer(result, request.shown, *declared.describe(result))
    return CommandAnswer(result.document(), text)


COMMANDS = {"lab": Command(compare_judges, request=LabRequest)}
