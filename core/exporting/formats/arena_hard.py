"""Games as Arena-Hard keeps them (lmarena/arena-hard-auto, gen_judgment.py, with the `baseline` of
2.0): a file a judge and model, a row an item, the first game with the baseline first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...records import Outcome
from .layout import BOTH_BAD, NO_ORDER, Document, Format, Row, named_file

STRONG = 2.0
"""The strength from which a verdict is much better, ">>"."""
Sides = tuple[str, str]


def games(rows: Iterable[Row]) -> Iterator[Document]:
    """Yield the games of each two systems on an item by a judge.

    The baseline is the system that met more systems, else the first by name. Where only one order
    was asked, it is the one shown first.
    """
    played = defaultdict[tuple[str, str, frozenset[str]], dict[Sides, list[Row]]](
        lambda: defaultdict(list)
    )
    met = defaultdict[str, set[str]](set)
    for row in rows:
        sides = row["system_a"], row["system_b"]
        played[row["judge"], row["item"], frozenset(sides)][sides].append(row)
        met[sides[0]].add(sides[1])
        met[sides[1]].add(sides[0])
    for (judge, _, systems), orders in played.items():
        baseline, model = sorted(systems, key=lambda system: (-len(met[system]), system))
        for game in _pair_games(orders, (baseline, model)):
            yield f"model_judgment/{named_file(judge)}/{named_file(game['model'])}.jsonl", game


def _pair_games(orders: Mapping[Sides, Sequence[Row]], sides: Sides) -> Iterator[dict[str, Any]]:
    """Rows of two games, one in each order, as long as there are both; then of one."""
    first, second = orders.get(sides, []), orders.get(sides[::-1], [])
    both = min(len(first), len(second))
    for one, other in zip(first, second, strict=False):
        yield _row(sides, [one, other])
    for left in first[both:]:
        yield _row(sides, [left])
    for left in second[both:]:
        yield _row(sides[::-1], [left])


def _row(sides: Sides, rows: Sequence[Row]) -> dict[str, Any]:
    return {
        "uid": rows[0]["item"], "category": rows[0]["subset"], "judge": rows[0]["judge"],
        "model": sides[1], "baseline": sides[0], "games": [_game(row) for row in rows],
    }  # fmt: skip


def _game(row: Row) -> dict[str, Any]:
    verdict = _verdict(row)
    answer = row["raw"] or (f"[[{verdict}]]" if verdict else "")
    return {"score": verdict, "judgment": {"answer": answer}}


def _verdict(row: Row) -> str | None:
    strong = ">>" if (row["strength"] or 0) >= STRONG else ">"
    verdicts = {Outcome.A: f"A{strong}B", Outcome.B: f"B{strong}A", Outcome.TIE: "A=B"}
    return verdicts.get(row["winner"])


FORMAT = Format(
    "arena-hard",
    "Arena-Hard",
    (".zip",),
    games,
    frozenset((BOTH_BAD, NO_ORDER)),
    one_attribute=True,
)
