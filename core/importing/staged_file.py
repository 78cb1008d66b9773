"""A file of an import, and what its rows came to when they were staged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain, groupby, islice
from operator import itemgetter

from ..moments import DateOrder, date_parts, parse_moment
from ..records import Outcome, TandemError, option_ref, sanitize_line
from .account import ColumnAccount, ColumnUse, FileFacts, UnusedColumnError
from .alike_rows import WATCHED, AlikeRows, CountedVotes, refuse_counting
from .cells import Row, SkippedRecord
from .database import Database
from .entry import VOTE, Entry
from .joint_columns import split_columns
from .layout import Layout, Reader, Source, TableReader
from .layouts.votes import Votes
from .reading import ItemsAre, Reading, Repeats
from .stage import Stage
from .staged_items import fill_items_down, strip_decimals
from .staged_values import VoteKind, decide_times
from .table_fields import list_names
from .text_encoding import ReadingPlace, suffix
from .vote_meanings import Decision, VoteMeanings

COMPARED = 10_000  # answers that are left out
FLAT = (".parquet", ".csv", ".tsv")
"""Endings of files in which a row is a vote by itself."""
ENOUGH = 50_000  # rows after which a file of which next to none can be used is read no further


@dataclass
class StagedFile:
    """A file: its number in the staging tables, its name among the others, its reader, and what was
    decided of it by the whole of its columns.
    """

    number: int
    name: str
    layout: Layout
    source: Source
    reader: Reader
    rows: int = 0
    items_are: ItemsAre | None = None
    dates: DateOrder | None = None
    decided: dict[VoteKind, Decision] = field(default_factory=dict)
    skipped: int = 0  # rows
    contradicting: int = 0  # of these
    alike: AlikeRows | None = None  # where rows that are alike are only counted
    _lost: list[tuple[VoteKind, Decision, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        layout, source = self.layout, self.source
        names_columns = layout.matched or "judge" in layout.fields
        filled = [
            (name, part) for name, column in self.fields.items()
            for part in split_columns(source, column)
        ]  # fmt: skip
        self.account = ColumnAccount(
            source.columns, filled, source.unused,
            None if layout.matched else {"people"} if names_columns else set(),
            self.reader.family,
        )  # fmt: skip

    @property
    def fields(self) -> dict[str, str]:
        """The column of each field."""
        systems = self.reader.columns_of_systems.items()
        named = {f"system:{name}": column for name, column in systems}
        return {**self.layout.match_fields(self.source), **named}

    @property
    def file_name(self) -> str:
        """The name without that of a sheet."""
        return self.name.removesuffix(f", sheet {self.source.rater}")

    @property
    def is_revisable(self) -> bool:
        """Return whether an answer is revised if the same person answers again. It is not if the
        file numbers trials, or holds each answer once.
        """
        columns = {column.casefold() for column in self.source.columns}
        names_judges = self.source.rater or "judge" in self.layout.match_fields(self.source)
        return bool(names_judges) and "trial" not in columns and not self.layout.is_answered_once

    @property
    def is_open_in_order(self) -> bool:
        """Return whether it is a table that does not say in which order systems were shown."""
        stated = {"shown_first", "swapped", "order_known"} & self.fields.keys()
        return bool(self.layout.matched) and not stated

    def count_alike(self, counted: CountedVotes, database: Database) -> None:
        """Count rows that are alike instead of staging each. Raises NotCountedError."""
        if not isinstance(self.reader, Votes) or suffix(self.source.path) not in FLAT:
            raise refuse_counting(self.source)
        self.alike = AlikeRows(self.number, self.reader, counted, database)

    @property
    def reads_more(self) -> bool:
        """Return whether its reader looks at more than what makes rows alike."""
        return bool(self.alike and self.account.read_columns - self.alike.columns)

    def complete_reading(self, given: Reading) -> Reading:
        """Return the reading of the file, with all settings that it says or decided itself."""
        fields = self.fields
        if self.reader.has_names_and_contexts and self.items_are is not ItemsAre.NAMES:
            fields.pop("item", None)
        return replace(
            given,
            layout=self.layout.name,
            mapping={**fields, **given.mapping},
            items=given.items or self.items_are,
            dates=given.dates or self.dates,
        )

    def stage_rows(self, stage: Stage, limit: int | None) -> Iterator[int]:
        """Stage every row, or so many; gives now and then how many megabytes were read. Raises
        TandemError where next to none can be used.
        """
        yield from self._stage_rows(stage, limit)
        stage.end_file()
        if self.alike:
            self.alike.flush()
        yield self.source.megabytes

    def _stage_rows(self, stage: Stage, limit: int | None) -> Iterator[int]:
        unusable, place = 0, ReadingPlace()
        rows = self.alike.read(place) if self.alike else self.source.rows(place)
        for row in islice(rows, limit):
            self.rows += 1
            unusable += not self._stage_row(stage, row)
            if self.rows == ENOUGH and unusable > 0.99 * self.rows:
                stage.flush()
                self.skipped = unusable
                raise self._refuse_few(stage.database, "the first ")
            if self.rows % 1000 == 0:
                yield place.megabytes
        self.source.tally.notes.update(place.notes)
        self.rows += self.alike.counted if self.alike else 0
        for number, group in groupby(self.reader.finish(), key=itemgetter(0)):
            try:
                stage.add_row(self.number, number, self.source, [entry for _, entry in group])
            except ValueError as error:
                stage.skip_row(self.number, number, sanitize_line(str(error)))

    def _stage_row(self, stage: Stage, row: Row | SkippedRecord) -> bool:
        if isinstance(row, SkippedRecord):
            stage.skip_row(self.number, row.number, sanitize_line(row.reason))
            return False
        if self.alike is None or self.rows <= WATCHED:
            row.cells = self.account.watch(row.cells)
        if self.alike and self.alike.add(row):
            return True
        if (
            self.alike is None
            and isinstance(self.reader, TableReader)
            and self.reader.deciding
            and type(row.cells) is dict  # nobody notes any more which are read
            and stage.add_cells(self.number, row.number, self.reader, row.cells)
        ):
            return True
        try:
            stage.add_row(self.number, row.number, self.source, read_entries(self.reader, row))
        except ValueError as error:
            lost = list[Entry]()
            with suppress(ValueError, TandemError, TypeError, AttributeError, LookupError):
                lost += [each for each in self.reader.decisions(row.cells) if each["sort"] == VOTE]
            stage.skip_row(self.number, row.number, sanitize_line(str(error)), lost)
            return False
        if self.alike:
            self.alike.keep(row.number)
        return True

    def decide_meanings(self, stage: Stage) -> None:
        """Decide what its winners and times mean, each by the whole of its column."""
        database, words = stage.database, self.reader.words
        kinds, lost = stage.kinds[self.number], stage.lost[self.number]
        self.dates = decide_times(database, self.number, self.source)
        meanings = VoteMeanings(self.source, words, lambda: chain(kinds, lost))
        self.decided = {kind: meanings.decide(kind) for kind in kinds}
        for kind, times in lost.items():
            try:
                self._lost.append((kind, meanings.decide(kind), times))
            except TandemError:
                continue
        if self.reader.has_items:
            strip_decimals(database, self.number)
            if note := fill_items_down(database, self.number):
                self.source.tally.notes[note] = None
        if words is not None and not words.believes_probability:
            for outcome, probability in self._find_contrary_probabilities(database):
                words.check_probability(outcome, probability)

    def _find_contrary_probabilities(self, database: Database) -> Iterator[tuple[Outcome, float]]:
        decisions = list(self.decided.values())
        for sign, outcome in ((1, Outcome.A), (-1, Outcome.B)):
            meant = [place for place, said in enumerate(decisions) if said.outcome is outcome]
            rows = database.rows(
                f"""SELECT prob_a FROM entries WHERE file = {self.number}
                AND {sign} * (prob_a - 0.5) < 0 AND coalesce(failure, '') = ''
                AND kind IN ({", ".join(map(str, meant)) or -1}) ORDER BY row LIMIT 1"""
            )
            yield from ((outcome, probability) for (probability,) in rows)

    def describe_revised(
        self, number: int, repeats: Repeats, database: Database
    ) -> tuple[str, bool]:
        """Say how many answers are left out as the same person gave another, and whether rows that
        are merged for it differ in something else.
        """
        answers = "1 answer was" if number == 1 else f"{number:,} answers were"
        sentence = (
            f"{answers} given once more by the same person: the {repeats} of each counts; "
            f"{option_ref('repeats')} all keeps every one"
        )
        columns = self._find_differences(database)
        if columns:
            sentence += (
                f". Rows that are merged differ in {list_names(columns)}: if one says what was "
                f"asked, say {option_ref('map')} attribute={columns[0]}"
            )
        return sentence, bool(columns)

    def _find_differences(self, database: Database) -> list[str]:
        """List columns without a field in which answers left out differ from those that count."""
        pairs = dict(
            database.rows(
                f"""SELECT row, kept[2] FROM revised WHERE file = {self.number} AND kept[1] = file
                ORDER BY row LIMIT {COMPARED}"""
            )
        )
        used = {
            part
            for name, column in self.layout.match_fields(self.source).items()
            if name not in ("subset", "family", "reference")
            for part in split_columns(self.source, column)
        }
        free = [column for column in self.source.columns if column not in used]
        cells = self.source.pick_rows({*pairs, *pairs.values()}) if free else {}
        compared = [(cells[row], cells[kept]) for row, kept in pairs.items() if row in cells]
        return [
            column
            for column in free
            if any(str(one.get(column)) != str(other.get(column)) for one, other in compared)
        ]

    def read_times(self, rows: Iterable[int]) -> Iterator[tuple[int, str]]:
        """Yield these rows with their moments, '' for none. Raises NotCountedError for a date that
        only the whole of its column explains.
        """
        column, dates, zone = self.fields["created_at"], self.source.dates, self.source.zone
        if column not in self.source.columns:
            raise refuse_counting(self.source)
        for row, cells in self.source.pick_rows(rows).items():
            said = cells.get(column)
            moment = parse_moment(said, zone=zone) or parse_moment(said, dates, zone)
            if not moment and dates is None and date_parts(said):
                raise refuse_counting(self.source)
            yield row, moment

    def count_rows(self, database: Database) -> None:
        """Count the rows that are skipped, and who won in those that were never staged."""
        alike = "(SELECT times FROM alike a WHERE a.file = s.file AND a.row = s.row)"
        self.skipped, self.contradicting = database.rows(
            f"""SELECT coalesce(sum(times), 0)::BIGINT,
                coalesce(sum(times) FILTER (contradicts), 0)::BIGINT FROM (
                SELECT bool_and(contradicts) AS contradicts,
                    {f"any_value(coalesce({alike}, 1))" if self.alike else "1"} AS times
                FROM skipped s WHERE file = {self.number} AND whole GROUP BY row)"""
        )[0]
        for kind, decision, times in self._lost:
            tally = self.source.tally
            tally.add_decision(decision.outcome, kind.systems, is_kept=False, times=times)

    def list_columns(self) -> list[ColumnUse]:
        """List the file's columns and what each is used for."""
        has_votes = any(decision.outcome for decision in self.decided.values())
        systems = frozenset(name for kind in self.decided for name in kind.systems)
        stated = frozenset(name.partition(":")[0] for name in self.source.mapping)
        is_pending = bool(self.decided) and not has_votes
        facts = FileFacts(has_votes, is_pending, systems, stated)
        return self.account.list_columns(self.name, facts)

    def find_fault(self, database: Database) -> TandemError | None:
        """Return the error if the file cannot be imported. Either none or few of its rows can be
        used, or most answers are in unknown words.
        """
        name, usable = self.source.path.name, self.rows - self.skipped
        tally = self.source.tally
        if tally.unknown.total() > tally.outcomes.total() and not self.source.codes:
            return tally.refusal(name)
        if usable and self.skipped - self.contradicting <= usable:
            return next((UnusedColumnError(use) for use in self.list_columns() if use.seems), None)
        if usable:
            return self._refuse_few(database)
        if not self.skipped:
            return TandemError(f"no row of {name} can be used (it has none)")
        if self.contradicting == self.skipped:
            return TandemError(
                f"{name} says something else of the same items ({self._first_reason(database)}): "
                "import it by itself, as a data set with another name"
            )
        return TandemError(f"no row of {name} can be used ({self._first_reason(database)})")

    def _refuse_few(self, database: Database, of: str = "") -> TandemError:
        return TandemError(
            f"{self.skipped:,} of {of}{self.rows:,} rows of {self.source.path.name} cannot be used "
            f"({self._first_reason(database)}): nothing is imported where that many are lost"
        )

    def _first_reason(self, database: Database) -> str:
        row, reason = database.rows(
            f"SELECT row, reason FROM skipped WHERE file = {self.number} ORDER BY row LIMIT 1"
        )[0]
        return f"row {row}: {reason}"


def read_entries(reader: Reader, row: Row) -> list[Entry]:
    """Return the entries of a row.

    Raises ValueError with the reason to skip it, also where something in it is of a kind that its
    layout never has there, as a list instead of a name.
    """
    try:
        return list(reader.entries(row.number, row.cells))
    except (TypeError, AttributeError, LookupError, ArithmeticError) as error:
        raise ValueError(
            "something in it is not as its layout has it: compare it with other rows"
        ) from error
