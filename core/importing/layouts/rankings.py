"""Rankings of several systems: 1 is the best rank, and equal ranks are ties."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from operator import attrgetter
from typing import Any, NamedTuple

from ...records import Kind, TandemError, option_ref
from ..cells import Cells, as_mark, as_text, read_name, require_cell
from ..codes import decimal
from ..entry import TEXT, VOTE, Entry
from ..layout import Layout, Source, TableReader, keep_fields
from ..pairs_in_tools import prefer_higher
from ..table_fields import match_columns

# A ranking gives a vote for each of its pairs. They are no independent answers, so each vote says
# by `ranking` which of the file's rankings it comes from.

COLUMNS = ("rank", "ranking", "ranks", "ranked", "rank_order", "preference_order", "order")
"""What a column of ranks or rankings may be called."""
ORDINALS = (
    ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"],
    ["1st", "2nd", "3rd", *(f"{place}th" for place in range(4, 21))],
    *([f"{name}{place}" for place in range(1, 21)] for name in ("rank", "place", "position")),
)
"""What the columns of places are called, the best first."""
_SIGNS = re.compile(r"(>+|≻|=+|~|,|;|\|)")
_MARKS = re.compile(r"[>≻=~]|^\s*\[")
_EQUAL = "=~"
LOOKED_AT = 20  # rows
LONGEST_NAME = 200  # characters; what is longer is a text
SYSTEMS = ("model", "system", "model_name", "name")
TEXTS = ("answer", "text", "response", "output", "completion")
"""What the fields of a ranked answer may be called."""


class RankedSystem(NamedTuple):
    """A system of a ranking with its rank and its text, if that is there."""

    rank: float
    system: str
    text: str | None = None


_get_system = attrgetter("system")


@dataclass
class Ranking:
    """Ranking of systems: its name, the fields that all its votes share, the systems, and its
    last row.
    """

    name: str
    shared: Entry
    ranked: list[RankedSystem] = field(default_factory=list)
    last: int = 0

    def entries(self, *, with_ties: bool = True) -> Iterator[Entry]:
        """Yield a vote for each pair, or each of different ranks; of one system alone its text.

        The sides do not tell who won.
        """
        if len(self.ranked) == 1 and self.ranked[0].text is not None:
            about: Entry = {name: self.shared[name] for name in ("item", "context")}
            _, system, text = self.ranked[0]
            yield {"sort": TEXT, **about, "system": system, "text": text}
        every = sorted(self.ranked, key=_get_system) if with_ties else self.ranked
        for pair in combinations(every, 2):
            a, b = sorted(pair, key=_get_system)
            if with_ties or a.rank != b.rank:
                yield {
                    "sort": VOTE, **self.shared, "system_a": a.system, "system_b": b.system,
                    "text_a": a.text, "text_b": b.text, "outcome": prefer_higher(b.rank, a.rank),
                    "order_known": False, "ranking": self.name,
                }  # fmt: skip


class RankingTable(TableReader):
    """A table with a ranking in each row; its kinds differ in how they write it."""

    with_ties = True

    def __init__(self, source: Source) -> None:
        super().__init__(_with_rank(source))
        source.tally.has_known_winners = True

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        """Yield the votes of a row.

        Raises ValueError for fewer than two systems, and for one that is there twice.
        """
        ranked = self.list_ranked(cells)
        names = [one.system for one in ranked]
        if len(names) < 2 or "" in names or len(set(names)) < len(names):
            raise ValueError(f"{', '.join(names)[:60]!r} is not a ranking of different systems")
        ranking = Ranking(str(number), self.describe(cells), ranked)
        return ranking.entries(with_ties=self.with_ties)

    def list_ranked(self, cells: Cells) -> list[RankedSystem]:
        """List the systems in `rank`, the best first: "A>B=C", "A, B, C" or a JSON list."""
        return _parse_ranking(self.fields.read_cell(cells, "rank"))

    def describe(self, cells: Cells) -> Entry:
        """Return the fields that all votes of a row share."""
        fields = self.fields
        names = ("judge", "attribute", "comment")
        shared: Entry = {name: fields.read_text(cells, name) for name in names}
        if "created_at" in fields:
            shared["created_at"] = fields.read_cell(cells, "created_at")
        return {**self.about_item(cells), **shared}


class RankPerRow(RankingTable):
    """A row has a system, or its text, and its `rank`; the rows of an item, judge and attribute are
    one ranking, until a system is there once more.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.family = (self.fields.columns["rank"],)
        self.system = "system" if "system" in self.fields else "text"
        self.open: dict[tuple[str, ...], Ranking] = {}
        self.rankings: list[Ranking] = []

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        fields, shared = self.fields, self.describe(cells)
        system = fields.read_name(cells, self.system)
        if "\n" in system or len(system) > LONGEST_NAME:
            raise TandemError(
                f"{fields.describe_column(self.system)} of {self.source.path.name} holds texts, "
                f"and no column says whose they are: name it with {option_ref('map')} system=COLUMN"
            )
        text = as_text(fields.read_cell(cells, "text")) if self.system == "system" else None
        rank = as_mark(fields.read_cell(cells, "rank"), fields.describe_column("rank"))
        key = tuple(str(shared.get(name)) for name in ("item", "context", "judge", "attribute"))
        ranking = self.open.get(key)
        if ranking is None or system in {other.system for other in ranking.ranked}:
            ranking = self.open[key] = Ranking(str(number), shared)
            self.rankings.append(ranking)
        ranking.ranked.append(RankedSystem(rank, system, text))
        ranking.last = number
        return iter(())

    def finish(self) -> Iterator[tuple[int, Entry]]:
        """Yield each ranking's votes, with the row in which it ended."""
        return ((each.last, entry) for each in self.rankings for entry in each.entries())


