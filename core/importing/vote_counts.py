"""Counts of each outcome in files of votes. The files are staged as `import` stages them, rows that
are alike once; nothing is stored.
"""

from __future__ import annotations

import glob
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from ..records import Dataset, Kind, TandemError
from ..store import Store
from . import files
from .alike_rows import CountedVotes, refuse_counting
from .choice import Progress, ignore_progress
from .database import literal
from .raters import RaterNames
from .reading import USUAL, Reading, Repeats
from .staged_votes import SIDES, find_revised
from .survey import Survey, survey

SOMEBODY = "-"
"""A judge whose name does not matter."""
FEWEST, MOST = 100, 2000
"""Groups into which items are put at random where there are more: fewer where there are many kinds
of vote, so that COUNTS of both together will do.
"""
COUNTS = 3_000_000
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


def count(
    paths: Sequence[str | Path],
    counted: CountedVotes | None = None,
    reading: Reading = USUAL,
    *,
    progress: Progress | None = None,
) -> VoteCounts:
    """Count the votes of files, folders or patterns, read as `import` reads them.

    Raises TandemError where import would refuse a file, and NotCountedError where only an import
    says which votes count, or what they are about.
    """
    wanted = counted or CountedVotes()
    with closing(Store(Path(":memory:"))) as store:
        found = survey(
            store, find_paths(paths), Dataset("votes"), reading,
            progress=progress or ignore_progress, counted=wanted,
        )  # fmt: skip
        try:
            return _Counter(found, wanted).count()
        finally:
            found.stage.close()


def find_paths(patterns: Iterable[str | Path]) -> list[Path]:
    """Return the files and folders meant by paths and patterns such as votes/*.parquet, each once.

    Raises TandemError where nothing matches.
    """
    every: dict[Path, None] = {}
    for pattern in map(str, patterns):
        if "://" in pattern:
            raise TandemError(
                f"{pattern[:80]!r} is an address; votes are counted in files: download it first"
            )
        is_path = Path(pattern).exists()
        paths = [pattern] if is_path else sorted(glob.glob(pattern, recursive=True))
        if not paths:
            raise TandemError(
                f"no file matches {pattern[:200]!r}; check the spelling and the folder you are in"
            )
        every.update(dict.fromkeys(map(Path, paths)))
    return list(every)


def expand(patterns: Iterable[str | Path]) -> list[Path]:
    """Return the files meant by paths, folders and patterns, each once."""
    return files.expand(find_paths(patterns))


