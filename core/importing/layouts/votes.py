"""Reader of tables of votes, one comparison a row, by one judge or by several."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from itertools import islice
from typing import Any, NamedTuple

from core.importing import files
from core.importing.cells import Cells, Row, as_kind, as_stated_time, as_text, digest, short
from core.importing.codes import Codes, uncertain, undecided_error
from core.importing.conversations import conversation
from core.importing.items import Items
from core.importing.layout import UNPARSED, Layout, Record, Source, system_of
from core.importing.row_memory import Key, RowMemory
from core.importing.table_fields import Fields, likely_winners, listed, matched
from core.importing.times import Times, column_values
from core.importing.winner_columns import (
    SharedNameError,
    UndecidedError,
    WinnerCell,
    WinnerColumn,
)
from core.importing.winners import NO_ANSWER, WINNERS, UncertainValueError, is_uncertain, word
from core.records import (
    Answer,
    Attribute,
    Generation,
    Item,
    JudgeSpec,
    Kind,
    Outcome,
    System,
    TandemError,
    Vote,
    setting,
)

VALUES = 100_000  # rows in which the values of an uncertain column are looked up
LONGEST_NAME = 200  # characters; a winner that is longer is a text
PLACED = frozenset(
    ("left", "swap", "swapped", "flip", "flipped", "reverse", "reversed", "shown", "displayed",
     "presented", "order", "position", "side")
)  # fmt: skip
"""Words in the name of a column that may say who was shown where."""
FLAGS = frozenset(
    ("0", "1", "true", "false", "yes", "no", "y", "n", "a", "b", "left", "right", "first", "second")
)
OF_A_ROW = frozenset(("item", "context", "reference", "subset", "judge", "created_at"))
"""Fields that say nothing of the two systems."""
REPEATED = OF_A_ROW | {
    "system_a", "system_b", "systems", "winner", "judge_kind", "attribute", "shown_first",
    "swapped", "order_known", "winner_tie",
}  # fmt: skip
"""Fields of tables without texts and numbers: many rows say the same of two systems."""
MEASURED = ("strength", "confidence", "seconds")  # what may be known of an answer besides
_APART = re.compile(r"\s+vs\.?\s+|[_-]vs[_-]|\s*[|,;/]\s*", re.IGNORECASE)


class CountedVote(NamedTuple):
    """Who won by column, a word that is not known, and the two systems in the columns' order."""

    outcome: Outcome | None
    unknown: str
    systems: tuple[str, str]


@dataclass(frozen=True)
class _Said:
    """What a row says of its two systems, each vote as it counts and as it was shown."""

    systems: Sequence[System]
    attribute: Attribute
    votes: Sequence[tuple[CountedVote, Vote]]


