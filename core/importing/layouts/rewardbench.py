"""Readers of RewardBench: its pairs, of which one text is known to be better, and the scores that
reward models gave both.

Layout: allenai/reward-bench, README.md (columns of the data set) and rewardbench/rewardbench.py
(JSON lines of scores); eval-set-scores on the hub have a column a key.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from core.importing.cells import Cells, as_mark, as_text, named
from core.importing.entry import VOTE, Entry, is_score
from core.importing.layout import GOLD, Layout, Reader, Source, has
from core.importing.layouts.trl import SIDES, Preferences
from core.importing.neighbours import cells_of, neighbours
from core.importing.pairs_in_tools import prefer_higher, score_sides
from core.importing.winners import NO_ANSWER
from core.records import Kind, Outcome
from core.scratch import is_scratch

PAIR = ("prompt", "chosen", "rejected", "chosen_model", "rejected_model")
"""What a row of the data set says of its pair."""


class Pairs(Reader):
    """`prompt`, `chosen` and `rejected` with whose texts they are: a gold label a row. The item is
    SUBSET/id, since subsets share prompts.
    """

    def __init__(self, source: Source) -> None:
        self.preferences = Preferences(source)

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        subset = named(cells, "subset")
        yield {
            "sort": VOTE,
            **_name_apart(self.preferences.find_pair(cells)),
            "item": f"{subset}/{named(cells, 'id')}",
            "subset": subset,
            "judge": GOLD,
            "judge_kind": Kind.GOLD.value,
            "order_known": False,
            "outcome": Outcome.A,
        }


class Scores(Reader):
    """`scores_chosen` and `scores_rejected` of one reward model: a vote for the higher one, and
    both as scores. The judge is the file's `model`, else what its path says. Whose texts they are,
    a file of the pairs near it says.
    """

    def __init__(self, source: Source) -> None:
        self.pairs = _load_pairs(source)
        columns = (*source.columns, *PAIR) if self.pairs else source.columns
        self.preferences = Preferences(replace(source, columns=columns))
        self.judge = "" if "model" in source.columns else _name_model(source)

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        key = _find_key(cells)
        texts = {side: cells.get(side, cells.get(f"text_{side}")) for side in SIDES}
        pair = self.preferences.find_pair({**cells, **(self.pairs.get(key) or texts)})
        scores = [_find_score(cells, side) for side in SIDES]
        vote = {
            "sort": VOTE,
            **_name_apart(pair),
            **({"item": key} if key else {}),
            "judge": self.judge or named(cells, "model"),
            "judge_kind": Kind.LLM.value,
            "order_known": False,
        }
        there = [score for score in scores if score is not None]
        said = {"outcome": prefer_higher(*there)} if len(there) == 2 else {"failure": NO_ANSWER}
        yield {**vote, **said}
        yield from score_sides(vote, scores)


def _name_apart(pair: Entry) -> Entry:
    """The same with two names where one author wrote both texts: a system is not held against
    itself.
    """
    if pair["system_a"] != pair["system_b"]:
        return pair
    names = (f"{pair['system_a']} ({side})" for side in SIDES)
    return {**pair, **dict(zip(("system_a", "system_b"), names, strict=True))}


def _find_key(cells: Cells) -> str:
    """The item of a row, '' where its columns do not say it."""
    subset, number = as_text(cells.get("subset")), as_text(cells.get("id"))
    return f"{subset}/{number}" if subset and number else ""


def _load_pairs(source: Source) -> dict[str, Cells]:
    """The pairs that lie in a file near the scores, by item."""
    for path, columns in neighbours(source.path):
        if set(PAIR) | {"subset", "id"} <= set(columns):
            rows = {_find_key(row): row for row in cells_of(path)}
            return {key: {name: row.get(name) for name in PAIR} for key, row in rows.items() if key}
    return {}


def _find_score(cells: Cells, side: str) -> float | None:
    """A score, which some results hold in a list of its own."""
    value = cells.get(f"scores_{side}")
    value = value[0] if isinstance(value, list) and value else value
    return as_mark(value) if is_score(value) else None


def _name_model(source: Source) -> str:
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
        Pairs: has(*PAIR, "subset", "id"),
        Scores: has("results", "scores_chosen", "scores_rejected"),
    },
    ("prompt", "completion"),
    settings=("systems",),
    looks_around=True,
)
