"""Readers of RewardBench: its pairs with the text known to be better, and reward models' scores.

Layout: allenai/reward-bench, README.md (columns of the data set) and rewardbench/rewardbench.py
(JSON lines of scores); eval-set-scores on the hub have a column a key.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...records import Kind, Outcome
from ...scratch import is_scratch
from ..cells import Cells, as_mark, read_name
from ..entry import VOTE, Entry, is_score
from ..layout import GOLD, Layout, Reader, Source, has_columns
from ..pairs_in_tools import prefer_higher, score_sides
from ..values import find_text
from ..winner_columns import tables_near
from ..winners import NO_ANSWER
from .trl import SIDES, Preferences

PAIR = ("prompt", "chosen", "rejected", "chosen_model", "rejected_model")
"""What a row of the data set says of its pair."""


class RewardBenchPairs(Reader):
    """`prompt`, `chosen` and `rejected` with whose texts they are: a gold label a row. The item is
    SUBSET/id, since subsets share prompts.
    """

    def __init__(self, source: Source) -> None:
        self.preferences = Preferences(source)

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        subset = read_name(cells, "subset")
        yield {
            **_find_vote(self.preferences, cells),
            "item": f"{subset}/{read_name(cells, 'id')}",
            "subset": subset,
            "judge": GOLD,
            "judge_kind": Kind.GOLD,
            "outcome": Outcome.A,
        }


class RewardBenchScores(Reader):
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
        vote = _find_vote(self.preferences, {**cells, **(self.pairs.get(key) or texts)})
        vote |= {"judge": self.judge or read_name(cells, "model"), "judge_kind": Kind.LLM}
        if key:
            vote["item"] = key
        scores = [_find_score(cells, side) for side in SIDES]
        there = [score for score in scores if score is not None]
        said = {"outcome": prefer_higher(*there)} if len(there) == 2 else {"failure": NO_ANSWER}
        yield vote | said
        yield from score_sides(vote, scores)


def _find_vote(preferences: Preferences, cells: Cells) -> Entry:
    """Find the pair of a vote. If one author wrote both texts, they get two names, because a
    system is not compared with itself.
    """
    vote = {"sort": VOTE, **preferences.find_pair(cells), "order_known": False}
    if vote["system_a"] == vote["system_b"]:
        vote |= {f"system_{place}": f"{vote[f'system_{place}']} ({side})"
                 for place, side in zip("ab", SIDES, strict=True)}  # fmt: skip
    return vote


def _find_key(cells: Cells) -> str:
    subset, number = find_text(cells, "subset"), find_text(cells, "id")
    return f"{subset}/{number}" if subset and number else ""


def _load_pairs(source: Source) -> dict[str, Cells]:
    table = next(tables_near(source.path, *PAIR, "subset", "id"), iter(()))
    return {
        key: {name: cells.get(name) for name in PAIR}
        for cells in table
        if (key := _find_key(cells))
    }


def _find_score(cells: Cells, side: str) -> float | None:
    value = cells.get(f"scores_{side}")
    value = value[0] if isinstance(value, list) and value else value
    return as_mark(value) if is_score(value) else None


def _name_model(source: Source) -> str:
    """ORG/MODEL of where the file lies: ORG/MODEL_outputs.jsonl, or eval-set-scores/ORG/MODEL."""
    name, folder = source.stem.removesuffix("_outputs"), source.path.resolve().parent
    return f"{folder.name}/{name}" if folder.name and not is_scratch(folder) else name


LAYOUT = Layout(
    "rewardbench", "RewardBench's pairs, or the scores of a reward model",
    {
        RewardBenchPairs: has_columns(*PAIR, "subset", "id"),
        RewardBenchScores: has_columns("results", "scores_chosen", "scores_rejected"),
    },
    ("prompt", "completion"), settings=("systems",), looks_around=True,
)  # fmt: skip