class PlacePerColumn(RankingTable):
    """A column for each place, with the system that has it; several in one share it: "B=C"."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.places, self.family = _find_places(source)

    def list_ranked(self, cells: Cells) -> list[RankedSystem]:
        return [
            RankedSystem(place, name.strip())
            for place, column in enumerate(self.places)
            for name in re.split(rf"[{_EQUAL},;]", as_text(cells.get(column)) or "")
            if name.strip()
        ]


class RankedAnswers(RankingTable):
    """A column is a list of answers, each with its rank, its model and perhaps its text, as Nectar
    has them (which GPT-4 ranked).
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.column, *others = _find_ranked(source)
        if others:
            raise TandemError(
                f"columns {self.column!r} and {others[0]!r} of {source.path.name} are lists of "
                f"ranked answers: leave one out with {option_ref('unused')} {others[0]}"
            )
        self.is_nectar = {"answers", "good_natured", "num_responses"} <= set(source.columns)

    def list_ranked(self, cells: Cells) -> list[RankedSystem]:
        return [_read_answer(answer) for answer in require_cell(cells, self.column, list)]

    def describe(self, cells: Cells) -> Entry:
        judge = {"judge": "gpt-4", "judge_kind": Kind.LLM.value} if self.is_nectar else {}
        return {**super().describe(cells), **judge}


def _read_answer(answer: Mapping[str, object]) -> RankedSystem:
    system, text = (
        next((as_text(answer[name]) for name in names if answer.get(name) is not None), None)
        for names in (SYSTEMS, TEXTS)
    )
    return RankedSystem(as_mark(answer.get("rank"), "the rank"), (system or "").strip(), text)


def _parse_ranking(cell: object) -> list[RankedSystem]:
    names = cell
    if isinstance(cell, str) and cell.lstrip().startswith("["):
        try:
            names = json.loads(cell)
        except ValueError:
            raise ValueError(f"{cell[:40]!r} is not a list of systems") from None
    if isinstance(names, list):
        return [RankedSystem(place, as_text(name) or "") for place, name in enumerate(names)]
    words = [word.strip() for word in _SIGNS.split(as_text(cell) or "")]
    rank, ranked = 0, [RankedSystem(0, words[0])]
    for sign, name in zip(words[1::2], words[2::2], strict=True):
        rank += sign[0] not in _EQUAL
        ranked.append(RankedSystem(rank, name))
    if not all(one.system for one in ranked):
        raise ValueError(f"{str(cell)[:40]!r} is not a ranking: write A>B=C")
    return ranked


def _with_rank(source: Source) -> Source:
    column = next((each for each in source.columns if each.strip().casefold() in COLUMNS), "")
    fields = {"rank": column, "winner": "", "shown_first": ""}
    return replace(source, mapping={**fields, **source.mapping})


def _list_values(source: Source) -> dict[str, list[Any]]:
    rows = list(source.cells(LOOKED_AT))
    return {
        column: [cell for row in rows if (cell := row.get(column)) not in (None, "")]
        for column in source.columns
        if column not in source.unused
    }


