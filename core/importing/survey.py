"""Survey of what files hold that can be imported. The files are read to their end into the
staging tables, each row is checked, and nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..records import Dataset, TandemError, option_ref, sanitize_line
from ..store import Store, check_dataset_name
from . import attributes, files, staged_checks, staged_items, staged_votes
from .alike_rows import ABOUT, CountedVotes, NotCountedError
from .choice import Progress, choose, ignore_progress
from .layout import TableReader
from .raters import RaterNames
from .reading import USUAL, ItemsAre, Reading
from .report import (
    COUNTS,
    MOST_VALUES,
    ImportReport,
    RowSample,
    WinnerValue,
    count_contents,
    list_skipped,
    list_winner_values,
    sample_rows,
)
from .stage import Stage
from .staged_file import StagedFile
from .text_formats import FoundFormat, find_staged_format

MOST_ROWS = 10_000_000  # of an import


def survey(
    store: Store,
    paths: Sequence[Path],
    dataset: Dataset,
    reading: Reading = USUAL,
    *,
    progress: Progress = ignore_progress,
    limit: int | None = None,
    counted: CountedVotes | None = None,
) -> Survey:
    """Read files to their end, or `limit` rows of each, and compare them with a store. With
    `counted`, votes that are alike are staged once, and `about` says which rows they stand for.

    Writes nothing. Files of a folder that have no layout or no usable row are left out, with the
    reason. Raises TandemError when a file cannot be read, or when one that was named itself cannot
    be used; NotCountedError for `counted` votes that have to be compared.
    """
    dataset = replace(dataset, name=dataset.name.strip())
    if not dataset.name:
        raise TandemError(f"the data set needs a name: give one with {option_ref('dataset')}")
    check_dataset_name(dataset.name)
    chosen, left_out = choose(paths, reading)
    if chosen:  # the layout's nouns, where the person who imports named none
        names = ("context_noun", "candidate_noun")
        for name, noun in zip(names, chosen[0].layout.nouns, strict=True):
            if getattr(dataset, name) == getattr(Dataset(dataset.name), name):
                dataset = replace(dataset, **{name: noun})
    is_counted, size = counted is not None, sum(file.source.path.stat().st_size for file in chosen)
    stage = Stage(size, is_counted=is_counted)
    found = Survey(store, dataset, paths, reading, stage, chosen, left_out, is_counted)
    try:
        if counted:
            stage.database.add_table("about", ABOUT)
            for file in chosen:
                file.count_alike(counted, stage.database)
        found.read(progress, limit)
        found.check()
    except BaseException:
        stage.close()
        raise
    return found


@dataclass
class Survey:
    """Survey of what the files hold that can be imported, compared with what a store holds. Its
    staging tables go with it.
    """

    store: Store
    dataset: Dataset
    paths: Sequence[Path]
    reading: Reading
    stage: Stage
    files: list[StagedFile]
    left_out: dict[str, str]
    is_counted: bool = False
    samples: list[RowSample] = field(init=False)
    winners: list[WinnerValue] = field(init=False)
    found_format: FoundFormat = field(init=False)
    report: ImportReport = field(init=False)
    """What was found, with nothing added yet."""

    @property
    def readings(self) -> dict[str, Reading]:
        """Return the reading of each file, as far as it is said or found."""
        return {file.name: file.complete_reading(self.reading) for file in self.files}

    @property
    def items_are(self) -> ItemsAre | None:
        """Kind of key that distinguishes items from now on; None if names and contexts give the
        same items.
        """
        if self.reading.items:
            return self.reading.items
        every = {file.items_are for file in self.files}
        return next((each for each in (ItemsAre.CONTEXTS, ItemsAre.NAMES) if each in every), None)

    @property
    def digests(self) -> dict[str, str]:
        """The sha256 of each file."""
        return {file.file_name: files.sha256(file.source.path) for file in self.files}

    def read(self, progress: Progress, limit: int | None) -> None:
        """Stage every row of the files that can be read, and decide what their winners and times
        mean.
        """
        staged_votes.define_mark(self.stage.database)
        rows = read = 0
        size = sum(file.source.megabytes for file in self.files)
        for file in list(self.files):
            self.stage.begin_file()
            try:
                for megabytes in file.stage_rows(self.stage, limit):
                    if rows + file.rows > MOST_ROWS and not self.is_counted:
                        raise TandemError(
                            f"more than {MOST_ROWS:,} rows are not imported at once: import the "
                            "files one after another, or parts of them"
                        )
                    progress("reading, MB", read + megabytes, size)
                rows += file.rows
                read += file.source.megabytes
                file.decide_meanings(self.stage)
            except TandemError as error:
                self._leave_out(file, error)
        progress("checking", rows, 0)
        if self.is_counted:
            self.stage.database.rows(
                """CREATE TABLE alike AS
                SELECT file, row, count(*) AS times FROM about GROUP BY ALL;
                UPDATE entries SET times = a.times FROM alike a
                WHERE a.file = entries.file AND a.row = entries.row"""
            )

    def check(self) -> None:
        """Check all rows together until every file that is left can be used."""
        database = self.stage.database
        while self.files:
            self._check_rows()
            faults = [(file, why) for file in self.files if (why := file.find_fault(database))]
            if self.files and not faults:
                self._describe()
                return
            for file, why in faults:
                self._leave_out(file, why)
        first, *others = self.left_out.values()
        more = f", nor can {len(others)} more" if others else ""
        raise TandemError(f"nothing there can be imported: {first}{more}")

    def _leave_out(self, file: StagedFile, why: TandemError) -> None:
        if file.source.path in self.paths or isinstance(why, NotCountedError):
            raise why from None
        self.left_out[file.name] = why.sentence
        self.stage.drop_file(file.number)
        self.files.remove(file)

    def _check_rows(self) -> None:
        stage, store, name = self.stage, self.store, self.dataset.name
        database, raters = stage.database, RaterNames(store.judges.load_all()["judge"])
        database.rows("DELETE FROM skipped WHERE late")
        decided = {file.number: list(file.decided.items()) for file in self.files}
        numbers = range(len(stage.kinds))
        staged_votes.add_kinds(database, [decided.get(number, []) for number in numbers])
        staged_checks.check_judges(database, store, raters)
        staged_items.load_known_items(database, store, name)
        self._name_items()
        if not self.files:
            return
        if "context_id" in stage.filled:
            staged_checks.check_contexts(database)
        staged_checks.number_samples(stage, store, name)
        staged_checks.check_scores(stage, store, name)
        self._check_number_of_votes()
        revisable = [file.number for file in self.files if file.is_revisable]
        sources = name_sources(store, name, self.files, len(numbers))
        revised = staged_votes.collect_votes(
            stage, sources, self.reading.repeats, revisable, is_counted=self.is_counted
        )
        for file in self.files:
            tally = file.source.tally
            staged_votes.fill_tally(stage, file.number, tally, file.decided)
            file.count_rows(database)
            tally.notes.update(dict.fromkeys(raters.warnings()))
            if number := revised.get(file.number):
                repeats = self.reading.repeats
                sentence, differs = file.describe_revised(number, repeats, database)
                (tally.first if differs else tally.notes)[sentence] = None

    def _check_number_of_votes(self) -> None:
        every = "SELECT coalesce(sum(coalesce(times, 1)), 0) FROM entries"
        votes = self.stage.database.value(every)
        if votes > 2 * MOST_ROWS and not self.is_counted:
            raise TandemError(
                f"these files stand for {int(votes):,} votes, more than {2 * MOST_ROWS:,}: import "
                "a part of them"
            )

    def _name_items(self) -> None:
        database = self.stage.database
        earlier = {Path(each).name for each in self.store.datasets.files(self.dataset.name)}
        for file in list(self.files):
            try:
                self._decide_items(file, is_known=file.source.path.name in earlier)
            except TandemError as error:
                self._leave_out(file, error)
        by_context = [file.number for file in self.files if file.items_are is ItemsAre.CONTEXTS]
        row_names = {
            file.number: staged_items.find_row_names(
                database, _as_text(file.name), is_known=file.source.path.name in earlier
            )
            for file in self.files
        }
        for file in self.files:
            named = file.fields.get("item") if isinstance(file.reader, TableReader) else None
            name, has_rows = file.source.path.name, row_names[file.number][1]
            if named and has_rows and name in earlier and "item" not in file.source.mapping:
                staged_items.check_older_rows(database, file.number, name, named)
        staged_items.name_items(self.stage, by_context, row_names)
        is_alone = self.is_counted or (
            len(self.files) == 1 and not database.value("SELECT count(*) FROM known_items")
        )
        for file in self.files:
            notes = staged_items.describe_own_items(database, file.number, is_alone=is_alone)
            file.source.tally.notes.update(dict.fromkeys(notes))

    def _decide_items(self, file: StagedFile, *, is_known: bool) -> None:
        database, said = self.stage.database, self.reading.items
        known = said or self.store.datasets.items_are(self.dataset.name)
        reader, name = file.reader, file.source.path.name
        if reader.may_choose_items:
            is_votes = reader.words is not None
            file.items_are, note = staged_items.decide_items(
                database, file.number, ItemsAre(known) if known else None, is_votes=is_votes
            )
            if note:
                file.source.tally.notes[note] = None
            if file.items_are is ItemsAre.CONTEXTS and not known:
                staged_items.check_contexts_meet(database, file.number, name)
        elif reader.has_names_and_contexts:
            file.items_are = ItemsAre.NAMES  # a mapping said so
        elif reader.has_items and known == ItemsAre.CONTEXTS and not said:
            staged_items.check_names_meet(database, file.number, name)
        if reader.prompt:
            staged_items.check_older_contexts(database, file.number, file.source, reader)
        if not isinstance(reader, TableReader):
            return
        fields = reader.fields
        if "attribute" in fields and is_known:
            column = fields.columns["attribute"]
            attributes = [each.name for each in self.store.datasets.attributes(self.dataset.name)]
            staged_items.check_older_attribute(
                database, file.source, file.number, column, attributes
            )
        is_named = "item" in fields and file.items_are is not ItemsAre.CONTEXTS
        is_guessed = "subset" in fields and "subset" not in file.source.mapping
        if is_guessed and (is_named or "context" in fields) and not file.alike:
            staged_items.check_subsets(
                database, file.number, name, fields.columns, is_named=is_named
            )

    def _list_interchanged(self) -> Iterator[str]:
        files = {file.number: file for file in self.files if file.is_open_in_order}
        if len(files) < 2:
            return
        for first, second, count in staged_votes.find_interchanged(
            self.stage.database, list(files), is_counted=self.is_counted
        ):
            asked = "1 question is" if count == 1 else f"{count:,} questions are"
            yield sanitize_line(
                f"{files[second].name}: {asked} also answered in {files[first].name}, by the same "
                "judge and with the two systems interchanged: both answers count. Import one of "
                "the two files if the answers are the same"
            )

    def _describe(self) -> None:
        database = self.stage.database
        alarms, warnings = list[str](), list[str]()
        for file in self.files:
            tally = file.source.tally
            lost = file.skipped - file.contradicting  # for their own content alone
            unread = tally.decisions.unread_alarms(file.rows, lost)
            alarms += [
                sanitize_line(f"{file.name}: {alarm}") for alarm in [*tally.alarms(), *unread]
            ]
            warnings += [sanitize_line(f"{file.name}: {warning}") for warning in tally.warnings()]
        warnings += staged_items.describe_repeats(self.stage)
        warnings += staged_items.describe_alike_systems(database)
        warnings += staged_items.describe_unmet(database)
        warnings += self._list_interchanged()
        known = self.store.datasets.attributes(self.dataset.name)
        warnings += attributes.describe_directions(
            [name for (name,) in database.rows("SELECT DISTINCT attribute FROM scores ORDER BY 1")],
            {attribute.name for attribute in known if attribute.lower_is_better},
            self.reading.lower_is_better,
        )
        skipped, unlisted = list_skipped(database, self.files)
        self.found_format = find_staged_format(self.stage)
        self.winners = list_winner_values(database, self.files)
        self.samples = sample_rows(database, self.files[0].number)
        self.report = ImportReport(
            dataset=self.dataset.name,
            layouts={file.name: file.layout.name for file in self.files},
            counts=count_contents(database, self.files, known),
            added=dict.fromkeys(COUNTS, 0),
            skipped=skipped,
            unlisted=unlisted,
            left_out=[{"file": name, "reason": why} for name, why in self.left_out.items()],
            alarms=alarms,
            warnings=list(dict.fromkeys([*alarms, *warnings])),
            examples=[sample.sentence for sample in self.samples if not sample.is_odd],
            rows=sum(file.rows for file in self.files),
            winners=[value.document() for value in self.winners[:MOST_VALUES]],
            columns=[use.document() for file in self.files for use in file.list_columns()],
            text_format=self.found_format.text_format if self.found_format.text else "",
            looks=self.found_format.describe(),
        )


def name_sources(
    store: Store, dataset: str, chosen: Sequence[StagedFile], count: int
) -> Sequence[tuple[str, str]]:
    """Return two names for each of `count` files, by its number.

    The first is the name its votes are known by, the second that for counting votes of equal
    content.

    A vote is known by its data set and file name, its content, and how often that came before; not
    by its row's number, nor by other cells of the row. So a file that has grown, was corrected in
    one row, or now has texts too adds only what is new. A file that is the same as an earlier one
    goes by that one's name. Where a layout's files hold each answer once
    (`Layout.is_answered_once`), its name replaces the file's: a sample of a table adds nothing to
    it.
    """
    origin, earlier = store.datasets.origin(dataset), dict[str, str]()
    for name, fingerprint in store.datasets.files(dataset).items():
        earlier.setdefault(fingerprint, Path(name).name)
    names = [("", "")] * count
    for file in chosen:
        own = file.source.path.name
        name = (earlier and earlier.get(files.sha256(file.source.path))) or own
        once = file.layout.is_answered_once
        sources = f"{origin}/{file.layout.name if once else name}", file.name if once else name
        sheet = f"#{file.source.rater}" * bool(file.source.rater)  # the same row in another sheet
        names[file.number] = _as_text(sources[0] + sheet), _as_text(sources[1])
    return names


def _as_text(name: str) -> str:
    return name.encode(errors="surrogateescape").decode(errors="replace")
