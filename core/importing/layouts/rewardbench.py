"""Readers of RewardBench: its pairs, of which one text is known to be better, and the scores that
reward models gave both.

Layout: allenai/reward-bench, README.md (columns of the data set) and rewardbench/rewardbench.py
(JSON lines of scores); eval-set-scores on the hub have a column a key.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.importing.cells import Cells, as_mark, as_text, named
from core.importing.layout import GOLD, Layout, Record, Source, has, marks
from core.importing.layouts.nested_votes import Flat
from core.importing.layouts.trl import SIDES, Preferences
from core.importing.neighbours import cells_of, neighbours
from core.importing.winners import NO_ANSWER
from core.records import Kind, Score, Vote
from core.scratch import is_scratch

PAIR = ("prompt", "chosen", "rejected", "chosen_model", "rejected_model")
"""What a row of the data set says of its pair."""


class Pairs(Preferences):
    """`prompt`, `chosen` and `rejected` with whose texts they are: a gold label a row. The item is
    SUBSET/id, since subsets share prompts.
    """

    def answers(self, number: int, cells: Cells) -> Iterator[Flat]:
        for flat in super().answers(number, cells):
            subset = named(cells, "subset")
            yield {
                **_named_apart(flat),
                "item": f"{subset}/{named(cells, 'id')}",
                "subset": subset,
                "judge": GOLD,
                "judge_kind": Kind.GOLD.value,
            }


def _named_apart(flat: Flat) -> Flat:
    """The same with two names where one author wrote both texts: a system is not held against
    itself.
    """
    if flat["system_a"] != flat["system_b"]:
        return flat
    return {**flat, **{f"system_{side}": f"{flat['system_a']} ({name})"
                       for side, name in zip("ab", SIDES, strict=True)}}  # fmt: skip


class Scores(Preferences):
    """`scores_chosen` and `scores_rejected` of one reward model: a vote for the higher one, and
    both as scores. The judge is the file's `model`, else what its path says. Whose texts they are,
    a file of the pairs near it says.
    """

    def __init__(self, source: Source) -> None:
        self.pairs = _pairs_near(source)
        super().__init__(
            replace(source, columns=(*source.columns, *PAIR)) if self.pairs else source
        )
        self.scores = ()
        self.judge = "" if "model" in source.columns else _model_of(source)

    def answers(self, number: int, cells: Cells) -> Iterator[Flat]:
        key = _key(cells)
        pair = self.pairs.get(key) or {
            side: cells.get(side, cells.get(f"text_{side}")) for side in SIDES
        }
        for flat in super().answers(number, {**cells, **pair}):
            better, worse = (_score(cells, side) for side in SIDES)
            said: dict[str, Any] = {
                "judge": self.judge or named(cells, "model"),
                "judge_kind": Kind.LLM.value,
                **({"item": key} if key else {}),
            }
            if better is None or worse is None:
                said |= {"winner": "", "failure": NO_ANSWER}
            else:
                said["winner"] = "tie" if better == worse else "a" if better > worse else "b"
            yield {**_named_apart(flat), **said}

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        for record in super().records(number, cells):
            yield record
            if isinstance(record, Vote):
                sides = (record.system_a, record.sample_a), (record.system_b, record.sample_b)
                for (system, sample), side in zip(sides, SIDES, strict=True):
                    score = Score(
                        record.item, system, record.attribute, record.judge,
                        sample=sample, kind=Kind.LLM,
                    )  # fmt: skip
                    yield from marks(self.given, score, _score(cells, side))


def _key(cells: Cells) -> str:
    """The item of a row, '' where its columns do not say it."""
    subset, number = as_text(cells.get("subset")), as_text(cells.get("id"))
    return f"{subset}/{number}" if subset and number else ""


def _pairs_near(source: Source) -> dict[str, Cells]:
    """The pairs that lie in a file near the scores, by item."""
    for path, columns in neighbours(source.path):
        if set(PAIR) | {"subset", "id"} <= set(columns):
            rows = cells_of(path)
            return {_key(row): {name: row.get(name) for name in PAIR} for row in rows if _key(row)}
    return {}


def _score(cells: Cells, side: str) -> float | None:
    """A score, which some results hold in a list of its own."""
    value = cells.get(f"scores_{side}")
    value = value[0] if isinstance(value, list) and value else value
    return None if value is None or as_text(value) in ("", "nan", "NaN") else as_mark(value)


def _model_of(source: Source) -> str:
    """ORG/MODEL of where the file lies: ORG/MODEL_outputs.jsonl, or eval-set-scores/ORG/MODEL."""
    name = source.stem.removesuffix("_outputs")
    folder = source.path.resolve().parent
    if is_scratch(folder) or folder == Path(folder.anchor):
        return name
    return f"{folder.name}/{name}"


LAYOUT = Layout(
    "rewardbench",
    "RewardBench's pairs, or the scores of a reward model",
    {
        Pairs: has(
            "prompt", "chosen", "rejected", "chosen_model", "rejected_model", "subset", "id"
        ),
        Scores: has("results", "scores_chosen", "scores_rejected"),
    },
    ("prompt", "completion"),
    settings=("systems",),
)
