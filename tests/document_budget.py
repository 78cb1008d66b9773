"""Figures of the budget lab on published data sets and on a simulated judge, for tests/evidence/budget.md.

`python -m tests.document_budget --write` puts them between the page's markers; it takes some minutes.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from core.findings.budget import BudgetSettings, budget
from core.findings.judgements import Finding, Selection
from core.importing import importer
from core.records import Dataset
from core.store import Store
from tests.document import fill, update, write_table
from tests.findings.budget.simulated import ATTRIBUTE, BIASED, summeval
from tests.paths import DATASETS, ROOT

PAGE = ROOT / "tests" / "evidence" / "budget.md"
REPLAYS = 20
ARTICLES = 40
FIRST = (1.05, 3.0)  # logits a simulated judge gives the first text: P(first) is 0.7, and 0.9


@dataclass(frozen=True)
class Study:
    """A table of the page: whose answers, which figure of them, at which budgets."""

    title: str
    selection: Selection
    figure: str
    budgets: tuple[int, ...]
    method: str
    pairings: tuple[str, ...] = ("random", "symmetric", "no-repeat", "ring")
    corrections: tuple[str, ...] = ("none",)

    def result(self, store: Store) -> Finding:
        settings = BudgetSettings(
            "item", self.pairings, (self.method,), self.corrections, self.budgets, REPLAYS
        )
        return budget(store, self.selection, settings)

    def table(self, result: Finding) -> str:
        rows = result.rows.assign(
            way=result.rows["strategy"]
            + result.rows["debias"].map({"none": "", "threshold": ", threshold"})
        )
        cells = rows.assign(
            cell=[
                f"{mean:.3f} ({low:.3f} to {high:.3f})"
                for mean, low, high in zip(
                    *(rows[f"{self.figure}{end}"] for end in ("", "_low", "_high")), strict=True
                )
            ]
        )
        wide = cells.pivot_table(index="way", columns="budget", values="cell", aggfunc="first")
        wide = wide.reindex(dict.fromkeys(rows["way"])).fillna("–")
        head = ["", *(f"R = {budget:g}" for budget in wide.columns)]
        body = write_table([head, *([way, *row] for way, row in wide.T.items())])
        return f"**{self.title}**\n\n{body}"


ALL, PEOPLE = "Spearman with all comparisons", "Spearman with the experts"
STUDIES = {
    "mtbench_pairwise": [
        Study(
            f"MT-Bench, English, {judge} ({bias}). {ALL}, win ratio",
            Selection("d", subset="en", judges=(judge,)),
            "spearman", (2, 4, 6, 10, 14, 20, 30), "win-ratio",
        )
        for judge, bias in (
            ("Qwen2.5-7B-Instruct", "inconsistent in 79% of pairs"),
            ("Gemma-4-12B-it", "inconsistent in 20% of pairs"),
        )
    ],
    "summeval": [
        Study(
            "SummEval, ChatGPT head-to-head, all four attributes. Pairs ordered as the experts do, win ratio",
            Selection("d", judges=("gpt-3.5-turbo-0301/h2h",)),
            "human_accuracy", (2, 4, 6, 10, 22), "win-ratio",
        )
    ],
    "llmbar": [
        Study(
            f"LLMBar, {judge}. Pairs ordered as the gold labels do",
            Selection("d", judges=(judge,)), "human_accuracy", (1, 2), "win-ratio",
        )
        for judge in ("ChatGPT/Vanilla", "GPT-4/Vanilla")
    ],
    **{
        f"simulated {first:g}": [
            Study(
                f"A simulated judge that gives the first text {first:g} logits. {of}, {label}",
                Selection("summeval", attribute=ATTRIBUTE, judges=(BIASED,)),
                figure, (2, 4, 8, 12, 26, 56, 120, 240), method,
                corrections=("none", "threshold"),
            )
            for of, figure, method, label in (
                (PEOPLE, "human_spearman", "win-ratio", "win ratio"),
                (PEOPLE, "human_spearman", "average-probability", "average probability"),
                (ALL, "spearman", "average-probability", "average probability"),
            )
        ]
        for first in FIRST
    },
}  # fmt: skip


def opened(name: str, folder: Path) -> Store:
    """A new store of a data set."""
    if name.startswith("simulated"):
        first = float(name.split()[1])
        return summeval(folder / f"{first}.sqlite3", items=ARTICLES, first=first)
    store = Store(folder / f"{name}.sqlite3")
    parts = ["summeval_100x16.jsonl.gz", "chatgpt_h2h"] if name == "summeval" else [""]
    for part in parts:
        importer.load(store, [DATASETS / name / part], Dataset("d"))
    return store


def figures(folder: Path) -> Iterator[tuple[Study, Finding]]:
    """Every study with what came out of it."""
    for name, studies in STUDIES.items():
        with opened(name, folder) as store:
            for study in studies:
                yield study, study.result(store)


def documented(page: str, tables: list[str]) -> str:
    """The page with these tables between its markers."""
    return fill(page, "figures", "\n" + "\n".join(tables) + "\n")


def at(result: Finding, strategy: str, budget: float, figure: str, debias: str = "none") -> float:
    """One figure."""
    rows: pd.DataFrame = result.rows
    row = rows[
        (rows["strategy"] == strategy) & (rows["budget"] == budget) & (rows["debias"] == debias)
    ]
    return float(row[figure].iloc[0])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        made = [study.table(result) for study, result in figures(Path(folder))]
    sys.exit(update({PAGE: documented(PAGE.read_text(encoding="utf-8"), made)}))