class Votes:
    """A table of votes: who was compared, who won, and optionally item, judge, attribute, texts,
    probability.

    Column A is the side shown first unless `shown_first` or `swapped` says otherwise. Votes without
    an item get the item `row-<n>`. A text seen for the first time for its item and system is that
    system's next sample. With `winner:JUDGE` columns, a row holds a vote of each of these judges.
    MT-Bench's votes on a `turn` of a conversation are answers to different questions about it, so
    each turn is an attribute.

    With columns of winners and of losers the columns say who won, and not who was shown first.
    `rows` are what decides how an ambiguous column of winners is read: all rows of the file.
    """

    def __init__(self, source: Source) -> None:
        self.source, self.fields = source, Fields(source)
        self.items = Items(source, self.fields)
        self.times = Times(source, column_values(source, self.fields.columns.get("created_at")))
        self.conversations = [
            side
            for side in "ab"
            if f"text_{side}" not in self.fields and f"conversation_{side}" in self.fields
        ]
        self.measured = [name for name in MEASURED if name in self.fields]
        self.judges = {
            name.partition(":")[2]: column
            for name, column in self.fields.columns.items()
            if name.startswith("winner:")
        }
        self._check_winner()
        self._check_systems()
        self.words = {**WINNERS, **self._names_of_columns()}
        self.winning_side = self._winning_side()
        self.ordered = self.winning_side is None
        self.rows: Callable[[], Iterable[Cells]] = self._rows_of_file
        self.winners: dict[str, WinnerColumn] = {}
        self.may_place = self._may_say_places()
        self.memory = self._memory()
        source.tally.columns = self._called()
        source.tally.has_known_winners = self.winning_side is not None

    def _winning_side(self) -> Outcome | None:
        """The side that wins every row: the column of winners is that of its systems or texts."""
        columns = self.fields.columns
        winner = columns.get("winner")
        for side, outcome in (("a", Outcome.A), ("b", Outcome.B)):
            if winner and winner in (columns.get(f"system_{side}"), columns.get(f"text_{side}")):
                return outcome
        return None

    def _check_winner(self) -> None:
        """Raises TandemError where no column, or more than one, may name the winner."""
        name, likely = self.source.path.name, likely_winners(self.source)
        if self.judges or "winner" in self.fields:
            return
        if len(likely) > 1:
            raise TandemError(
                f"the winner of {name} may be in column {' or '.join(map(repr, likely))}; choose "
                f"with {setting('map')} winner={likely[0]}"
            )
        raise TandemError(
            f"{name} has no winner column among {listed(self.source.columns)}; "
            f"name it with {setting('map')} winner=COLUMN, or one for each judge with "
            f"{setting('map')} winner:JUDGE=COLUMN, or say {setting('format')} generations if "
            "these are columns of texts"
        )

    def _check_systems(self) -> None:
        """Raises TandemError where nothing names the two systems, or their columns are crossed."""
        name, columns = self.source.path.name, self.fields.columns
        if not {"system_a", "system_b"} <= set(columns) and "systems" not in columns:
            if len(self.source.systems) != 2:
                raise TandemError(
                    f"{name} has no columns that name the two systems among "
                    f"{listed(self.source.columns)}; name them with {setting('map')} "
                    f"system_a=COLUMN {setting('map')} system_b=COLUMN, or, if they are the same "
                    f"two in all rows, with {setting('systems')} FIRST SECOND"
                )
            if self.source.systems[0] == self.source.systems[1]:
                raise TandemError(f"{self.source.systems[0]!r} is named twice: name two systems")
        for first, second in self._pairs():
            if (WINNERS.get(word(first)), WINNERS.get(word(second))) == (Outcome.B, Outcome.A):
                raise TandemError(
                    f"column {second!r} of {name} names the first side, yet {first!r} is said to: "
                    "name the two the other way round"
                )

    def _pairs(self) -> list[tuple[str, str]]:
        """The columns of the first side with those of the second."""
        columns = self.fields.columns
        return [
            (columns[f"{name}_a"], columns[f"{name}_b"])
            for name in ("system", "text")
            if {f"{name}_a", f"{name}_b"} <= set(columns)
        ]

    def _turn(self, cells: Cells) -> str:
        """After which turn of a conversation a vote was given, as MT-Bench's people say it. The
        Arena's `turn` is how long the conversation is.
        """
        columns = set(self.source.columns)
        judged = {"question_id", "conversation_a", "turn"} <= columns
        if not judged or {"tstamp", "anony"} & columns:
            return ""
        turn = as_text(cells.get("turn"))
        return f"turn {turn}" if turn else ""

    def _names_of_columns(self) -> dict[str, Outcome | str]:
        """A winner may be called by the column of its name or text; 1 and 2 are columns, too, where
        both are numbered so.
        """
        words: dict[str, Outcome | str] = {}
        for first, second in self._pairs():
            words.update({word(first): Outcome.A, word(second): Outcome.B})
            if (first[-1], second[-1], first[-2:-1].isdigit()) == ("1", "2", False):
                words.update({"1": Outcome.A, "2": Outcome.B})
        return words

    def _called(self) -> tuple[str, str]:
        """What to call the two sides in a sentence."""
        if len(self.source.systems) == 2:
            return self.source.systems[0], self.source.systems[1]
        return next(iter(self._pairs()), ("the first system", "the second system"))

    def _memory(self) -> RowMemory[_Said] | None:
        """What rows said of the systems so far; None where rows hardly repeat that."""
        columns = self.fields.columns
        if any(name not in REPEATED and not name.startswith("winner:") for name in columns):
            return None
        told = [column for name, column in columns.items() if name not in OF_A_ROW]
        turn = [column for column in self.source.columns if column == "turn"]
        return RowMemory((*told, *turn, *self.may_place))

    def records(self, number: int, cells: Cells) -> Iterable[Record]:
        try:
            if self.memory is None:
                counted = list[CountedVote]()
                records = list(self._read(number, cells, counted))
                self._count(counted)
                return records
            key = self.memory.key(cells)
            if (said := self.memory.get(key)) is None:
                return self._first(key, number, cells)
            return self._again(said, number, cells)
        except ValueError:
            self._note_skipped(cells)
            raise

    def _first(self, key: Key, number: int, cells: Cells) -> list[Record]:
        """The records of a row that says what none said before, which is kept."""
        counted = list[CountedVote]()
        records = list(self._read(number, cells, counted))
        self._count(counted)
        systems = [record for record in records if isinstance(record, System)]
        attribute = next(record for record in records if isinstance(record, Attribute))
        votes = [record for record in records if isinstance(record, Vote)]
        if self.memory is not None:
            said = _Said(systems, attribute, list(zip(counted, votes, strict=True)))
            self.memory.keep(key, said)
        return records

    def _again(self, said: _Said, number: int, cells: Cells) -> list[Record]:
        """The records of a row that says of its systems what another did, as `_read` makes them."""
        item = self._item(number, cells)
        records: list[Record] = [item, *said.systems, said.attribute]
        moment = self._moment(cells)
        for _, vote in said.votes:
            judge = vote.judge if self.judges else self._judge_of(cells, vote.kind)
            records += (
                _judge(judge, vote.kind),
                vote.changed(item=item.key, judge=judge, **moment),
            )
        self._count(counted for counted, _ in said.votes)
        return records

    def _read(self, number: int, cells: Cells, counted: list[CountedVote]) -> Iterator[Record]:
        fields, item = self.fields, self._item(number, cells)
        systems = self._systems(cells)
        if systems[0] == systems[1]:
            raise ValueError(f"compares {systems[0]!r} with itself")
        attribute = fields.text(cells, "attribute") or self._turn(cells) or "overall"
        kind = as_kind(fields.cell(cells, "judge_kind"), self.source.kind)
        texts = [self._text(cells, side) for side in "ab"]
        samples = [
            self._sample(item.key, system, text, fields.whole(cells, f"sample_{side}"))
            for system, text, side in zip(systems, texts, "ab", strict=True)
        ]
        yield item
        for system, sample, text in zip(systems, samples, texts, strict=True):
            yield system_of(system)
            if text is not None or sample:  # else the vote is enough
                yield Generation(item.key, system, sample, text)
        yield self.source.attribute(attribute)
        sides, moment = list(zip(systems, samples, strict=True)), self._moment(cells)
        for judge, answer, unknown in self._answers(cells, systems, kind):
            counted.append(CountedVote(answer.outcome, unknown, systems))
            yield _judge(judge, kind)
            (system_a, sample_a), (system_b, sample_b) = sides
            yield self._shown(
                cells,
                Vote(
                    item=item.key,
                    system_a=system_a,
                    system_b=system_b,
                    sample_a=sample_a,
                    sample_b=sample_b,
                    judge=judge,
                    kind=kind,
                    attribute=attribute,
                    answer=answer,
                    order_known=self.ordered and fields.flag(cells, "order_known") is not False,
                ).changed(**moment),
            )

    def _moment(self, cells: Cells) -> dict[str, str]:
        """When a row's votes were given: the instant, and what the file says."""
        if "created_at" not in self.fields:
            return {}
        value = self.fields.cell(cells, "created_at")
        return {"created_at": self.times.parse(value), "stated_time": as_stated_time(value)}

    def _item(self, number: int, cells: Cells) -> Item:
        named = self.fields.cell(cells, "item") not in (None, "") or self.items.context(cells)
        return self.items.item(cells) if named else Item(f"row-{number}")

    def _systems(self, cells: Cells) -> tuple[str, str]:
        fields = self.fields
        if "system_a" in fields and "system_b" in fields:
            systems = fields.name(cells, "system_a"), fields.name(cells, "system_b")
            if self.winning_side is not None and any(map(_is_text, systems)):
                raise self._texts_of_winners()
            return systems
        if "systems" not in fields:
            return self.source.systems[0], self.source.systems[1]
        both = fields.name(cells, "systems")
        names = _APART.split(both)
        names = names if len(names) == 2 else both.split("_")
        if len(names) != 2 or not all(names):
            raise ValueError(
                f"it is not certain which two systems {both[:60]!r} names: write A vs B"
            )
        return names[0].strip(), names[1].strip()

    def _texts_of_winners(self) -> TandemError:
        """The refusal of winners and losers that are texts."""
        first, second = (self.fields.columns[f"system_{side}"] for side in "ab")
        return TandemError(
            f"columns {first!r} and {second!r} of {self.source.path.name} hold texts, not names of "
            f"systems; say {setting('map')} text_a={first} text_b={second} winner={first} and name "
            f"the systems with {setting('systems')} FIRST SECOND"
        )

    def _text(self, cells: Cells, side: str) -> str | None:
        if side in self.conversations:
            return conversation(self.fields.cell(cells, f"conversation_{side}"))[1]
        return as_text(self.fields.cell(cells, f"text_{side}"))

    def _answers(
        self, cells: Cells, systems: tuple[str, str], kind: Kind
    ) -> Iterator[tuple[str, Answer, str]]:
        """Who answered what in a row, and the answer's word where it is not known. A judge whose
        column is empty was not asked.
        """
        if not self.judges:
            judge = self._judge_of(cells, kind)
            yield judge, *self._answer(cells, self._said(cells, systems), self._raw(cells))
        for judge, column in self.judges.items():
            text = as_text(cells.get(column)) or ""
            if text.strip():
                cell = WinnerCell(text, systems)
                outcome = self._meant(f"winner:{judge}", cell)
                yield judge, *self._answer(cells, outcome, text)

    def _judge_of(self, cells: Cells, kind: Kind) -> str:
        judge = self.fields.text(cells, "judge")
        return judge or ("voters" if kind is Kind.HUMAN else kind.value)

    def _raw(self, cells: Cells) -> str:
        """What a judge said, as it stands there."""
        return self.fields.text(cells, "winner")

    def _said(self, cells: Cells, systems: tuple[str, str]) -> Outcome | str | None:
        """What a row says of its systems; NO_ANSWER, or None for a word that is not known."""
        if self.winning_side is not None:
            is_tie = "winner_tie" in self.fields and self.fields.flag(cells, "winner_tie")
            return Outcome.TIE if is_tie else self.winning_side
        return self._meant("winner", self._winner_cell("winner", cells, systems))

    def _winner_cell(self, field: str, cells: Cells, systems: tuple[str, str]) -> WinnerCell:
        """The cell of a column that names a side, with what its row compares."""
        texts = None
        if field == "winner" and "text_a" in self.fields and "text_b" in self.fields:
            first, second = (self.fields.text(cells, f"text_{side}").strip() for side in "ab")
            texts = first, second
        return WinnerCell(self.fields.text(cells, field), systems, texts)

    def _winner_column(self, field: str) -> WinnerColumn:
        """The reading of a column that names a side: of winners, or `shown_first`."""
        if field not in self.winners:
            codes, words, is_placed = self.source.codes, self.words, False
            if field == "shown_first":
                codes = Codes()
                words = {name: side for name, side in words.items() if name not in ("1", "2")}
                words |= {"ab": Outcome.A, "ba": Outcome.B}
            else:
                is_placed = bool({"shown_first", "swapped"} & set(self.fields.columns))
            cells = partial(self._winner_cells, field)
            self.winners[field] = WinnerColumn(
                codes, words, cells, is_placed=is_placed or bool(self.may_place)
            )
        return self.winners[field]

    def _winner_cells(self, field: str) -> Iterator[WinnerCell]:
        """All cells of such a column whose rows name two systems."""
        for cells in self.rows():
            try:
                systems = self._systems(cells)
                cell = self._winner_cell(field, cells, systems)
            except ValueError:
                continue
            if systems[0] != systems[1]:
                yield cell

    def _rows_of_file(self) -> Iterator[Cells]:
        return (row.cells for row in files.rows(self.source.path) if isinstance(row, Row))

    def is_doubtful(self, cells: Cells) -> bool:
        """Whether the column as a whole decides what a row says."""
        if self.winning_side is not None:
            return False
        fields = [name for name in self.fields.columns if name.split(":")[0] == "winner"]
        try:
            systems = self._systems(cells)
            return systems[0] != systems[1] and any(
                self._winner_column(field).is_doubtful(self._winner_cell(field, cells, systems))
                for field in [*fields, *["shown_first"] * ("shown_first" in self.fields)]
            )
        except ValueError:
            return False

    def _meant(self, field: str, cell: WinnerCell) -> Outcome | str | None:
        file, column = self.source.path.name, self.fields.columns[field]
        codes, sides = self.source.codes, self.source.tally.columns
        try:
            return self._winner_column(field).outcome(cell)
        except UncertainValueError:
            values = (
                str(row.cells.get(column) or "")
                for row in islice(files.rows(self.source.path), VALUES)
                if isinstance(row, Row)
            )
            open_to_doubt = filter(is_uncertain, [cell.text, *values])
            raise uncertain(file, column, open_to_doubt, sides, codes) from None
        except UndecidedError as error:
            raise undecided_error(file, column, error.values, sides, error.means) from None
        except SharedNameError:
            raise TandemError(
                f"{file}: {short(cell.text)} in column {short(column)} may name "
                f"{' or '.join(map(short, cell.systems))}; write the names of systems there as "
                "they are in their own columns"
            ) from None

    def _answer(self, cells: Cells, outcome: Outcome | str | None, text: str) -> tuple[Answer, str]:
        fields = self.fields
        probability = fields.number(cells, "prob_a")
        if probability is not None and not 0 <= probability <= 1:
            raise ValueError(f"the probability {probability} is not between 0 and 1")
        raw = fields.text(cells, "raw")
        shared: dict[str, Any] = {name: fields.number(cells, name) for name in self.measured}
        if "comment" in fields:
            shared["comment"] = fields.text(cells, "comment")
        failure = fields.text(cells, "failure")
        if failure or not isinstance(outcome, Outcome):
            unparsed = UNPARSED if outcome is None else NO_ANSWER
            unknown = "" if failure or outcome is not None else text
            return Answer(failure=failure or unparsed, raw=raw or text, **shared), unknown
        self._check_probability(outcome, probability)
        if probability is None and not raw and not shared:
            return _bare(outcome), ""
        return Answer(outcome=outcome, prob_a=probability, raw=raw, **shared), ""

    def _count(self, counted: Iterable[CountedVote]) -> None:
        """Votes of the file, by column. One without an answer counts where its word is unknown.
        Where the layout says who won, no side can be odd.
        """
        tally = self.source.tally
        for outcome, unknown, systems in counted:
            if self.winning_side is not None:
                tally.add_decision(outcome, systems)
            elif outcome is not None:
                tally.add(outcome)
                tally.add_decision(outcome, systems)
            elif unknown:
                tally.add_unknown(unknown, systems)

    def _note_skipped(self, cells: Cells) -> None:
        """Counts who won in a row that is skipped, as far as it says that."""
        with suppress(ValueError, TandemError):
            systems = self._systems(cells)
            if systems[0] == systems[1]:
                return
            fields = [f"winner:{judge}" for judge in self.judges]
            outcomes = [
                self._meant(field, self._winner_cell(field, cells, systems)) for field in fields
            ] or [self._said(cells, systems)]
            for outcome in outcomes:
                self.source.tally.add_decision(outcome, systems, is_kept=False)

    def _check_probability(self, outcome: Outcome, probability: float | None) -> None:
        """Raises TandemError where a probability is of the winner, say, not of the first system.
        A column that is called prob_a, or was said to be it, is believed.
        """
        if self.fields.columns.get("prob_a") in ("prob_a", self.source.mapping.get("prob_a")):
            return
        points = {Outcome.A: 1, Outcome.B: -1}.get(outcome, 0)
        if probability is not None and points * (probability - 0.5) < 0:
            column = self.fields.columns["prob_a"]
            raise TandemError(
                f"column {column!r} of {self.source.path.name} gives "
                f"{self.source.tally.columns[0]} {probability:g} where it "
                f"{'won' if points > 0 else 'lost'}, so it is of something else; leave it out with "
                f"{setting('map')} prob_a="
            )

    def _shown(self, cells: Cells, vote: Vote) -> Vote:
        """The vote as it was shown: its A is what stood first."""
        if not self._swapped(cells, (vote.system_a, vote.system_b)):
            self._check_places(cells, vote)
            return vote
        text = "a" if self.judges else self._raw(cells)
        by_judges = bool(self.judges) and vote.answer.outcome in (Outcome.A, Outcome.B)
        if by_judges or self._is_place(cells, vote):
            raise TandemError(
                f"{text[:40]!r} in {self.source.path.name} may be the text shown first or a "
                f"column, as the two are swapped in some rows; if it is a column, say "
                f"{Codes(('A',), ('B',)).settings()} with its words, else write the names of "
                "systems"
            )
        return replace(
            vote,
            system_a=vote.system_b,
            system_b=vote.system_a,
            sample_a=vote.sample_b,
            sample_b=vote.sample_a,
            answer=_mirrored(vote.answer),
        )

    def _is_place(self, cells: Cells, vote: Vote) -> bool:
        """Whether a row's winner is a word that may be a place on the screen."""
        is_decisive = vote.answer.outcome in (Outcome.A, Outcome.B)
        if self.judges or self.winning_side is not None or not is_decisive:
            return False
        cell = self._winner_cell("winner", cells, (vote.system_a, vote.system_b))
        return self._winner_column("winner").is_place(cell)

    def _may_say_places(self) -> list[str]:
        """The columns that nothing is read from, yet may say who stood where."""
        if {"shown_first", "swapped"} & {*self.source.mapping, *self.fields.columns}:
            return []
        taken = set(self.fields.columns.values())
        return [
            column
            for column in self.source.columns
            if column not in taken and PLACED & set(re.split(r"[\s_-]+", column.casefold()))
        ]

    def _check_places(self, cells: Cells, vote: Vote) -> None:
        """Raises TandemError for a winner that may be a place, beside a column that may say who
        stood there.
        """
        raw = self._raw(cells)
        for column in self.may_place if self._is_place(cells, vote) else ():
            value = (as_text(cells.get(column)) or "").strip()
            if value.casefold() in FLAGS or value in (vote.system_a, vote.system_b):
                raise TandemError(
                    f"{raw[:40]!r} in {self.source.path.name} may be the text shown first or a "
                    f"column, as column {column!r} may say who was shown where; name it with "
                    f"{setting('map')} shown_first=COLUMN or {setting('map')} swapped=COLUMN, or "
                    f"say with {setting('map')} shown_first= that it does not"
                )

    def _swapped(self, cells: Cells, systems: tuple[str, str]) -> bool:
        """Whether the text of column B was the one shown first."""
        first = self.fields.text(cells, "shown_first")
        if not first:
            return self.fields.flag(cells, "swapped") is True
        cell = self._winner_cell("shown_first", cells, systems)
        column = self.fields.columns["shown_first"]
        try:
            side = self._winner_column("shown_first").outcome(cell)
        except (UncertainValueError, UndecidedError, SharedNameError):
            raise TandemError(
                f"column {column!r} of {self.source.path.name} says {first[:40]!r}, which may not "
                "be the side shown first, or may be another one; write a system's name there, or "
                f"leave it out with {setting('map')} shown_first="
            ) from None
        if side not in (Outcome.A, Outcome.B):
            raise ValueError(
                f"the side shown first, {first[:40]!r}, is neither a, b nor a system of this row"
            )
        return side is Outcome.B

    def _sample(self, item: str, system: str, text: str | None, given: int | None) -> int:
        if given is not None or text is None:
            return given or 0
        return self.source.sample_of(item, system, digest(text))


