"""Rankings of several systems: 1 is the best rank, and equal ranks are ties."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, NamedTuple

from ...records import Kind, Outcome, TandemError, option_ref
from ..cells import Cells, as_mark, as_text, read_name
from ..codes import decimal
from ..column_names import normalise_name
from ..entry import TEXT, VOTE, Entry
from ..layout import Layout, Source, TableReader, has_columns, keep_fields
from ..pairs_in_tools import prefer_higher
from ..table_fields import match_columns

# A ranking gives a vote for each of its pairs. They are no independent answers, so each vote says
# by `ranking` which of the file's rankings it comes from.

COLUMNS = ("rank", "ranking", "ranks", "ranked", "rank_order", "preference_order", "order")
"""What a column of ranks or rankings may be called."""
ORDINALS = (
    ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"),
    ("1st", "2nd", "3rd", *(f"{place}th" for place in range(4, 21))),
    *(
        tuple(f"{name}{place}" for place in range(1, 21))
        for name in ("rank", "rank_", "rank ", "place", "place_", "position", "position_")
    ),
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


@dataclass
class Ranking:
    """Ranking of systems: its name, the fields that all its votes share, the systems, and its
    last row.
    """

    name: str
    shared: Entry
    ranked: list[RankedSystem] = field(default_factory=list)
    last: int = 0

    def entries(self) -> Iterator[Entry]:
        """Yield a vote for each pair; of one system alone its text.

        The sides do not tell who won.
        """
        every = sorted(self.ranked, key=lambda one: one.system)
        if len(every) == 1 and every[0].text is not None:
            about: Entry = {name: self.shared[name] for name in ("item", "context")}
            yield {"sort": TEXT, **about, "system": every[0].system, "text": every[0].text}
        for a, b in combinations(every, 2):
            yield {
                "sort": VOTE, **self.shared, "system_a": a.system, "system_b": b.system,
                "text_a": a.text, "text_b": b.text, "outcome": prefer_higher(b.rank, a.rank),
                "order_known": False, "ranking": self.name,
            }  # fmt: skip


class RankingTable(TableReader):
    """A table with a ranking in each row; its kinds differ in how they write it."""

    def __init__(self, source: Source) -> None:
        super().__init__(_with_rank(source))
        source.tally.has_known_winners = True

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        """Yield the votes of a row.

        Raises ValueError for fewer than two systems, and for one that is there twice.
        """
        ranked = self.list_ranked(cells)
        names = [one.system for one in ranked]
        if len(names) < 2 or len(set(names)) < len(names):
            raise ValueError(f"{', '.join(names)[:60]!r} is not a ranking of different systems")
        name = as_text(cells.get("rankingID")) or str(number)  # WMT's pairs have it
        return Ranking(name, self.describe(cells), ranked).entries()

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
        self.places = _places(source)

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
        self.column = _ranked_column(source) or ""
        self.is_nectar = {"answers", "good_natured", "num_responses"} <= set(source.columns)

    def list_ranked(self, cells: Cells) -> list[RankedSystem]:
        answers = cells.get(self.column)
        if not isinstance(answers, list):
            raise ValueError(f"column {self.column!r} is not a list of ranked answers")
        return [_read_answer(each) for each in answers]

    def describe(self, cells: Cells) -> Entry:
        judge = {"judge": "gpt-4", "judge_kind": Kind.LLM.value} if self.is_nectar else {}
        return {**super().describe(cells), **judge}


def _read_answer(answer: Any) -> RankedSystem:
    system, text = (
        next((as_text(answer[name]) for name in names if answer.get(name) is not None), None)
        for names in (SYSTEMS, TEXTS)
    )
    if system is None or not system.strip():
        raise ValueError("an answer does not say which model it is of")
    return RankedSystem(as_mark(answer.get("rank"), "the rank"), system.strip(), text)


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


def _list_values(rows: Iterable[Cells], column: str) -> list[object]:
    return [cell for row in rows if (cell := row.get(column)) not in (None, "")]


def _has_ranks(source: Source, *, in_one_cell: bool) -> bool:
    """Return whether the column of ranks holds rankings, one per cell, or the rank of each row;
    and nothing else says who won.
    """
    fields = match_columns(_with_rank(source))
    others = {"winner_a", "system_a", "systems", "text_a", "wins_a", "score"}
    is_open = not others & {name.partition(":")[0] for name in fields}
    if "rank" not in fields or not is_open or "winner" in match_columns(source):
        return False
    values = _list_values(source.cells(LOOKED_AT), fields["rank"])
    numbers = [value for value in values if decimal(str(value)) is not None]
    if in_one_cell:
        return not numbers and any(isinstance(v, list) or _MARKS.search(str(v)) for v in values)
    are_named = "system" in fields or "text" in fields
    return are_named and bool(values) and len(numbers) == len(values)


def _places(source: Source) -> list[str]:
    by_name = {column.strip().casefold(): column for column in source.columns}
    for names in ORDINALS:
        found = [by_name[name] for name in names if name in by_name]
        if len(found) > 1 and found == [by_name.get(name) for name in names[: len(found)]]:
            return found
    return []


def _has_places(source: Source) -> bool:
    places = _places(source)
    if not places or {"winner", "system_a"} & set(match_columns(source)):
        return False
    rows = list(source.cells(LOOKED_AT))
    values = [value for column in places for value in _list_values(rows, column)]
    return any(decimal(str(value)) is None for value in values)


def _ranked_column(source: Source) -> str | None:
    rows = list(source.cells(LOOKED_AT))
    for column in source.columns:
        values = _list_values(rows, column)
        lists = [value for value in values if isinstance(value, list) and value]
        answers = [answer for value in lists for answer in value]
        are_ranked = all(isinstance(each, dict) and "rank" in each for each in answers)
        if values and len(lists) == len(values) and are_ranked:
            return column
    return None


RANKINGS = Layout(
    "rankings", "rankings",
    {
        RankedAnswers: lambda source: _ranked_column(source) is not None,
        PlacePerColumn: _has_places,
        RankingTable: lambda source: _has_ranks(source, in_one_cell=True),
        RankPerRow: lambda source: _has_ranks(source, in_one_cell=False),
    },
    matched=lambda source: match_columns(_with_rank(source)),
    by_hand=("item", "context", "system", "text", "rank", "judge", "attribute"),
    settings=("kind",),
)  # fmt: skip


# Rankings of the conferences on machine translation (WMT): two to five systems a row with their
# ranks. 1 is the best, and a system that was not ranked has -1. Pairs of one rankingID are of one
# ranking. Layout: AppraiseDev/Appraise, and the files that WMT 2013 to 2016 published.

NAMED = re.compile(r"system(\d+)Id")
LANGUAGES = ("srclang", "trglang")


class WmtRankings(RankingTable):
    """A row has the columns systemNId and systemNrank. The item is the sentence of a pair of
    languages.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        found = filter(None, map(NAMED.fullmatch, source.columns))
        self.ranked = {each[0]: f"system{each[1]}rank" for each in found}

    def list_ranked(self, cells: Cells) -> list[RankedSystem]:
        ranked = [
            RankedSystem(as_mark(cells.get(rank), rank), read_name(cells, column))
            for column, rank in self.ranked.items()
            if as_text(cells.get(column))
        ]
        return [each for each in ranked if each.rank > 0]

    def describe(self, cells: Cells) -> Entry:
        languages = "-".join(read_name(cells, name) for name in LANGUAGES)
        item = f"{languages}/{as_text(cells.get('srcIndex')) or read_name(cells, 'segmentId')}"
        judge = as_text(cells.get("judgeId")) or as_text(cells.get("judgeID"))
        return {"item": item, "subset": languages, "judge": judge}