def _has_ranks(source: Source, *, in_one_cell: bool) -> bool:
    """Return whether the column of ranks holds rankings, one per cell, or the rank of each row."""
    fields = match_columns(_with_rank(source))
    others = {"winner_a", "system_a", "systems", "text_a", "wins_a", "score"}
    is_closed = others & {name.partition(":")[0] for name in fields}
    if "rank" not in fields or is_closed or "winner" in match_columns(source):
        return False
    values = _list_values(source).get(fields["rank"], [])
    numbers = [decimal(str(value)) is not None for value in values]
    if in_one_cell:
        return not any(numbers) and any(
            isinstance(v, list) or _MARKS.search(str(v)) for v in values
        )
    return bool({"system", "text"} & fields.keys() and values) and all(numbers)


def _find_places(source: Source) -> tuple[list[str], list[str]]:
    """Return the columns of places, and what they are called with those that may follow."""
    by_name = source.by_name
    for names in ORDINALS:
        found = [by_name[name] for name in names if name in by_name]
        if len(found) > 1 and found == [by_name.get(name) for name in names[: len(found)]]:
            return found, [*found, *names[len(found) :][:1]]
    return [], []


def _has_places(source: Source) -> bool:
    places, _ = _find_places(source)
    if not places or {"winner", "system_a"} & set(match_columns(source)):
        return False
    first = _list_values(source)
    return any(decimal(str(value)) is None for place in places for value in first.get(place, []))


def _find_ranked(source: Source) -> list[str]:
    return [
        column
        for column, cells in _list_values(source).items()
        if cells and all(isinstance(cell, list) and cell for cell in cells)
        and all(isinstance(each, dict) and "rank" in each for cell in cells for each in cell)
    ]  # fmt: skip


RANKINGS = Layout(
    "rankings", "rankings", {
        RankedAnswers: lambda source: bool(_find_ranked(source)),
        PlacePerColumn: _has_places,
        RankingTable: lambda source: _has_ranks(source, in_one_cell=True),
        RankPerRow: lambda source: _has_ranks(source, in_one_cell=False),
    }, matched=lambda source: match_columns(_with_rank(source)),
    by_hand=("item", "context", "system", "text", "rank", "judge", "attribute"),
    settings=("kind",),
)  # fmt: skip


# Best-worst scaling: several systems a row, the best of them and the worst. The best is better
# than each other one, and each is better than the worst. What lies between was not compared. A row
# is one ranking. Layout: Item1, Item2 ..., BestItem and WorstItem, as the scripts of Kiritchenko
# and Mohammad (2017) have them.

ITEM = re.compile("(item|system|model|option)([0-9]+)")


class BestWorst(RankingTable):
    """A row has a column for each system that was shown, and the best and the worst."""

    with_ties = False

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.items, self.best, self.worst = _find_columns(source)
        self.family = (*self.items.values(), self.best, self.worst, f"item{len(self.items) + 1}")
        missing = sorted({*range(1, max(self.items) + 1)} - {*self.items})
        if missing:
            raise TandemError(
                f"{source.path.name} has a column {self.items[max(self.items)]!r} and none of "
                f"number {missing[0]}, so a system would be lost: number them from 1"
            )

    def list_ranked(self, cells: Cells) -> list[RankedSystem]:
        shown = [name for each in self.items.values() if (name := as_text(cells.get(each)))]
        best, worst = read_name(cells, self.best), read_name(cells, self.worst)
        if best == worst or not {best, worst} <= set(shown) or len(set(shown)) < len(shown):
            raise ValueError(f"{best[:40]!r} and {worst[:40]!r} are not two of different systems")
        others = [RankedSystem(1, name) for name in shown if name not in (best, worst)]
        return [RankedSystem(0, best), *others, RankedSystem(2, worst)]


def _find_columns(source: Source) -> tuple[dict[int, str], str, str]:
    by_name = source.by_name
    best, worst = (by_name.get(f"{each}item", by_name.get(each, "")) for each in ("best", "worst"))
    numbered = ((ITEM.fullmatch(name), column) for name, column in by_name.items())
    return {int(match[2]): column for match, column in numbered if match}, best, worst


def _is_best_worst(source: Source) -> bool:
    items, best, worst = _find_columns(source)
    return len(items) > 2 and bool(best and worst)


BEST_WORST = Layout(
    "best-worst", "best-worst scaling", {BestWorst: _is_best_worst},
    matched=keep_fields("item", "context", "judge", "attribute", "comment", "created_at"),
    by_hand=("item", "context", "judge"), settings=("kind",),
)  # fmt: skip
