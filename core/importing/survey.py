"""What files hold that can be imported: read to their end into the staging tables, every row
checked, nothing written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from core.importing import attributes, files, staged_checks, staged_items, staged_votes
from core.importing.choice import Chosen, Progress, choose, silent, with_nouns
from core.importing.database import Database
from core.importing.entry import VOTE, Entry
from core.importing.examples import FIRST, TIE, RowSample, sample_rows
from core.importing.files import Row
from core.importing.layout import Source
from core.importing.layouts import LAYOUTS
from core.importing.names import check_dataset
from core.importing.raters import RaterNames
from core.importing.reading import USUAL, ItemsAre, Reading
from core.importing.report import COUNTS, Noted, Report
from core.importing.source_names import name_sources
from core.importing.stage import Stage, VoteKind
from core.importing.staged_times import decide_times
from core.importing.tally import Tally
from core.importing.vote_meanings import Decision, VoteMeanings
from core.moments import DateOrder
from core.records import Attribute, Dataset, Outcome, TandemError, legible, setting
from core.store import Store

MOST_ROWS = 10_000_000  # of an import
LISTED = 10_000  # rows of a file that are skipped and listed; more are counted
ENOUGH = 50_000  # rows after which a file of which next to none can be used is read no further
OVERALL = "overall"  # the attribute of files that name none


@dataclass
class StagedFile:
    """A file in the staging tables: its number there, its reader, and what was noted of it."""

    number: int
    file: Chosen
    reader: Any
    source: Source
    rows: int = 0
    items_are: ItemsAre | None = None
    dates: DateOrder | None = None
    meanings: VoteMeanings | None = None
    decided: dict[VoteKind, Decision] = field(default_factory=dict)
    skipped: int = 0  # rows
    contradicting: int = 0  # of these

    @property
    def usable(self) -> int:
        return self.rows - self.skipped

    @property
    def name(self) -> str:
        return self.source.path.name

    def complete_reading(self, given: Reading) -> Reading:
        """How the file is read, with all that it says or decided itself."""
        layout, items = LAYOUTS[self.file.layout], getattr(self.reader, "items", None)
        fields = dict(layout.matched(self.source)) if layout.matched else {}
        if items is not None and items.have_both and self.items_are is not ItemsAre.NAMES:
            fields.pop("item", None)
        systems = getattr(self.reader, "columns_of_systems", {})
        fields |= {f"system:{name}": column for name, column in systems.items()}
        return replace(
            given,
            layout=layout.name,
            mapping={**fields, **given.mapping},
            items=given.items or self.items_are,
            dates=given.dates or self.dates,
        )


@dataclass
class Survey:
    """What the files hold that can be imported. Its staging tables go with it."""

    dataset: Dataset
    paths: Sequence[Path]
    stage: Stage
    files: list[StagedFile]
    left_out: dict[str, str]
    reading: Reading
    held: dict[str, int]
    skipped: list[Noted]
    unlisted: int  # that are skipped, too
    alarms: list[str]  # rows that are not used differ in who won
    warnings: list[str]
    samples: list[RowSample]
    digests: Mapping[str, str]  # file -> sha256

    @property
    def readings(self) -> dict[str, Reading]:
        """How each file is read, as far as that is said or found."""
        return {file.file.name: file.complete_reading(self.reading) for file in self.files}

    @property
    def items_are(self) -> ItemsAre | None:
        """What tells items apart from now on; None where names and contexts come to the same."""
        every = [file.items_are for file in self.files if file.items_are]
        return self.reading.items or (
            ItemsAre.CONTEXTS if ItemsAre.CONTEXTS in every else next(iter(every), None)
        )

    @property
    def rows(self) -> int:
        """The rows that were read."""
        return sum(file.rows for file in self.files)

    def report(self, added: Mapping[str, int] | None = None) -> Report:
        """What was found and, where it was written, added."""
        return Report(
            dataset=self.dataset.name,
            layouts={file.file.name: file.file.layout for file in self.files},
            held=self.held,
            added={name: (added or {}).get(name, 0) for name in COUNTS},
            skipped=self.skipped,
            unlisted=self.unlisted,
            left_out=[{"file": name, "reason": why} for name, why in self.left_out.items()],
            alarms=self.alarms,
            warnings=self.warnings,
            examples=[sample.sentence for sample in self.samples if sample.why in (FIRST, TIE)],
            rows=self.rows,
        )


def survey(
    store: Store,
    paths: Sequence[Path],
    dataset: Dataset,
    reading: Reading = USUAL,
    *,
    progress: Progress = silent,
    limit: int | None = None,
) -> Survey:
    """Read files to their end, or so many rows of each, compared with what a store holds. Writes
    nothing.

    Of a folder, files that are in no layout or of which no row can be used are left out, with the
    reason. Raises TandemError when a file cannot be read, or one that was named itself cannot be
    used.
    """
    dataset = replace(dataset, name=dataset.name.strip())
    if not dataset.name:
        raise TandemError(f"the data set needs a name: give one with {setting('dataset')}")
    check_dataset(dataset.name)
    chosen, left_out = choose(store, paths, dataset, reading)
    if chosen:
        dataset = with_nouns(dataset, LAYOUTS[chosen[0].layout])
    work = _Work(store, dataset, reading, paths, chosen, left_out)
    try:
        work.read(chosen, progress, limit)
        return work.conclude(progress)
    except BaseException:
        work.stage.close()
        raise


class _Work:
    """A survey while it goes on."""

    def __init__(
        self,
        store: Store,
        dataset: Dataset,
        reading: Reading,
        paths: Sequence[Path],
        chosen: Sequence[Chosen],
        left_out: dict[str, str],
    ) -> None:
        self.store, self.dataset, self.reading = store, dataset, reading
        self.paths, self.left_out = paths, left_out
        self.stage = Stage(sum(file.source.path.stat().st_size for file in chosen))
        staged_votes.define_mark(self.stage.database)
        self.files: list[StagedFile] = []

    @property
    def database(self) -> Database:
        return self.stage.database

    def read(self, chosen: Sequence[Chosen], progress: Progress, limit: int | None) -> None:
        """Stage every row of the files that can be read, and decide what their winners and times
        mean.
        """
        done = 0
        for file in chosen:
            number = self.stage.begin_file()
            source = replace(file.source, tally=Tally())
            try:
                reader = LAYOUTS[file.layout].reader(source)
                staged = StagedFile(number, file, reader, source)
                for rows in self._stage_rows(staged, done, limit):
                    progress("reading", done + rows, 0)
                done += staged.rows
                self._decide(staged)
            except TandemError as error:
                self._leave_out(number, file, error)
            else:
                self.files.append(staged)
        progress("checking", done, done)

    def _stage_rows(self, staged: StagedFile, done: int, limit: int | None) -> Iterator[int]:
        """Stage the rows of a file; gives now and then how many were read."""
        stage, number, reader = self.stage, staged.number, staged.reader
        unusable = 0
        for row in staged.source.rows():
            if limit is not None and staged.rows == limit:
                break
            staged.rows += 1
            if not isinstance(row, Row):
                stage.skip_row(number, row.number, legible(row.reason))
                unusable += 1
            else:
                try:
                    entries = read_entries(reader, row)
                    stage.add_row(number, row.number, staged.source, entries)
                except ValueError as error:
                    lost = _read_lost(reader, row)
                    stage.skip_row(number, row.number, legible(str(error)), lost)
                    unusable += 1
            if staged.rows == ENOUGH and unusable > 0.99 * ENOUGH:
                stage.flush()
                staged.skipped = unusable
                raise self._few(staged, "the first ")
            if done + staged.rows > MOST_ROWS:
                raise TandemError(
                    f"more than {MOST_ROWS:,} rows are not imported at once: import the files one "
                    "after another, or parts of them"
                )
            if staged.rows % 1000 == 0:
                yield staged.rows
        late = reader.finish() if hasattr(reader, "finish") else ()
        for place, group in groupby(late, key=itemgetter(0)):
            try:
                stage.add_row(number, place, staged.source, [entry for _, entry in group])
            except ValueError as error:
                stage.skip_row(number, place, legible(str(error)))
        stage.flush()
        yield staged.rows

    def _decide(self, staged: StagedFile) -> None:
        """What the winners and times of a file mean, each by the whole of its column."""
        number = staged.number
        staged.dates = decide_times(self.database, number, staged.source)
        kinds, lost = self.stage.kinds[number], self.stage.lost[number]
        words = getattr(staged.reader, "words", None)
        meanings = VoteMeanings(staged.source, words, lambda: chain(kinds, lost))
        staged.meanings = meanings
        staged.decided = {kind: meanings.decide(kind) for kind in kinds}
        if hasattr(staged.reader, "items"):
            staged_items.strip_decimals(self.database, number)
        if words is not None and not words.believes_probability:
            self._check_probabilities(staged)

    def _check_probabilities(self, staged: StagedFile) -> None:
        """Raises TandemError where a probability is of the winner, say, not of the first system."""
        kinds = list(staged.decided.values())
        for sign, outcome in ((1, Outcome.A), (-1, Outcome.B)):
            meant = [place for place, said in enumerate(kinds) if said.outcome is outcome]
            against = meant and self.database.rows(
                f"""SELECT prob_a FROM entries WHERE file = {staged.number}
                AND {sign} * (prob_a - 0.5) < 0 AND coalesce(failure, '') = ''
                AND kind IN ({", ".join(map(str, meant))}) ORDER BY row LIMIT 1"""
            )
            if against:
                staged.reader.words.check_probability(outcome, against[0][0])

    def conclude(self, progress: Progress) -> Survey:
        """Check all rows together until every file that is left can be used."""
        while True:
            if not self.files:
                self._refuse_all()
            self._check()
            unusable = [(file, why) for file in self.files if (why := self._unusable(file))]
            if not unusable:
                return self._survey()
            for file, why in unusable:
                self._leave_out(file.number, file.file, why)
                self.files.remove(file)

    def _check(self) -> None:
        """Name items, judges and samples, and note what speaks against rows."""
        database, store, name = self.database, self.store, self.dataset.name
        database.rows("DELETE FROM skipped WHERE late")
        decided: list[list[tuple[VoteKind, Decision]]] = [[] for _ in self.stage.kinds]
        for file in self.files:
            decided[file.number] = list(file.decided.items())
        staged_votes.add_kinds(database, decided)
        raters = RaterNames(store.judges.all()["judge"])
        staged_checks.check_judges(database, store, raters)
        staged_items.load_known_items(database, store, name)
        self._name_items()
        if "context_id" in self.stage.filled:
            staged_checks.check_contexts(database)
        staged_checks.number_samples(self.stage, store, name)
        staged_checks.check_scores(self.stage, store, name)
        chosen = {file.number: file.file for file in self.files}
        sources = name_sources(store, name, chosen, len(self.stage.kinds))
        self._check_number_of_votes()
        revisable = [file.number for file in self.files if _is_revisable(file)]
        revised = staged_votes.collect_votes(self.stage, sources, self.reading.repeats, revisable)
        for file in self.files:
            self._count_skipped(file)
            staged_votes.fill_tally(database, file.number, file.source.tally, file.decided)
            self._count_lost(file)
            tally = file.source.tally
            tally.notes.update(dict.fromkeys(raters.warnings()))
            if revised.get(file.number):
                number = revised[file.number]
                answers = "1 answer was" if number == 1 else f"{number:,} answers were"
                tally.notes[
                    f"{answers} given once more by the same person: the {self.reading.repeats} of "
                    f"each counts; {setting('repeats')} all keeps every one"
                ] = None

    def _check_number_of_votes(self) -> None:
        """Raises TandemError where counts in cells stand for more votes than are imported."""
        votes = self.database.value("SELECT coalesce(sum(coalesce(times, 1)), 0) FROM entries")
        if votes > 2 * MOST_ROWS:
            raise TandemError(
                f"these files stand for {int(votes):,} votes, more than {2 * MOST_ROWS:,}: import "
                "a part of them"
            )

    def _name_items(self) -> None:
        database = self.database
        known = self.reading.items or self.store.datasets.items_are(self.dataset.name)
        by_context = []
        for file in self.files:
            items = getattr(file.reader, "items", None)
            if items is None:
                continue
            if getattr(items, "are_open", False):
                is_votes = hasattr(file.reader, "words")
                file.items_are, note = staged_items.decide_items(
                    database, file.number, ItemsAre(known) if known else None, is_votes=is_votes
                )
                if note:
                    file.source.tally.notes[note] = None
                if file.items_are is ItemsAre.CONTEXTS:
                    by_context.append(file.number)
                    if not known:
                        staged_items.check_contexts_meet(database, file.number, file.name)
            elif items.have_both:
                file.items_are = ItemsAre.NAMES  # a mapping said so
            elif known == ItemsAre.CONTEXTS and not self.reading.items:
                staged_items.check_names_meet(database, file.number, file.name)
        staged_items.name_items(self.stage, by_context)

    def _leave_out(self, number: int, file: Chosen, why: TandemError) -> None:
        if file.source.path in self.paths:
            raise why from None
        self.left_out[file.name] = why.sentence
        self.stage.drop_file(number)

    def _refuse_all(self) -> None:
        name, why = next(iter(self.left_out.items()))
        more = f", nor can {len(self.left_out) - 1} more" if len(self.left_out) > 1 else ""
        raise TandemError(f"nothing there can be imported: {why}{more}" if name else why)

    def _count_skipped(self, file: StagedFile) -> None:
        file.skipped, file.contradicting = self.database.rows(
            f"""SELECT count(*), count(*) FILTER (contradicts) FROM (
                SELECT row, bool_and(contradicts) AS contradicts FROM skipped
                WHERE file = {file.number} AND whole GROUP BY row)"""
        )[0]

    def _count_lost(self, file: StagedFile) -> None:
        """Count who won in rows that are skipped before they were staged."""
        for kind, times in self.stage.lost[file.number].items():
            try:
                decision = file.decided.get(kind) or file.meanings.decide(kind)  # type: ignore[union-attr]
            except TandemError:
                continue
            systems = kind.system_a, kind.system_b
            file.source.tally.add_decision(decision.outcome, systems, is_kept=False, times=times)

    def _unusable(self, file: StagedFile) -> TandemError | None:
        """Why a file cannot be imported, if so: none or few of its rows can be used, or most of its
        answers are in words that nobody knows.
        """
        if file.source.tally.mostly_unknown and not file.source.codes:
            return file.source.tally.refusal(file.name)
        lost = file.skipped - file.contradicting
        if file.usable and lost <= file.usable:
            return None
        if not file.skipped:
            return TandemError(f"no row of {file.name} can be used (it has none)")
        if file.contradicting == file.skipped:
            return TandemError(
                f"{file.name} says something else of the same items ({self._first(file)}): import "
                "it by itself, as a data set with another name"
            )
        if file.usable:
            return self._few(file)
        return TandemError(f"no row of {file.name} can be used ({self._first(file)})")

    def _few(self, file: StagedFile, of: str = "") -> TandemError:
        """Why a file is not imported of which most rows cannot be used, of all or of those read."""
        return TandemError(
            f"{file.skipped:,} of {of}{file.rows:,} rows of {file.name} cannot be used "
            f"({self._first(file)}): nothing is imported where that many are lost"
        )

    def _first(self, file: StagedFile) -> str:
        row, reason = self.database.rows(
            f"SELECT row, reason FROM skipped WHERE file = {file.number} ORDER BY row LIMIT 1"
        )[0]
        return f"row {row}: {reason}"

    def _survey(self) -> Survey:
        skipped, unlisted = self._list_skipped()
        alarms = [
            legible(f"{file.file.name}: {alarm}")
            for file in self.files
            for alarm in [
                *file.source.tally.alarms(),
                *file.source.tally.decisions.unread_alarms(
                    file.rows, file.skipped - file.contradicting
                ),
            ]
        ]
        several = [
            legible(f"{file.file.name}: {warning}")
            for file in self.files
            for warning in file.source.tally.warnings()
        ]
        shared = [
            *staged_items.describe_repeats(self.stage),
            *staged_items.describe_unmet(self.database),
            *self._describe_directions(),
        ]
        return Survey(
            dataset=self.dataset,
            paths=self.paths,
            stage=self.stage,
            files=self.files,
            left_out=self.left_out,
            reading=self.reading,
            held=self._count_held(),
            skipped=skipped,
            unlisted=unlisted,
            alarms=alarms,
            warnings=list(dict.fromkeys([*alarms, *several, *shared])),
            samples=sample_rows(self.database, self.files[0].number),
            digests={file.file.name: files.sha256(file.source.path) for file in self.files},
        )

    def _describe_directions(self) -> list[str]:
        """What is said of attributes whose lower scores may be better. Raises TandemError."""
        lower = self.reading.lower_is_better
        known = {each.name for each in self._known_attributes() if each.lower_is_better}
        rows = self.database.rows("SELECT DISTINCT attribute FROM scores ORDER BY attribute")
        scored = [name for (name,) in rows if name not in known or name in lower]
        return attributes.describe_directions(scored, lower)

    def _known_attributes(self) -> list[Attribute]:
        return self.store.datasets.attributes(self.dataset.name)

    def _list_skipped(self) -> tuple[list[Noted], int]:
        """The rows that are skipped, those of a file together, and how many more there are."""
        listed, unlisted = list[Noted](), 0
        for file in self.files:
            where = {"file": file.file.name} if len(self.files) > 1 else {}
            rows = self.database.rows(
                f"""SELECT row, reason FROM skipped WHERE file = {file.number} AND (NOT whole OR
                    rowid IN (SELECT min(rowid) FROM skipped s WHERE s.file = {file.number}
                    AND whole GROUP BY s.row)) ORDER BY row, whole LIMIT {LISTED}"""
            )
            listed += [{**where, "row": row, "reason": reason} for row, reason in rows]
            parts = self.database.value(
                f"SELECT count(*) FROM skipped WHERE file = {file.number} AND NOT whole"
            )
            unlisted += file.skipped + parts - len(rows)
        return listed, unlisted

    def _count_held(self) -> dict[str, int]:
        """What the files hold, each thing counted once."""
        once = any(LAYOUTS[file.file.layout].once for file in self.files)
        counted = dict(zip(COUNTS, self.database.rows(_HELD)[0], strict=True))
        if once:
            names = [file.number for file in self.files if LAYOUTS[file.file.layout].once]
            counted["judgements"] = self.database.value(
                _ONCE.format(files=", ".join(map(str, names)))
            )
        known = {attribute.name for attribute in self._known_attributes()}
        if not counted["attributes"] and known <= {OVERALL}:
            counted["attributes"] = 1
        return counted


_ASKED = "item, attribute, system_a, sample_a, system_b, sample_b"
_HELD = f"""SELECT
    (SELECT count(DISTINCT n.item) FROM named n JOIN entries e USING (file, row, part)
        WHERE {staged_checks.USED}),
    (SELECT count(DISTINCT system) FROM sides e WHERE {staged_checks.USED}),
    (SELECT count(DISTINCT (item, system, sample)) FROM sides e
        WHERE text_id IS NOT NULL AND {staged_checks.USED}),
    (SELECT count(DISTINCT attribute) FROM (SELECT attribute FROM votes UNION ALL
        SELECT attribute FROM scores)),
    (SELECT count(DISTINCT (item, system, sample, attribute, judge, trial)) FROM scores),
    (SELECT count(DISTINCT judge) FROM (SELECT judge FROM votes WHERE NOT pending UNION ALL
        SELECT judge FROM scores)),
    (SELECT count(DISTINCT ({_ASKED})) FROM votes),
    (SELECT count(*) FROM votes WHERE NOT pending)"""
_ONCE = f"""SELECT count(*) FILTER (file NOT IN ({{files}})) + count(DISTINCT (judge, {_ASKED}))
    FILTER (file IN ({{files}})) FROM votes WHERE NOT pending"""


def read_entries(reader: Any, row: Row) -> list[Entry]:
    """The entries of a row. Raises ValueError with the reason to skip it, also where something in
    it is of a kind that its layout never has there, as a list instead of a name.
    """
    try:
        return list(reader.entries(row.number, row.cells))
    except (TypeError, AttributeError, LookupError, ArithmeticError) as error:
        raise ValueError(
            "something in it is not as its layout has it: compare it with other rows"
        ) from error


def _read_lost(reader: Any, row: Row) -> list[Entry]:
    """The votes of a row that is skipped, as far as it says who won."""
    if not hasattr(reader, "decisions"):
        return []
    try:
        return [entry for entry in reader.decisions(row.cells) if entry["sort"] == VOTE]
    except (ValueError, TandemError, TypeError, AttributeError, LookupError):
        return []


def _is_revisable(file: StagedFile) -> bool:
    """Whether the same person answering again in a file revises an answer: unless it numbers
    trials, or holds every answer once.
    """
    columns = {column.casefold() for column in file.source.columns}
    fields = getattr(file.reader, "fields", ())
    return "judge" in fields and "trial" not in columns and not LAYOUTS[file.file.layout].once