# What most rows say again is made once.
_judge = lru_cache(maxsize=4096)(JudgeSpec)


def _is_text(name: str) -> bool:
    """Whether a cell is too long for the name of a system."""
    return len(name) > LONGEST_NAME or "\n" in name


@cache
def _bare(outcome: Outcome) -> Answer:
    """An answer of which nothing else is known."""
    return Answer(outcome=outcome)


def _mirrored(answer: Answer) -> Answer:
    """The same answer told of the pair in the other order."""
    sides = {Outcome.A: Outcome.B, Outcome.B: Outcome.A}
    return replace(
        answer,
        outcome=sides.get(answer.outcome, answer.outcome) if answer.outcome else None,
        prob_a=None if answer.prob_a is None else 1 - answer.prob_a,
    )


def _is_votes(source: Source) -> bool:
    fields = set(matched(source))
    named = {"system_a", "system_b"} <= fields or "systems" in fields
    sides = {"text_a", "text_b"} <= fields or len(source.systems) == 2
    by_hand = any(re.match("winner(:|$)", name) for name in source.mapping)
    return named or by_hand or (sides and ("winner" in fields or bool(likely_winners(source))))


LAYOUT = Layout(
    "votes",
    "votes, one comparison a row",
    {Votes: _is_votes},
    matched=matched,
    by_hand=(
        "item",
        "context",
        "system_a",
        "system_b",
        "text_a",
        "text_b",
        "winner",
        "judge",
        "attribute",
        "prob_a",
    ),
    settings=("codes", "systems", "kind"),
)
