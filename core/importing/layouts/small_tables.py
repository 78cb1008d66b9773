"""Tables of marks, counted wins, pairs to annotate, and votes with a column for each outcome."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from ...records import Outcome, TandemError, option_ref
from ..cells import Cells, as_kind, as_text, as_whole
from ..column_names import is_damaged
from ..entry import SCORE, TEXT, VOTE, Entry, is_score
from ..joint_columns import DRAWN, LOOKED_AT, is_named
from ..layout import Layout, Reader, Source, TableReader, has_columns, keep_fields
from ..table_fields import likely_winners, match_columns
from ..values import find_value
from ..winners import NO_ANSWER
from . import votes


class Marks(TableReader):
    """A table of marks, as `export --what scores` writes it: item, system, attribute, value; and,
    where there are such columns, subset, family, sample, rater, kind, trial, and failure, which
    says why there is no mark. The texts come from another file, before or after it.
    """

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        fields, about = self.fields, self.about_item(cells)
        if not about["item"]:
            raise ValueError(f"{fields.describe_column('item')} (the item) is empty")
        kind = as_kind(fields.read_cell(cells, "judge_kind"), self.source.kind).value
        failure, value = fields.read_text(cells, "failure"), cells.get("value")
        sample = fields.read_whole(cells, "sample") or 0
        text: Entry = {**about, "system": fields.read_name(cells, "system"), "sample": sample}
        yield {"sort": TEXT, **text}
        if failure or is_score(value):
            yield {
                "sort": SCORE, **text, "attribute": fields.read_name(cells, "attribute"),
                "judge": fields.read_text(cells, "judge") or kind, "judge_kind": kind,
                "trial": as_whole(cells.get("trial") or 0, "trial"), "value": value,
                "failure": failure,
            }  # fmt: skip


ARE_MARKS = has_columns("item", "system", "attribute", "value")
MARKS = Layout(
    "marks", "scores of texts",
    {Marks: lambda source: ARE_MARKS(source) and "text" not in source.columns}, settings=("kind",),
)  # fmt: skip


ONE_HOT_OUTCOMES = {
    "winner_a": Outcome.A,
    "winner_b": Outcome.B,
    "winner_tie": Outcome.TIE,
    "winner_both_bad": Outcome.BOTH_BAD,
}


class OneHot(votes.Votes):
    """Votes whose winner is the one of `winner_a`, `winner_b`, `winner_tie` and `winner_both_bad`
    that is 1; the others are 0, as the LMSYS competition has it. Where none is, nobody answered.
    """

    def _check_winner(self) -> None:
        """The columns by which the layout is recognised name the winner."""

    def _list_deciding(self) -> dict[str, set[str]]:
        return {}  # a row has an outcome or a failure

    def _answer(self, cells: Cells) -> Entry:
        is_set = [name for name in ONE_HOT_OUTCOMES if self.fields.read_flag(cells, name)]
        if len(is_set) > 1:
            raise ValueError(f"more than one of {', '.join(is_set)} is 1")
        if not is_set and "winner_tie" not in self.fields:
            self.source.tally.notes[
                "where neither side won, nobody answered; if these are ties, name a column that "
                f"says so with {option_ref('map')} winner_tie=COLUMN"
            ] = None
        return {"outcome": ONE_HOT_OUTCOMES[is_set[0]]} if is_set else {"failure": NO_ANSWER}


ONE_HOT = Layout(
    "one-hot", "votes with a column for each outcome", {
        OneHot: lambda source: (
            {"winner_a", "winner_b"} <= set(match_columns(source))
            and "winner" not in source.mapping
        ),
    }, matched=match_columns,
    by_hand=(
        "item", "context", "system_a", "system_b", "text_a", "text_b", "winner_a", "winner_b",
        "winner_tie", "judge", "attribute",
    ),
    settings=("systems", "kind"),
)  # fmt: skip


MOST_RESULTS = 1_000_000  # rows that are compared with one another
NO_COUNT = ("", "None", "-", "\u2013", "\u2014", "x", "NA", "n/a")
"""Cells of a matrix in which nothing is counted, as those of a system beside itself."""
ABOUT = ("item", "context", "attribute", "judge")
WINS = {"wins_a": Outcome.A, "wins_b": Outcome.B, "wins_tie": Outcome.TIE}


class WinsPerPair(TableReader):
    """A row has two systems, `wins_a` and `wins_b` and perhaps `wins_tie`: so many votes. Where
    each result is there once more from the side of the other system, it counts once.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        source.tally.has_known_winners = True
        for name in ("system_a", "system_b", "wins_a"):
            if name not in self.fields:
                raise TandemError(
                    f"{source.path.name} does not say who won how often against whom: name a "
                    f"column with {option_ref('map')} {name}=COLUMN"
                )
        if "wins_tie" not in self.fields:  # else there is no more to count
            self.family = (*filter(None, map(self.fields.columns.get, WINS)), *DRAWN)
        free = [column for column in source.columns if column not in source.unused]
        drawn = next((column for column in free if is_named(column, DRAWN)), "")
        if drawn and not {"wins_b", "wins_tie"} & set(self.fields.columns):
            raise TandemError(
                f"{source.path.name} may tell ties from either side. Count those of each row with "
                f"{option_ref('map')} wins_tie={drawn}, or none with {option_ref('unused')} {drawn}"
            )
        results = Counter[tuple[Any, ...]]()
        for cells in source.cells(MOST_RESULTS):
            with suppress(ValueError):  # why the row itself is skipped
                results[self._find_result(cells)] += 1
        both = {each for each in results if results[_turn(each)] == results[each]}
        are_sums = any(sum(result[:3]) > 1 for result in both)  # a vote may be of either order
        self.is_twofold = are_sums and len(both) == len(results)
        if are_sums and not self.is_twofold:
            raise TandemError(
                f"{len(both) // 2:,} results of {source.path.name} are there from the side of "
                f"either system, and {len(results) - len(both):,} from one side alone. Take out "
                "the rows that repeat a result; add up two results of the same systems"
            )
        if self.is_twofold:
            note = "each result is there from the side of either system, and counts once"
            source.tally.notes[note] = None

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        result = self._find_result(cells)
        if self.is_twofold and str(result) > str(_turn(result)):
            return
        vote = dict(zip((*ABOUT, "system_a", "system_b"), result[3:], strict=True))
        vote |= {"sort": VOTE, **self.about_item(cells), "order_known": False}
        for outcome, times in zip(WINS.values(), result[:3], strict=True):
            if times:
                yield {**vote, "outcome": outcome, "times": times}

    def _find_result(self, cells: Cells) -> tuple[Any, ...]:
        wins = [self.fields.read_whole(cells, name) for name in WINS]
        if None in wins[: 1 + ("wins_b" in self.fields)]:
            self.source.tally.notes["a cell without a number counts as no wins"] = None
        about = (self.fields.read_text(cells, name) for name in ABOUT)
        systems = (self.fields.read_name(cells, name) for name in ("system_a", "system_b"))
        return *(times or 0 for times in wins), *about, *systems


