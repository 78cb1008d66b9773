"""Counts of each outcome in files of votes, made where the files lie: nothing is stored.

DuckDB finds the kinds of row there are, the importer's own reader says what each kind means, and
DuckDB counts them by item. So a vote means here what it means to `import`, and memory depends on
the number of kinds and not on that of votes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..records import Outcome, TandemError, option_ref
from .account import find_question, state_facts
from .cells import Cells, Row, as_text, clean_record
from .choice import Progress
from .database import COUNTING, Database, literal, open_database
from .entry import Entry
from .layouts import LAYOUTS
from .layouts.votes import Votes
from .names import check_name
from .reading import USUAL, Reading, Repeats
from .staged_file import open_account, read_entries
from .staged_values import VoteKind, find_kind, read_vote
from .vote_kinds import list_keys
from .vote_meanings import SWAPPED, VoteMeanings
from .vote_tables import VoteTable, expand, has_families, has_revised_answers, tables

KINDS = 1_000_000  # of rows: 100 systems make some 40,000
FEWEST, MOST = 100, 2000
"""Groups into which items are put at random where there are more: fewer where there are many kinds
of vote, so that COUNTS of both together will do.
"""
COUNTS = 3_000_000
ASKED_ABOUT = 2000
"""First rows, in which a column shows whether it may hold answers."""
STAGE = "counting votes, MB"
VOTE = (
    "system_a", "system_b", "attribute", "judge", "kind", "order_known", "outcome", "failure",
)  # fmt: skip
"""What a vote is counted by."""

Vote = tuple[Any, ...]


@dataclass(frozen=True)
class VoteCounts:
    """Votes by kind, and by kind and item.

    `votes` has a row for each kind: VOTE and `times`; system_a was shown first, `outcome` is None
    where nobody answered, and `failure` None where somebody did. `of_items` has a row for each kind
    and item: `vote` (a row of `votes`), `item` (0, 1 ..), `times`. `items` says how many there are;
    about so many where they are `grouped`, and `item` is one of at most `groups` random groups of
    them. Votes of one row without a name for its item are about one item of their own. With
    `has_unnamed_items` nothing tells items apart: each vote is about one of its own. `rows` were
    read; `skipped` is how many could not be used, by reason. `alarms` say where these differ from
    the others in who wins; they are the first of the `notes`.
    """

    votes: pd.DataFrame
    of_items: pd.DataFrame
    items: int
    has_unnamed_items: bool
    grouped: bool
    groups: int
    rows: int
    skipped: Mapping[str, int]
    alarms: Sequence[str]
    notes: Sequence[str]


@dataclass(frozen=True)
class CountedVotes:
    """Choice of the votes that are counted. Judges named in `judges` are counted apart from all
    others. With `items` or a `subset`, only votes about these count. `families` are those that
    intervals draw, as in a `Selection`: such votes are refused.
    """

    judges: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    subset: str | None = None
    families: str = "none"


class NotCountedError(TandemError):
    """Votes that cannot be counted in the files themselves.

    Some revise others, or their items repeat something: only an import resolves that.
    """


def count(
    paths: Sequence[str | Path],
    counted: CountedVotes | None = None,
    reading: Reading = USUAL,
    *,
    progress: Progress | None = None,
) -> VoteCounts:
    """Count the votes of files, folders or patterns (Parquet, CSV), read as `import` reads them.

    Rows that import would skip are counted with its reason; rows are not held against each other,
    as import holds the contexts of an item or the kinds of a judge. Raises TandemError where import
    would refuse a file, or DuckDB cannot read it, and NotCountedError.
    """
    files, wanted = expand(paths), counted or CountedVotes()
    with open_database(files, COUNTING) as duck:
        parts = list[_TableCounts]()
        for table in tables(duck, files, reading):
            if reading.repeats is not Repeats.ALL and has_revised_answers(duck, table):
                raise NotCountedError(
                    f"people answer the same question several times in {table.paths[0].name}: say "
                    f"{option_ref('repeats')} all to count every answer, or import it"
                )
            if has_families(duck, table, wanted.families):
                raise NotCountedError(
                    f"items of {table.paths[0].name} repeat a prompt, document or template: say "
                    f"{option_ref('families')} none to count each by itself, or import it"
                )
            parts += _list_parts(duck, table, wanted, progress)
        votes: dict[Vote, int] = {}
        for part in parts:
            part.read(votes)
            unnamed, is_named = part.itemless.total(), "item" in part.table.fields
            if is_named and part.rows > unnamed >= part.rows / 2:
                raise NotCountedError(
                    f"{unnamed:,} rows of {part.table.name} name no item, as in sheets that name "
                    "it once for several rows: import it"
                )
        if not votes:
            raise TandemError("there are no such votes in these files: choose fewer conditions")
        return _put_together(duck, parts, list(votes), progress)


def _list_parts(
    duck: Database, table: VoteTable, wanted: CountedVotes, progress: Progress | None
) -> list[_TableCounts]:
    """Return the parts in which a table is counted.

    Where a whole column decides what a row says, that is the column of one file, as it is to
    `import`.
    """
    whole = _TableCounts(duck, table, wanted, progress)
    if len(table.paths) == 1 or not any(map(whole.meanings.is_doubtful, whole.list_votes())):
        return [whole]
    return [_TableCounts(duck, each, wanted, progress) for each in table.split_files()]


class _TableCounts:
    """Counts of one table: how often each kind of row is there, its votes (places in a list),
    and how many of these rows name no item.
    """

    def __init__(
        self, database: Database, table: VoteTable, counted: CountedVotes, progress: Progress | None
    ) -> None:
        self.database, self.table, self.counted = database, table, counted
        self.source, self.tally = table.source, table.source.tally
        reader = LAYOUTS[table.layout].reader(self.source)
        assert isinstance(reader, Votes)
        has_subsets = counted.subset is not None
        self.reader = reader
        self.keys = list_keys(table, reader, counted.judges, has_subsets=has_subsets)
        self.rows, self.skipped = 0, Counter[str]()
        self.kinds: list[tuple[int, int, int]] = []  # kind of row, vote, how often
        self.itemless = Counter[tuple[int, ...]]()  # rows by their votes
        self.listed = self._list_kinds(progress)
        self.meanings = VoteMeanings(self.source, reader.words, self.list_votes)

    def _list_kinds(self, progress: Progress | None) -> list[tuple[Any, ...]]:
        """Return each kind of row: its cells, how often it is there, how often of these without an
        item, and its number.
        """
        itemless = f"count(*) FILTER ({self.table.item} IS NULL)"
        columns = ", ".join([*self.keys.shown.values(), "count(*)", itemless, self._kind])
        query = f"SELECT {columns} FROM {self._scan()} GROUP BY ALL ORDER BY ALL LIMIT {KINDS + 1}"
        listed = self.database.rows(query, progress, STAGE)
        for reason in self.table.list_rejected(self.database):
            self.skipped[reason] += 1
        self.rows = self.skipped.total()
        if len(listed) > KINDS:
            raise TandemError(
                f"rows of {self.table.name} are of more than {KINDS:,} kinds (systems, "
                "outcomes, attributes): import a part of them instead"
            )
        return listed

    @property
    def _kind(self) -> str:
        """The number of a row's kind, in SQL."""
        return f"hash({', '.join(self.keys.same)})"

    def _scan(self) -> str:
        """Return the rows that are counted, in SQL."""
        scan = self.table.scan(self.database)
        if not self.counted.items:
            return scan
        if "item" not in self.table.fields:
            raise TandemError(f"no column of {self.table.name} names items, so none can be chosen")
        names = ", ".join(map(literal, self.counted.items))
        return f"{scan} WHERE {self.table.column('item')} IN ({names})"

    def list_items(self, number: int) -> str:
        """Return the rows that name an item, in SQL, as those of the part of that number."""
        return (
            f"SELECT {number} AS part, {self._kind} AS kind, {self.table.item} AS item "
            f"FROM {self._scan()}"
        )

    def list_votes(self) -> Iterator[VoteKind]:
        """Yield the kinds of vote in its kinds of row, as far as they can be read."""
        for *values, _, _, _ in self.listed:
            with suppress(ValueError):
                for entry in self.reader.decisions(self._read_cells(values)):
                    yield find_kind(entry)

    def _read_cells(self, values: Sequence[object]) -> Cells:
        """Return a row of a kind. Raises ValueError where it cannot be one."""
        row = clean_record(1, dict(zip(self.keys.shown, values, strict=True)))
        if not isinstance(row, Row):
            raise ValueError(row.reason)
        return row.cells

    def read(self, votes: dict[Vote, int]) -> None:
        """Find what each kind of row means: places in `votes`, which grow."""
        for *values, times, itemless, kind in self.listed:
            self.rows += times
            cells: Cells = {}
            try:
                cells = self._read_cells(values)
                entries = list(self.reader.entries(1, cells))
                read = [self._read_vote(entry) for entry in entries]
            except ValueError as error:
                self.skipped[str(error)] += times
                self._count_lost(cells, times)
                continue
            for _, systems, outcome, unknown in read:
                self.tally.add_decision(outcome, systems, unknown=unknown, times=times)
            if not entries or self.counted.subset not in (None, entries[0].get("subset")):
                continue
            places = sorted(votes.setdefault(vote, len(votes)) for vote, *_ in read)
            self.kinds += [(kind, place, times) for place in places]
            if itemless:
                self.itemless[tuple(places)] += itemless
        self._refuse_unusable()
        self._ask_about_columns()

    def _ask_about_columns(self) -> None:
        """Ask about a column that is not used, as import does, by the first rows of the first file.

        Raises UnusedColumnError.
        """
        account = open_account(LAYOUTS[self.table.layout], self.source, self.table.fields)
        for row in islice(self.source.rows(), ASKED_ABOUT):
            if isinstance(row, Row):
                row.cells = account.watch(row.cells)
                with suppress(ValueError):
                    read_entries(self.reader, row)
        systems = {name for kind in self.list_votes() for name in (kind.system_a, kind.system_b)}
        contents = state_facts(self.source.mapping, systems, has_votes=True)
        if question := find_question(account.list_columns(self.table.paths[0].name, contents)):
            raise question

    def _read_vote(self, entry: Entry) -> tuple[Vote, tuple[str, str], Outcome | None, str]:
        """Return the key by which a vote is counted (VOTE), and its systems with their outcome,
        or the unknown word. Raises ValueError.
        """
        for name in ("item", "subset"):
            check_name(as_text(entry.get(name)) or "")
        values, kind = read_vote(self.source, entry)
        decision = self.meanings.decide(kind)
        if decision.reason:
            raise ValueError(decision.reason)
        failure = values["failure"] or decision.failure
        outcome = None if failure else decision.outcome
        if outcome and values.get("prob_a") is not None:
            self.reader.words.check_probability(outcome, values["prob_a"])
        systems = kind.system_a, kind.system_b
        said = systems, outcome, "" if values["failure"] else decision.unknown
        if decision.is_swapped:
            systems, outcome = systems[::-1], SWAPPED.get(outcome, outcome) if outcome else None
        vote = (
            *systems, values["attribute"], values["judge"], values["judge_kind"],
            int(kind.order_known), outcome.value if outcome else None, failure or None,
        )  # fmt: skip
        return vote, *said

    def _count_lost(self, cells: Cells, times: int) -> None:
        """Count who won in rows that are skipped, as far as they say that."""
        with suppress(ValueError, TandemError):
            for entry in self.reader.decisions(cells):
                kind = find_kind(entry)
                systems, decision = (kind.system_a, kind.system_b), self.meanings.decide(kind)
                if systems[0] != systems[1]:
                    self.tally.add_decision(decision.outcome, systems, is_kept=False, times=times)

    def _refuse_unusable(self) -> None:
        """Refuse a file with no or few usable rows, as import does. Raises TandemError."""
        name, lost = self.table.name, self.skipped.total()
        if self.tally.mostly_unknown and not self.source.codes:
            raise self.tally.refusal(name)
        why = next(iter(self.skipped), "it has none")
        if lost == self.rows and (lost or not self.counted.items):
            raise TandemError(f"no row of {name} can be used ({why})")
        if 2 * lost > self.rows:
            raise TandemError(
                f"{lost:,} of {self.rows:,} rows of {name} cannot be used ({why}): nothing is "
                "counted where that many are lost"
            )

    def list_alarms(self) -> list[str]:
        """List what must be said first."""
        unread = self.tally.decisions.unread_alarms(self.rows, self.skipped.total())
        return [f"{self.table.name}: {alarm}" for alarm in (*self.tally.alarms(), *unread)]

    def list_notes(self) -> list[str]:
        """List notes on how the table was read."""
        notes = [*self.table.notes, *self.tally.warnings()]
        if self.skipped:
            ((why, _),) = self.skipped.most_common(1)
            lost = self.skipped.total()
            notes.append(f"{lost:,} of {self.rows:,} rows cannot be used ({why}).")
        return [f"{self.table.name}: {note}" for note in notes]


