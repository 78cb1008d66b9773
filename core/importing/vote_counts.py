"""How often each outcome stands in files of votes, counted where they lie: nothing is stored.

DuckDB finds the kinds of row there are, the importer's own reader says what each kind means, and
DuckDB counts them by item. So a vote means here what it means to `import`, and memory depends on
the number of kinds and not on that of votes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from core.importing.cells import Cells, Row, cleaned
from core.importing.choice import Progress
from core.importing.database import COUNTING, Database, literal, open_database
from core.importing.encoding_candidates import not_text
from core.importing.entry import Entry
from core.importing.layouts import LAYOUTS
from core.importing.layouts.votes import Votes
from core.importing.reading import USUAL, Reading, Repeats
from core.importing.stage import VoteKind, find_kind, read_vote
from core.importing.tally import Tally
from core.importing.vote_kinds import Kinds
from core.importing.vote_meanings import SWAPPED, Decision, VoteMeanings
from core.importing.vote_tables import Table, expand, has_revised_answers, tables
from core.records import TandemError, setting

KINDS = 1_000_000  # of rows: 100 systems make some 40,000
FEWEST, MOST = 100, 2000
"""Groups into which items are put at random where there are more: fewer where there are many kinds
of vote, so that COUNTS of both together will do.
"""
COUNTS = 3_000_000
STAGE = "counting votes, MB"
REJECTED = {
    "MISSING COLUMNS": "fewer cells than the header has",
    "TOO MANY COLUMNS": "more cells than the header has",
    "LINE SIZE OVER MAXIMUM": "too long",
}
OTHERWISE = "not a row of the table"
VOTE = (
    "system_a", "system_b", "attribute", "judge", "kind", "order_known", "outcome", "failure",
)  # fmt: skip
"""What a vote is counted by."""


@dataclass(frozen=True)
class VoteCounts:
    """Votes by kind, and by kind and item.

    `votes` has a row for each kind: VOTE and `times`; system_a was shown first, `outcome` is None
    where nobody answered, and `failure` None where somebody did. `of_items` has a row for each kind
    and item: `vote` (a row of `votes`), `item` (0, 1 ..), `times`. `items` says how many there are;
    about so many where they are `grouped`, and `item` is one of at most `groups` random groups of
    them. Votes of one row without a name for its item are about one item of their own. `apart` is
    whether nothing tells items apart, so that each vote is about one of its own. `rows` were
    read; `skipped` is how many could not be used, by reason. `alarms` say where these differ from
    the others in who wins; they are the first of the `notes`.
    """

    votes: pd.DataFrame
    of_items: pd.DataFrame
    items: int
    apart: bool
    grouped: bool
    groups: int
    rows: int
    skipped: Mapping[str, int]
    alarms: Sequence[str]
    notes: Sequence[str]


@dataclass(frozen=True)
class Counted:
    """Which votes are counted: of `judges` those that are named are told apart from all others;
    of `items`, and of a `subset`, only votes about these.
    """

    judges: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    subset: str | None = None


class RevisedAnswersError(TandemError):
    """Votes of which some revise others, so they are not counted where they lie."""


def count(
    paths: Sequence[str | Path],
    counted: Counted | None = None,
    reading: Reading = USUAL,
    *,
    progress: Progress | None = None,
) -> VoteCounts:
    """The votes of files, folders or patterns, of Parquet and CSV, read as `import` reads them.

    Rows that import would skip are counted with its reason; rows are not held against each other,
    as import holds the contexts of an item or the kinds of a judge. Raises TandemError where import
    would refuse a file, or DuckDB cannot read it.
    """
    files, wanted = expand(paths), counted or Counted()
    with open_database(files, COUNTING) as duck:
        parts = list[_Part]()
        for table in tables(duck, files, reading):
            if reading.repeats is not Repeats.ALL and has_revised_answers(duck, table):
                raise RevisedAnswersError(
                    f"people answer the same question several times in {table.paths[0].name}: say "
                    f"{setting('repeats')} all to count every answer, or import it"
                )
            parts += _parts(duck, table, wanted, len(parts), progress)
        votes: dict[tuple[Any, ...], int] = {}
        for part in parts:
            part.read(votes)
        if not votes:
            raise TandemError("there are no such votes in these files: choose fewer conditions")
        return _together(duck, parts, list(votes), progress)


def _parts(
    duck: Database, table: Table, wanted: Counted, first: int, progress: Progress | None
) -> list[_Part]:
    """The parts in which a table is counted. Where a whole column decides what a row says, that is
    the column of one file, as it is to `import`.
    """

    def part(of: Table, place: int) -> _Part:
        kinds = Kinds(of, wanted.judges, wanted.subset is not None)
        made = _Part(duck, kinds, wanted, place)
        made.list_kinds(progress)
        return made

    whole = part(table, first)
    if len(table.paths) == 1 or not any(map(whole.meanings.is_doubtful, whole.list_votes())):
        return [whole]
    return [part(each, first + 1 + place) for place, each in enumerate(table.apart())]


@dataclass
class _Part:
    """What is counted of one table: `kinds` are kind of row, the places of its votes, and times."""

    engine: Database
    of: Kinds
    counted: Counted
    place: int
    reader: Votes = field(init=False)
    meanings: VoteMeanings = field(init=False)
    listed: list[tuple[Any, ...]] = field(init=False)
    kinds: list[tuple[int, tuple[int, ...], int]] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    rows: int = 0

    @property
    def tally(self) -> Tally:
        return self.of.table.source.tally

    def list_kinds(self, progress: Progress | None) -> None:
        """Find its kinds of row; all of them decide what its winner column means."""
        source = self.of.table.source
        reader = LAYOUTS[self.of.table.layout].reader(source)
        assert isinstance(reader, Votes)
        self.reader, self.listed = reader, self._list_row_kinds(progress)
        self.meanings = VoteMeanings(source, reader.words, self.list_votes)

    def list_votes(self) -> Iterator[VoteKind]:
        """The kinds of vote in its kinds of row, as far as they can be read."""
        for kind, _, probability, *values in self.listed:
            with suppress(ValueError):
                for entry in self.reader.decisions(self._cells(kind, values, probability)):
                    yield find_kind(entry)

    def _cells(self, kind: int, values: Sequence[object], probability: object) -> Cells:
        """A row of a kind. Raises ValueError where it cannot be one."""
        row = cleaned(kind + 1, self.of.cells(values, probability))
        if not isinstance(row, Row):
            raise ValueError(row.reason)
        return row.cells

    def read(self, votes: dict[tuple[Any, ...], int]) -> None:
        """Find what each kind of row means: a place in `votes`, which grow."""
        for kind, times, probability, *values in self.listed:
            self.rows += times
            cells: Cells = {}
            try:
                cells = self._cells(kind, values, probability)
                entries = list(self.reader.entries(kind + 1, cells))
                said = [self._read_vote(entry) for entry in entries]
            except ValueError as error:
                self.skipped[str(error)] += times
                self._count_lost(cells, times)
                continue
            for vote, decision in said:
                self._count(vote, decision, times)
            subset = entries[0].get("subset") if entries else None
            if self.counted.subset in (None, subset):
                places = sorted(votes.setdefault(vote, len(votes)) for vote, _ in said)
                if places:
                    self.kinds.append((kind, tuple(places), times))
        self._refuse_unusable()

    def _read_vote(self, entry: Entry) -> tuple[tuple[Any, ...], Decision]:
        """What a vote is counted by (VOTE), and what it says. Raises ValueError."""
        values, kind = read_vote(self.of.table.source, entry)
        decision = self.meanings.decide(kind)
        if decision.reason:
            raise ValueError(decision.reason)
        failure = values["failure"] or decision.failure
        outcome = None if failure else decision.outcome
        if outcome and values.get("prob_a") is not None:
            self.reader.words.check_probability(outcome, values["prob_a"])
        systems = kind.system_a, kind.system_b
        if decision.is_swapped:
            systems, outcome = systems[::-1], SWAPPED.get(outcome, outcome) if outcome else None
        vote = (
            *systems, values["attribute"], values["judge"], values["judge_kind"],
            int(kind.order_known), outcome.value if outcome else None, failure or None,
        )  # fmt: skip
        return vote, decision._replace(failure=failure)

    def _count(self, vote: tuple[Any, ...], decision: Decision, times: int) -> None:
        outcome = None if decision.failure else decision.outcome
        systems = (vote[1], vote[0]) if decision.is_swapped else (vote[0], vote[1])
        if not self.tally.has_known_winners:
            if outcome is not None:
                self.tally.outcomes[outcome] += times
            elif decision.unknown:
                self.tally.add_unknown(decision.unknown, systems, times)
        self.tally.add_decision(outcome, systems, times=times)

    def _count_lost(self, cells: Cells, times: int) -> None:
        """Count who won in rows that are skipped, as far as they say that."""
        with suppress(ValueError, TandemError):
            for entry in self.reader.decisions(cells):
                kind = find_kind(entry)
                outcome, systems = (
                    self.meanings.decide(kind).outcome,
                    (kind.system_a, kind.system_b),
                )
                if systems[0] != systems[1]:
                    self.tally.add_decision(outcome, systems, is_kept=False, times=times)

    def _list_row_kinds(self, progress: Progress | None) -> list[tuple[Any, ...]]:
        """Each kind of row: its number, how often it is there, a probability, and its values."""
        keys = ", ".join(f"k{place}" for place in range(len(self.of.keys)))
        example = self.of.table.column("prob_a") or "NULL"
        self.engine.rows(
            f"CREATE TEMP TABLE kinds_{self.place} AS SELECT row_number() OVER () - 1 AS kind, * "
            f"FROM (SELECT count(*) AS times, any_value(example) AS probability, {keys} FROM "
            f"({self._scan(f'{example} AS example')}) GROUP BY {keys})",
            progress,
            STAGE,
        )
        self._note_rejected()
        ((number,),) = self.engine.rows(f"SELECT count(*) FROM kinds_{self.place}")
        if number > KINDS:
            raise TandemError(
                f"the rows of {self._name} are of more than {KINDS:,} kinds, by their systems, "
                "outcomes and attributes: import a part of them instead"
            )
        return self.engine.rows(f"SELECT * FROM kinds_{self.place} ORDER BY {keys}")

    def _scan(self, column: str) -> str:
        """The rows that are counted, as k0, k1 .. of their kind, and a column more."""
        table = self.of.table
        keys = [f"{sql} AS k{place}" for place, sql in enumerate(self.of.keys.values())]
        scan = f"SELECT {', '.join([*keys, column])} FROM {table.scan(self.engine)}"
        if not self.counted.items:
            return scan
        if not table.column("item"):
            raise TandemError(f"no column of {self._name} names items, so none can be chosen")
        names = ", ".join(map(literal, self.counted.items))
        return f"{scan} WHERE {table.text(table.column('item'))} IN ({names})"

    def votes(self, sorts: Mapping[tuple[int, ...], int]) -> str:
        """Its votes in SQL: each `vote` by its place, its `item` as a number, NULL where no column
        names it, and which of the `sorts` of row it stands in.
        """
        rows = [(kind, place, sorts[votes]) for kind, votes, _ in self.kinds for place in votes]
        places = pd.DataFrame(rows, columns=["kind", "vote", "sort"])
        self.engine.connection.register(f"places_{self.place}", places)
        same = " AND ".join(
            f"scanned.k{place} IS NOT DISTINCT FROM kinds.k{place}"
            for place in range(len(self.of.keys))
        )
        return (
            f"SELECT vote, item, sort FROM ({self._scan(f'{self._item()} AS item')}) AS scanned "
            f"JOIN kinds_{self.place} AS kinds ON {same} "
            f"JOIN places_{self.place} AS places ON places.kind = kinds.kind"
        )

    def items(self) -> str:
        """Its items in SQL."""
        return f"SELECT {self._item()} AS item FROM {self.of.table.scan(self.engine)}"

    def _item(self) -> str:
        table = self.of.table
        columns = [table.column(name) for name in ("item", "context")]
        named = [column for column in columns if column and not table.is_nested(column)]
        if not named:
            return "NULL::UBIGINT"
        text = table.text(named[0])
        return f"CASE WHEN {text} <> '' THEN hash({text}) END"

    @property
    def _name(self) -> str:
        paths = self.of.table.paths
        return paths[0].name + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")

    def _note_rejected(self) -> None:
        """Lines of CSV that are no rows of the table. Raises TandemError for what is no text, and
        for a stray quote: the cell that it opens may have taken any number of rows, untold.
        """
        if self.of.table.dialect is None:
            return
        rejected = self.engine.rejected()
        for path, line, sort in rejected:
            if sort in ("INVALID ENCODING", "INVALID UNICODE"):
                raise not_text(path)
            if sort == "UNQUOTED VALUE":
                raise TandemError(
                    f"{path.name!r} has a quote that is never closed, or text after a closing one, "
                    f"in the row that begins in line {line:,}, so that rows below may be lost; "
                    "close it, or write a quote that belongs to the text twice"
                )
            self.skipped[f"line {line:,} of {path.name}: {REJECTED.get(sort, OTHERWISE)}"] += 1
        self.rows += len(rejected)

    def _refuse_unusable(self) -> None:
        """Raises TandemError where none or few of the rows can be used, as import does."""
        if self.tally.mostly_unknown and not self.of.table.source.codes:
            raise self.tally.refusal(self._name)
        lost = sum(self.skipped.values())
        why = next(iter(self.skipped), "it has none")
        if lost == self.rows and (lost or not self.counted.items):
            raise TandemError(f"no row of {self._name} can be used ({why})")
        if 2 * lost > self.rows:
            raise TandemError(
                f"{lost:,} of {self.rows:,} rows of {self._name} cannot be used ({why}): nothing "
                "is counted where that many are lost"
            )

    def alarms(self) -> list[str]:
        """What must be said first."""
        unread = self.tally.decisions.unread_alarms(self.rows, sum(self.skipped.values()))
        return [f"{self._name}: {alarm}" for alarm in (*self.tally.alarms(), *unread)]

    def notes(self) -> list[str]:
        """What to know of how it was read."""
        lost = sum(self.skipped.values())
        told = [f"{self._name}: {note}" for note in (*self.of.table.notes, *self.tally.warnings())]
        if lost:
            why = max(self.skipped, key=lambda reason: self.skipped[reason])
            told.append(f"{self._name}: {lost:,} of {self.rows:,} rows cannot be used ({why}).")
        return told


def _together(
    engine: Database, parts: Sequence[_Part], votes: Sequence[tuple[Any, ...]], progress: Any
) -> VoteCounts:
    times = np.zeros(len(votes), dtype=np.int64)
    for part in parts:
        for _, places, number in part.kinds:
            np.add.at(times, list(places), number)
    frame = pd.DataFrame(votes, columns=pd.Index(VOTE)).assign(times=times)
    groups = int(np.clip(COUNTS // max(len(votes), 1), FEWEST, MOST))
    of_items, items, grouped = _by_item(engine, parts, groups, progress)
    skipped = sum((part.skipped for part in parts), Counter[str]())
    alarms = [alarm for part in parts for alarm in part.alarms()]
    notes = [*alarms, *(note for part in parts for note in part.notes())]
    return VoteCounts(
        frame,
        of_items,
        items,
        apart=items == times.sum(),
        grouped=grouped,
        groups=groups,
        rows=sum(part.rows for part in parts),
        skipped=skipped,
        alarms=alarms,
        notes=list(dict.fromkeys(notes)),
    )


def _by_item(
    engine: Database, parts: Sequence[_Part], groups: int, progress: Any
) -> tuple[pd.DataFrame, int, bool]:
    """`VoteCounts.of_items`, how many items there are, and whether they are grouped."""
    sorts = _sorts(parts)
    every = " UNION ALL ".join(part.items() for part in parts)
    ((number, about),) = engine.rows(
        f"SELECT (SELECT count(*) FROM (SELECT DISTINCT item FROM ({every}) WHERE item IS NOT NULL "
        f"LIMIT {groups + 1})), (SELECT approx_count_distinct(item) FROM ({every}))",
        progress,
        STAGE,
    )
    if not number:
        times = np.zeros(len(sorts), dtype=np.int64)
        for part in parts:
            for _, votes, rows in part.kinds:
                times[sorts[votes]] += rows
        return _spread(times, sorts, groups, 0), int(times.sum()), bool(times.sum() > groups)
    item = "item" if number <= groups else f"item % {groups}"
    every = " UNION ALL ".join(part.votes(sorts) for part in parts)
    counted = engine.frame(
        f"SELECT vote, {item} AS item, CASE WHEN item IS NULL THEN sort ELSE -1 END AS own, "
        f"count(*) AS times FROM ({every}) GROUP BY ALL ORDER BY vote, item, own",
        progress,
        STAGE,
    )
    frame = pd.DataFrame({name: np.ma.getdata(column) for name, column in counted.items()})
    named = frame[frame["own"] < 0].drop(columns="own")
    named["item"] = pd.factorize(named["item"])[0]
    known = named["item"].nunique() if number <= groups else int(about)
    own = frame[frame["own"] >= 0].groupby("own")["times"].sum()
    votes_each = np.array([len(votes) for votes in sorts])
    times = own.reindex(range(len(sorts)), fill_value=0).to_numpy() // votes_each
    alone = _spread(times, sorts, groups, named["item"].nunique())
    is_grouped = max(number, times.sum()) > groups
    return pd.concat([named, alone]), known + int(times.sum()), bool(is_grouped)


def _sorts(parts: Sequence[_Part]) -> dict[tuple[int, ...], int]:
    """The sorts of row, by the votes that stand in it, and their numbers."""
    sorts: dict[tuple[int, ...], int] = {}
    for part in parts:
        for _, votes, _ in part.kinds:
            sorts.setdefault(votes, len(sorts))
    return sorts


def _spread(
    times: Any, sorts: Mapping[tuple[int, ...], int], groups: int, first: int
) -> pd.DataFrame:
    """Votes of so many rows of each sort, a row an item: each by itself, or in random groups where
    there are many.
    """
    total = int(times.sum())
    if total <= groups:
        row, item = np.repeat(np.arange(len(times)), times), np.arange(total)
        number = np.ones(total, dtype=np.int64)
    else:
        drawn = np.random.default_rng(0).multinomial(times, np.full(groups, 1 / groups))
        row, item = np.nonzero(drawn)
        number = drawn[row, item]
    rows = pd.DataFrame({"sort": row, "item": first + item, "times": number})
    votes = [(sort, vote) for votes, sort in sorts.items() for vote in votes]
    every = rows.merge(pd.DataFrame(votes, columns=["sort", "vote"]), on="sort")
    return every.groupby(["vote", "item"])["times"].sum().reset_index()