def _turn(result: tuple[Any, ...]) -> tuple[Any, ...]:
    wins_a, wins_b, *shared, system_a, system_b = result
    return wins_b, wins_a, *shared, system_b, system_a


class WinMatrix(Reader):
    """A row is a system, named in the first column; under each other one, how often it won. Where
    the corner is called `loser`, the systems of the columns won.
    """

    def __init__(self, source: Source) -> None:
        self.corner, *columns = source.columns
        names = (str(cells.get(self.corner)).strip() for cells in source.cells())
        spelled = {name.casefold(): name for name in names}
        self.others = {name: spelled.get(name.strip().casefold(), name) for name in columns}
        self.is_of_losers = re.match(r"los[et]|beaten|defeated", self.corner.strip().casefold())
        if not self.is_of_losers and is_damaged(self.corner, ("loser", "beaten", "defeated")):
            raise TandemError(
                f"column {self.corner!r} of {source.path.name} may be winner or loser: call it so"
            )
        won, lost = ("column", "row") if self.is_of_losers else ("row", "column")
        wins = dict[tuple[str, str], int]()
        for cells in source.cells():
            with suppress(ValueError):  # why the row itself is skipped
                wins |= dict(self._list(cells))
        both = [(times, wins.get(pair[::-1], 0)) for pair, times in wins.items()]
        are_shares = all(one + other == 100 for one, other in both)
        are_even = all(one == other for one, other in both)
        notes = {
            f"the system of a {won} won against that of the {lost} so often": True,
            "each two add up to 100: leave it out if these are percentages": are_shares,
            "each number is on both sides of the diagonal, so it may not say who won": are_even,
        }
        source.tally.notes |= dict.fromkeys(note for note, is_so in notes.items() if is_so and wins)
        source.tally.has_known_winners = True

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        for (winner, loser), times in self._list(cells):
            pair = {"sort": VOTE, "system_a": winner, "system_b": loser, "times": times}
            yield {**pair, "outcome": Outcome.A, "order_known": False}

    def _list(self, cells: Cells) -> Iterator[tuple[tuple[str, str], int]]:
        system = (as_text(cells.get(self.corner)) or "").strip()
        for column, other in self.others.items():
            said, is_other = cells.get(column), other.casefold() != system.casefold()
            is_counted = is_other and str(said).strip() not in NO_COUNT
            if is_counted and (times := as_whole(said, f"column {column!r}")):
                yield ((other, system) if self.is_of_losers else (system, other)), times


