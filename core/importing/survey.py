"""What files hold that can be imported: read to their end, every row checked, nothing written.

What they say is kept on disk meanwhile (`Spool`), until it is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from core.importing import files
from core.importing.choice import Chosen, Progress, choose, silent, with_nouns
from core.importing.conflicts import COUNTS, ContradictedError, Held, Known
from core.importing.detection import propose_reading
from core.importing.examples import RowSample, rows_in_words, sample_rows
from core.importing.files import Row, Skipped
from core.importing.layout import Dropped, Record, records_of
from core.importing.layouts import LAYOUTS
from core.importing.names import check_dataset, check_names
from core.importing.raters import RaterNames
from core.importing.reading import USUAL, Reading
from core.importing.repeats import Repeats
from core.importing.report import Noted, Report
from core.importing.source_rows import SourceRows
from core.importing.spool import Found, Spool, without_cycles
from core.importing.tally import Tally
from core.records import Dataset, TandemError, Vote, legible, setting
from core.store import Store

CHUNK = 1000  # rows kept, and later written, together
MOST_ROWS = 10_000_000  # of an import: what is known of them takes up to 300 bytes each
LISTED = 10_000  # rows of a file that are skipped and listed; more are counted
ENOUGH = 50_000  # rows after which a file of which next to none can be used is read no further
Refused = dict[str, tuple[Chosen, TandemError]]  # by the file's name
OVERALL = "overall"  # the attribute of files that name none


class Contradicted(Skipped):
    """A row that says something else than what is known already."""


@dataclass(frozen=True)
class Survey:
    """What the files hold that can be imported, read to their end."""

    files: Sequence[Chosen]
    dataset: Dataset
    held: Held
    skipped: list[Noted]
    unlisted: int  # that are skipped, too
    left_out: list[dict[str, str]]
    alarms: list[str]  # rows that are not used differ in who won
    warnings: list[str]
    examples: list[str]  # the first rows of the first file in words
    rows: int
    found: Spool
    digests: Mapping[str, str]  # file -> sha256
    readings: Mapping[str, Reading]  # file -> how it is read
    samples: list[RowSample]  # rows of the first file, as they are read

    def report(self, added: Mapping[str, int] | None = None) -> Report:
        """What was found and, where it was written, added."""
        return Report(
            dataset=self.dataset.name,
            layouts={file.name: file.layout for file in self.files},
            held=self.held.counts(),
            added={name: (added or {}).get(name, 0) for name in COUNTS},
            skipped=self.skipped,
            unlisted=self.unlisted,
            left_out=self.left_out,
            alarms=self.alarms,
            warnings=self.warnings,
            examples=self.examples,
            rows=self.rows,
        )


class _RefusedError(Exception):
    """Files that turned out unreadable on the way through them, or not worth it, and why."""

    def __init__(self, files: Refused) -> None:
        self.files = files


@dataclass
class _Checked:
    """What the reading of one file noted."""

    rows: int = 0
    usable: int = 0
    contradicted: int = 0
    skipped: list[Noted] = field(default_factory=list)
    unlisted: int = 0
    tally: Tally = field(default_factory=Tally)

    def skip(self, row: Noted) -> None:
        """Note a row that is skipped, or a part of one."""
        if len(self.skipped) < LISTED:
            self.skipped.append(row)
        else:
            self.unlisted += 1

    @property
    def hopeless(self) -> bool:
        """Whether so few rows of so many can be used that no more are read."""
        unusable = self.rows - self.usable - self.contradicted
        return self.rows == ENOUGH and unusable > 0.99 * ENOUGH

    def alarms(self) -> list[str]:
        """What must be said first: rows that are not used may differ in who won."""
        lost = self.rows - self.usable - self.contradicted
        return [*self.tally.alarms(), *self.tally.decisions.unread_alarms(self.rows, lost)]

    @property
    def mostly_skipped(self) -> bool:
        """Whether more rows cannot be used than can; what is kept of old does not count."""
        return self.rows - self.usable - self.contradicted > self.usable


def survey(
    store: Store,
    paths: Sequence[Path],
    dataset: Dataset,
    reading: Reading = USUAL,
    *,
    progress: Progress = silent,
    limit: int | None = None,
) -> Survey:
    """Read files to their end, or so many rows of each (`limit`), compared with what a store holds.
    Writes nothing.

    Of a folder, files that are in no layout or of which no row can be used are left out, with the
    reason. Raises TandemError when a file cannot be read, or one that was named itself cannot be
    used.
    """
    dataset = replace(dataset, name=dataset.name.strip())
    if not dataset.name:
        raise TandemError(f"the data set needs a name: give one with {setting('dataset')}")
    check_dataset(dataset.name)
    chosen, reasons = choose(store, paths, dataset, reading)
    if chosen:
        dataset = with_nouns(dataset, LAYOUTS[chosen[0].layout])
    held, checked, found = _checked(store, paths, dataset, (chosen, reasons), progress, limit)
    if not chosen:
        name, why = next(iter(reasons.items()))
        more = f", nor can {len(reasons) - 1} more" if len(reasons) > 1 else ""
        raise TandemError(f"nothing there can be imported: {why}{more}" if name else why)
    if not held.counts()["attributes"] and {
        attribute.name for attribute in store.datasets.attributes(dataset.name)
    } <= {OVERALL}:
        held.note([chosen[0].source.attribute(OVERALL)])
    left_out = [{"file": name, "reason": why} for name, why in reasons.items()]
    skipped = [row for note in checked.values() for row in note.skipped]
    unlisted = sum(note.unlisted for note in checked.values())
    tallies = {file.name: checked[file.name].tally for file in chosen}
    alarms = [legible(f"{name}: {alarm}") for name in tallies for alarm in checked[name].alarms()]
    warnings = [
        legible(f"{name}: {warning}") for name, of in tallies.items() for warning in of.warnings()
    ]
    warnings = list(dict.fromkeys([*alarms, *warnings]))  # what is said first stands once
    examples = rows_in_words(LAYOUTS[chosen[0].layout], chosen[0].source)
    rows = sum(note.rows for note in checked.values())
    digests = {file.name: files.sha256(file.source.path) for file in chosen}
    return Survey(
        chosen,
        dataset,
        held,
        skipped,
        unlisted,
        left_out,
        alarms,
        warnings,
        examples,
        rows,
        found,
        digests,
        {file.name: propose_reading(file.source.path, reading) for file in chosen},
        sample_rows(LAYOUTS[chosen[0].layout], chosen[0].source, limit),
    )


def _checked(
    store: Store,
    paths: Sequence[Path],
    dataset: Dataset,
    choice: tuple[list[Chosen], dict[str, str]],
    progress: Progress,
    limit: int | None,
) -> tuple[Held, dict[str, _Checked], Spool]:
    """What the files of a choice hold. Those that cannot be read or used are taken out of it, with
    the reasons, and the others are read anew: what they say may have stood in one of these before.
    """
    chosen, reasons = choice

    def leave_out(file: Chosen, why: TandemError) -> None:
        if file.source.path in paths:
            raise why from None
        reasons[file.name] = why.sentence
        chosen.remove(file)

    while True:
        held, found = Held(), Spool()
        try:
            with without_cycles():
                checked = _check(store, chosen, dataset.name, held, found, progress, paths, limit)
        except _RefusedError as refused:
            for file, error in refused.files.values():
                leave_out(file, error)
            continue
        unusable = [(file, why) for file in chosen if (why := _unusable(file, checked[file.name]))]
        if not unusable:
            return held, checked, found
        for file, why in unusable:
            leave_out(file, why)


def _check(
    store: Store,
    chosen: Sequence[Chosen],
    dataset: str,
    held: Held,
    found: Spool,
    progress: Progress,
    named: Sequence[Path],
    limit: int | None,
) -> dict[str, _Checked]:
    """Read every file to its end: by its name, which rows can be used and which cannot. Raises
    _RefusedError for all that could not be, at once for one that was `named` itself.
    """
    refused: Refused = {}
    checked = {file.name: _Checked() for file in chosen}
    places, lot = (
        SourceRows(store.datasets.origin(dataset), store.datasets.files(dataset)),
        list[Found](),
    )
    tallies = {name: note.tally for name, note in checked.items()}
    done = 0
    rows = _read(store, chosen, dataset, tallies, refused, limit)
    for done, (file, row, records) in enumerate(rows, start=1):
        note, where = checked[file.name], {"file": file.name} if len(chosen) > 1 else {}
        note.rows += 1
        if isinstance(row, Skipped):
            note.skip({**where, "row": row.number, "reason": legible(row.reason)})
            note.contradicted += isinstance(row, Contradicted)
        else:
            note.usable += 1
            held.note(records, once=LAYOUTS[file.layout].once)
            lot.append(places.found(file, row.number, records))
            for part in records:
                if isinstance(part, Dropped):
                    note.skip({**where, "row": row.number, "reason": legible(part.reason)})
        if note.hopeless:
            refused[file.name] = file, _few(file, note, "the first ")
        if any(one.source.path in named for one, _ in refused.values()):
            break
        if done > MOST_ROWS:
            raise TandemError(
                f"more than {MOST_ROWS:,} rows are not imported at once: import the files one "
                "after another, or parts of them"
            )
        if done % CHUNK == 0:
            found.keep(lot, done)
            lot = []
            progress("checking", done, 0)
    if refused:
        raise _RefusedError(refused)
    found.keep(lot, done)
    return checked


def _unusable(file: Chosen, checked: _Checked) -> TandemError | None:
    """Why a file cannot be imported, if so: none or few of its rows can be used, or most of its
    answers are in words that nobody knows.
    """
    name = file.source.path.name
    if checked.tally.mostly_unknown and not file.source.codes:
        return checked.tally.refusal(name)
    if checked.usable and not checked.mostly_skipped:
        return None
    if not checked.skipped:
        return TandemError(f"no row of {name} can be used (it has none)")
    why = _first_reason(checked)
    if checked.contradicted == len(checked.skipped) + checked.unlisted:
        return TandemError(
            f"{name} says something else of the same items ({why}): import it by itself, as "
            "a data set with another name"
        )
    if checked.usable:
        return _few(file, checked)
    return TandemError(f"no row of {name} can be used ({why})")


def _few(file: Chosen, checked: _Checked, of: str = "") -> TandemError:
    """Why a file is not imported of which most rows cannot be used, of all or of those read."""
    unusable = checked.rows - checked.usable
    return TandemError(
        f"{unusable:,} of {of}{checked.rows:,} rows of {file.source.path.name} cannot be used "
        f"({_first_reason(checked)}): nothing is imported where that many are lost"
    )


def _first_reason(checked: _Checked) -> str:
    return f"row {checked.skipped[0]['row']}: {checked.skipped[0]['reason']}"


def _read(
    store: Store,
    chosen: Sequence[Chosen],
    dataset: str,
    tallies: Mapping[str, Tally],
    refused: Refused,
    limit: int | None,
) -> Iterator[tuple[Chosen, Row | Skipped, list[Record]]]:
    """Each row of all files with those of its records that no row before it had, or why it is
    skipped. Votes are counted in the tally of their file. Of a file that is `refused` meanwhile, no
    more rows are read.
    """
    known, repeated = Known(store, dataset), Repeats()
    raters = RaterNames(store.judges.all()["judge"])
    for file in chosen:
        reader = LAYOUTS[file.layout].reader(
            replace(
                file.source,
                tally=tallies[file.name],
                sample_of=known.sample_of,
                item_of=known.item_of,
                has_item=known.has_item,
                has_context=known.has_context,
                has_text=known.has_text,
            )
        )
        for row in islice(files.rows(file.source.path), limit):
            if file.name in refused:
                break
            if isinstance(row, Skipped):
                yield file, row, []
                continue
            records = list[Record]()
            try:
                every = records_of(reader, row.number, row.cells)
                records = raters.spell(repeated.without(every))
                check_names(records)
                known.learn(records)
                repeated.tell(records)
            except ContradictedError as error:
                tallies[file.name].discount(each for each in records if isinstance(each, Vote))
                yield file, Contradicted(row.number, str(error)), []
            except ValueError as error:
                tallies[file.name].discount(each for each in records if isinstance(each, Vote))
                yield file, Skipped(row.number, str(error)), []
            except TandemError as error:
                refused[file.name] = file, error
            else:
                yield file, row, records
        tallies[file.name].notes.update(dict.fromkeys(raters.warnings()))