WMT = Layout(
    "wmt", "WMT's rankings of translations",
    {
        WmtRankings: has_columns(
            "system1Id", "system1rank", "system2Id", "system2rank", *LANGUAGES
        )
    },
    ("source", "text"),
)  # fmt: skip


# Best-worst scaling: several systems a row, the best of them and the worst. The best is better
# than each other one, and each is better than the worst. What lies between was not compared. A row
# is one ranking. Layout: Item1, Item2 ..., BestItem and WorstItem, as the scripts of Kiritchenko
# and Mohammad (2017) have them.

ITEM = re.compile("(item|system|model|option)[0-9]+")


class BestWorst(TableReader):
    """A row has a column for each system that was shown, and the best and the worst."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.items, self.best, self.worst = _find_columns(source)
        source.tally.has_known_winners = True

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        shown = [name for column in self.items if (name := as_text(cells.get(column)))]
        best, worst = read_name(cells, self.best), read_name(cells, self.worst)
        if best == worst or not {best, worst} <= set(shown) or len(set(shown)) < len(shown):
            raise ValueError(f"{best[:40]!r} and {worst[:40]!r} are not two of different systems")
        judge = self.fields.read_text(cells, "judge")
        shared = {**self.about_item(cells), "judge": judge, "ranking": str(number)}
        others = [name for name in shown if name not in (best, worst)]
        pairs = [(best, other) for other in (*others, worst)] + [(each, worst) for each in others]
        for winner, loser in pairs:
            first, second = sorted((winner, loser))  # so that the sides do not tell who won
            yield {
                "sort": VOTE, **shared, "system_a": first, "system_b": second,
                "order_known": False, "outcome": Outcome.A if winner == first else Outcome.B,
            }  # fmt: skip


def _find_columns(source: Source) -> tuple[list[str], str, str]:
    by_name = {normalise_name(column): column for column in source.columns}
    best, worst = (
        next((by_name[name] for name in (f"{word}item", word) if name in by_name), "")
        for word in ("best", "worst")
    )
    return [by_name[name] for name in by_name if ITEM.fullmatch(name)], best, worst


def _is_best_worst(source: Source) -> bool:
    items, best, worst = _find_columns(source)
    return len(items) > 2 and bool(best and worst)


BEST_WORST = Layout(
    "best-worst", "best-worst scaling", {BestWorst: _is_best_worst},
    matched=keep_fields("item", "context", "judge"), by_hand=("item", "context", "judge"),
    settings=("kind",),
)  # fmt: skip
