"""The facts of ../shared/datasets/README.md through the command line: `python -m tests.evidence`
writes tests/evidence/results.md.

Published figures are copied here by hand from that README, a module for each data set; ours come
from the commands beside them, run on an empty store.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tests.evidence.alpacaeval import alpaca
from tests.evidence.arena import arena
from tests.evidence.facts import Absent, Commands, Fact, Found
from tests.evidence.faireval import faireval
from tests.evidence.hanna import hanna
from tests.evidence.judgebench import judgebench
from tests.evidence.llmbar import llmbar
from tests.evidence.mtbench import mtbench
from tests.evidence.realsumm import realsumm
from tests.evidence.separability import separability
from tests.evidence.summeval import summeval
from tests.evidence.topicalchat import topicalchat
from tests.evidence.webnlg import webnlg
from tests.paths import DATASETS as DATA
from tests.paths import ROOT

__all__ = ["DATA", "PAGE", "SECTIONS", "Absent", "Fact", "Found", "collect", "page"]

PAGE = ROOT / "tests" / "evidence" / "results.md"

SECTIONS = {
    "summeval": summeval,
    "topicalchat": topicalchat,
    "separability": separability,
    "webnlg2017": webnlg,
    "realsumm": realsumm,
    "hanna": hanna,
    "llmbar": llmbar,
    "faireval": faireval,
    "mtbench_pairwise": mtbench,
    "alpaca_eval": alpaca,
    "judgebench": judgebench,
    "arena_votes": arena,
}


HEAD = """# Evidence: published figures, and ours

Made by `python -m tests.evidence`; `tests/evidence/test_evidence.py` fails when this page is not \
what it makes.
*Published* is copied from the README of the reference data sets (`../shared/datasets`, here \
`$D`); *ours* is what
the command beside it prints with `--json`, as `python -m core COMMAND`, written with as many \
digits.
"""

Facts = dict[str, list[Fact | Found | Absent]]


def collect(folder: Path) -> Facts:
    """Every fact, by data set, from commands run on a new store for each, in an empty folder."""
    return {
        name: list(section(Commands(folder / f"{name}.sqlite3")))
        for name, section in SECTIONS.items()
    }


def page(found: Facts) -> str:
    every = [one for facts in found.values() for one in facts if isinstance(one, Fact)]
    lines = [HEAD, f"{sum(one.agrees for one in every)} of {len(every)} agree."]
    for name, facts in found.items():
        lines += ["", f"## {name}", "", "| fact | published | ours | | command |"]
        lines += ["| --- | --- | --- | --- | --- |", *_rows(facts, Fact)]
        if ours := _rows(facts, Found):
            lines += [
                "",
                "Found here:",
                "",
                "| figure | ours | how |",
                "| --- | --- | --- |",
                *ours,
            ]
        if absent := _rows(facts, Absent):
            lines += ["", "Not to be had from a command:", "", *absent]
    return "\n".join(lines) + "\n"


def _rows(facts: Iterable[Fact | Found | Absent], kind: type) -> list[str]:
    return [str(one) for one in facts if isinstance(one, kind)]