def _put_together(
    database: Database,
    parts: Sequence[_TableCounts],
    votes: Sequence[Vote],
    progress: Progress | None,
) -> VoteCounts:
    kinds = pd.DataFrame(
        [(number, *kind) for number, part in enumerate(parts) for kind in part.kinds],
        columns=["part", "kind", "vote", "times"],
    ).astype({"kind": np.uint64})
    times = kinds.groupby("vote")["times"].sum()
    groups = int(np.clip(COUNTS // len(votes), FEWEST, MOST))
    named, about = _count_by_item(database, parts, kinds, groups, progress)
    itemless = sum((part.itemless for part in parts), Counter[tuple[int, ...]]())
    alone = _spread(itemless, len(votes), groups)
    is_grouped = about > groups or itemless.total() > groups
    there = named["item"].nunique()
    items = (about if about > groups else there) + itemless.total()
    alarms = [alarm for part in parts for alarm in part.list_alarms()]
    notes = [*alarms, *(note for part in parts for note in part.list_notes())]
    return VoteCounts(
        pd.DataFrame(votes, columns=pd.Index(VOTE)).assign(times=times),
        pd.concat([named, alone.assign(item=alone["item"] + there)]),
        items,
        has_unnamed_items=items == times.sum(),
        grouped=is_grouped,
        groups=groups,
        rows=sum(part.rows for part in parts),
        skipped=sum((part.skipped for part in parts), Counter[str]()),
        alarms=alarms,
        notes=list(dict.fromkeys(notes)),
    )


def _count_by_item(
    database: Database,
    parts: Sequence[_TableCounts],
    kinds: pd.DataFrame,
    groups: int,
    progress: Progress | None,
) -> tuple[pd.DataFrame, int]:
    """Votes by kind and item, of rows that name one, and about how many items there are; in groups
    where there are more.
    """
    rows = " UNION ALL ".join(part.list_items(number) for number, part in enumerate(parts))
    rows = f"(SELECT * FROM ({rows}) WHERE item IS NOT NULL)"
    few = f"SELECT DISTINCT item FROM {rows} LIMIT {groups + 1}"
    ((number, about),) = database.rows(
        f"SELECT count(*), (SELECT approx_count_distinct(item) FROM {rows}) FROM ({few})",
        progress,
        STAGE,
    )
    about = number if number <= groups else max(about, number)
    database.connection.register("kinds", kinds)
    item = "item" if about <= groups else f"item % {groups}"
    counted = database.frame(
        f"SELECT vote, {item} AS item, count(*) AS times FROM {rows} JOIN kinds USING (part, kind) "
        "GROUP BY ALL ORDER BY ALL",
        progress,
        STAGE,
    )
    frame = pd.DataFrame({name: np.ma.getdata(column) for name, column in counted.items()})
    return frame.assign(item=pd.factorize(frame["item"])[0]), about


def _spread(rows: Counter[tuple[int, ...]], votes: int, groups: int) -> pd.DataFrame:
    """Return the votes of so many rows, a row an item: each by itself, or in random groups where
    there are many.
    """
    table, begin = np.zeros((votes, groups), np.int32), 0
    draw, even = np.random.default_rng(0), np.full(groups, 1 / groups)
    is_few = rows.total() <= groups
    for places, times in rows.items():
        each = range(begin, begin + times)
        drawn = np.bincount(each, minlength=groups) if is_few else draw.multinomial(times, even)
        np.add.at(table, list(places), drawn)
        begin += times
    vote, item = table.nonzero()
    return pd.DataFrame({"vote": vote, "item": item, "times": table[vote, item]})