class _Counter:
    def __init__(self, found: Survey, wanted: CountedVotes) -> None:
        self.found, self.wanted = found, wanted
        self.database, self.notes = found.stage.database, list[str]()
        self.alarms = list(found.report.alarms)
        self.item = "nullif(a.item, '')"
        judge = "coalesce(nullif(a.judge, ''), v.judge)"
        self.where = "NOT v.pending"
        if wanted.subset is not None:
            self.where += f""" AND v.nth IN (
                SELECT nth FROM entries WHERE subset = {literal(wanted.subset)})"""
        self.joined = f"votes v JOIN about a USING (file, row) WHERE {self.where}"
        self._check_items()
        self._check_judges(judge)
        self._leave_out_revised(judge)
        if wanted.items:
            self.joined += f" AND {self.item} IN ({_list(wanted.items)})"
        columns = {
            "judge": f"""CASE WHEN {judge} IN ({_list(wanted.judges)}) THEN {judge}
                WHEN a.judge <> '' THEN {literal(SOMEBODY)} ELSE v.judge END""",
            "kind": "judge_kind",
            "order_known": "order_known::INT",
            "failure": "nullif(failure, '')",
        }
        self.vote = [columns.get(name, name) for name in VOTE]

    def _check_items(self) -> None:
        """Check that items are named by their rows, and can be chosen by name. Raises TandemError,
        and NotCountedError for a sheet in which the first of several rows names their item.
        """
        named = self.database.rows(
            "SELECT file, count(*), count(nullif(item, '')) FROM about GROUP BY ALL"
        )
        sheets = {file for file, rows, full in named if rows > full >= 1 and full <= rows / 2}
        for file in self.found.files:
            if file.number in sheets or file.reads_more:
                raise refuse_counting(file.source)
        if self.wanted.items and not any("item" in file.fields for file in self.found.files):
            name = self.found.files[0].name
            raise TandemError(f"no column of {name} names items, so none can be chosen")

    def _check_judges(self, judge: str) -> None:
        """Check that names of judges can stay as they are. Raises NotCountedError."""
        first, names, kinds = self.found.files[0], RaterNames(()), dict[str, str]()
        listed = self.database.rows(
            f"SELECT DISTINCT a.judge, v.judge_kind FROM {self.joined} AND a.judge <> ''"
        )
        for name, kind in listed:
            try:
                is_same = names.spell_name(name, Kind(kind)) == name
            except ValueError:
                is_same = False
            if not is_same or name in tuple(Kind) or kinds.setdefault(name, kind) != kind:
                raise refuse_counting(first.source)
        self.notes += names.warnings()

    def _leave_out_revised(self, judge: str) -> None:
        """Leave out answers of which the same person gave another that counts, as `import` does."""
        repeats, database = self.found.reading.repeats, self.database
        files = {file.number: file for file in self.found.files if file.is_revisable}
        if not files or repeats is Repeats.ALL:
            return
        same = f"{self.item}, {judge}, sides"
        asked = f"""{self.joined} AND v.judge_kind = 'human' AND {self.item} IS NOT NULL
            AND a.file IN ({", ".join(map(str, files))})"""
        database.rows(
            f"""ALTER TABLE votes ADD COLUMN sides UBIGINT;
            UPDATE votes SET sides = hash(attribute, {SIDES});
            CREATE TABLE again AS SELECT hash({same}) AS question FROM {asked}
                GROUP BY question HAVING count(*) > 1;
            CREATE TABLE answers AS SELECT dense_rank() OVER (ORDER BY {same}) AS question,
                row_number() OVER (ORDER BY a.file, a.number) AS nth, a.file, a.number AS row,
                a.row AS staged, '' AS created_at
            FROM {asked} AND hash({same}) IN (FROM again)"""
        )
        several = "SELECT file, row AS staged FROM votes GROUP BY ALL HAVING count(*) > 1"
        if database.value(f"SELECT count(*) FROM answers JOIN ({several}) USING (file, staged)"):
            raise refuse_counting(self.found.files[0].source)
        for file in files.values():
            rows = database.rows(f"SELECT row FROM answers WHERE file = {file.number}")
            if rows and "created_at" in file.fields:
                times = file.read_times(row for (row,) in rows)
                database.add_table("times", {"row": pa.int64(), "moment": pa.string()}, times)
                database.rows(
                    f"""UPDATE answers SET created_at = t.moment FROM times t
                    WHERE answers.file = {file.number} AND t.row = answers.row"""
                )
        for number, count in find_revised(database, "answers", "question", repeats).items():
            file = files[number]
            sentence, differs = file.describe_revised(count, repeats, database)
            (self.alarms if differs else self.notes).append(f"{file.name}: {sentence}")
        database.rows(
            "DELETE FROM about a USING revised r WHERE r.file = a.file AND r.row = a.number"
        )

    def count(self) -> VoteCounts:
        """Count the votes by kind and item. Raises TandemError where there are none."""
        rows, report = self.database.rows, self.found.report
        keys = ", ".join(f"{each} AS {name}" for each, name in zip(self.vote, VOTE, strict=True))
        listed = rows(
            f"""SELECT {keys}, count(*), hash({", ".join(self.vote)}) FROM {self.joined}
            GROUP BY ALL ORDER BY ALL"""
        )
        if not listed:
            raise TandemError("there are no such votes in these files: choose fewer conditions")
        votes = pd.DataFrame(listed, columns=pd.Index([*VOTE, "times", "code"]))
        groups = int(np.clip(COUNTS // len(votes), FEWEST, MOST))
        named, alone = self._count_items(groups)
        of_items = self._count_by_item(votes["code"], groups, named > groups, alone > groups)
        reasons = rows(
            """SELECT reason, sum(coalesce(times, 1))::BIGINT FROM (
                SELECT file, row, min(reason) AS reason FROM skipped WHERE whole GROUP BY ALL)
            LEFT JOIN alike USING (file, row) GROUP BY ALL ORDER BY 1"""
        )
        skipped = Counter[str](dict(reasons))
        notes = [*self.alarms, *report.warnings, *self.notes]
        notes += [f"{each['file']} is left out: {each['reason']}" for each in report.left_out]
        for why, _ in skipped.most_common(1):
            notes.append(f"{skipped.total():,} of {report.rows:,} rows cannot be used ({why}).")
        return VoteCounts(
            votes.drop(columns="code"), of_items, named + alone,
            has_unnamed_items=not named and alone == votes["times"].sum(),
            grouped=max(named, alone) > groups, groups=groups, rows=report.rows, skipped=skipped,
            alarms=self.alarms, notes=list(dict.fromkeys(notes)),
        )  # fmt: skip

    def _count_items(self, groups: int) -> tuple[int, int]:
        named = f"(SELECT {self.item} AS item FROM {self.joined} AND {self.item} IS NOT NULL)"
        few = f"SELECT DISTINCT item FROM {named} LIMIT {groups + 1}"
        number, about = self.database.rows(
            f"SELECT count(*), (SELECT approx_count_distinct(item) FROM {named}) FROM ({few})"
        )[0]
        unnamed = f"""SELECT count(*) FROM about a
            SEMI JOIN (SELECT file, row FROM votes v WHERE {self.where}) USING (file, row)
            WHERE {self.item} IS NULL"""
        alone = 0 if self.wanted.items else self.database.value(unnamed)
        return number if number <= groups else max(about, number), alone

    def _count_by_item(
        self, codes: pd.Series, groups: int, are_grouped: bool, is_alone_grouped: bool
    ) -> pd.DataFrame:
        item, row = f"hash({self.item})", "hash(a.file, a.number)"
        named, alone = (
            f"{key} % {groups}" if is_grouped else key
            for key, is_grouped in ((item, are_grouped), (row, is_alone_grouped))
        )
        counted = self.database.frame(
            f"""SELECT hash({", ".join(self.vote)}) AS vote, {self.item} IS NULL AS alone,
                CASE WHEN {self.item} IS NULL THEN {alone} ELSE {named} END AS item,
                count(*) AS times FROM {self.joined} GROUP BY ALL ORDER BY ALL"""
        )
        frame = pd.DataFrame({name: np.ma.getdata(column) for name, column in counted.items()})
        votes = pd.Series(codes.index, codes)[frame["vote"]].to_numpy()
        items = frame.groupby(["alone", "item"]).ngroup()
        return pd.DataFrame({"vote": votes, "item": items, "times": frame["times"]})


def _list(names: Iterable[str]) -> str:
    return ", ".join(map(literal, names)) or "NULL"