def _is_matrix(source: Source) -> bool:
    first, *others = source.columns
    if len(others) < 2 or source.mapping:
        return False
    cells = [each.get(first) for each in source.cells(len(others) + 1)]
    names, columns = ([str(name).strip().casefold() for name in each] for each in (cells, others))
    return sorted(names) == sorted(set(columns))


COUNTS = Layout(
    "counts", "wins per pair", {
        WinsPerPair: lambda source: {"system_a", "system_b", "wins_a"} <= {*match_columns(source)},
        WinMatrix: _is_matrix,
    },
    matched=keep_fields(*ABOUT, "system_a", "system_b", "reference", "subset", "family", *WINS),
    by_hand=("item", "context", "system_a", "system_b", "wins_a", "wins_b", "judge", "attribute"),
    settings=("kind",),
)  # fmt: skip


class PairTable(TableReader):
    """A row has two texts, and who wrote them; it has no winner, or a column of winners that is
    empty throughout. Just these pairs are asked about.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.has_systems = {"system_a", "system_b"} <= set(self.fields.columns)
        if not self.has_systems and len(set(source.systems)) != 2:
            raise TandemError(
                f"{source.path.name} does not say which systems wrote its texts. Name two "
                f"systems of all rows with {option_ref('systems')} FIRST SECOND, else their "
                f"columns with {option_ref('map')} system_a=COLUMN {option_ref('map')} "
                "system_b=COLUMN"
            )

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        fields, pair = self.fields, {**self.about_item(cells)}
        for side, named in zip("ab", self.source.systems or ("", ""), strict=True):
            text, system = f"text_{side}", f"system_{side}"
            if not (said := as_text(fields.read_cell(cells, text))):
                raise ValueError(f"{fields.describe_column(text)} has no text to compare")
            name = fields.read_name(cells, system) if self.has_systems else named
            pair |= {text: said, system: name}
        attribute = fields.read_text(cells, "attribute")
        yield {"sort": VOTE, **pair, "attribute": attribute, "pending": True}


def _are_unjudged(source: Source) -> bool:
    fields = match_columns(source)
    if not {"text_a", "text_b"} <= set(fields) or "winner_a" in fields:
        return False
    named = {"winner", "winner_swapped"} & set(fields)
    answers = {*likely_winners(source), *map(fields.__getitem__, named)}
    if not answers:
        return not any(name.split(":")[0] in ("attribute", "winner", "failure") for name in fields)
    judge = fields.get("judge")
    if judge and any(find_value(cells, judge) for cells in source.cells(LOOKED_AT)):
        return False  # somebody was asked, and did not answer
    said = (find_value(cells, column) for cells in source.cells() for column in answers)
    return all(value in (None, "") for value in said)


PAIRS = Layout(
    "pairs", "pairs to annotate", {PairTable: _are_unjudged},
    matched=match_columns,
    by_hand=("item", "context", "system_a", "system_b", "text_a", "text_b", "attribute"),
    settings=("systems",),
)  # fmt: skip
