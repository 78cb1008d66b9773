"""Files -> store: recognise the layout, check every row, then write. Importing the same file again
adds nothing twice.

Files are read to their end before anything is written: one that cannot be read, or of which no row
can be used, leaves the store as it was. What they say is kept on disk meanwhile (`Spool`), and then
written in short transactions, so people can annotate meanwhile, and an import that was killed is
finished by repeating it.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

from core.importing import files
from core.importing.cells import digest
from core.importing.codes import Codes
from core.importing.conflicts import COUNTS, ContradictedError, Held, Known
from core.importing.detection import recognise
from core.importing.examples import rows_in_words
from core.importing.files import Row, Skipped
from core.importing.layout import (
    Dropped,
    Layout,
    Record,
    Source,
    UnrecognisedError,
    records_of,
)
from core.importing.layouts import LAYOUTS
from core.importing.names import check_dataset, check_names
from core.importing.raters import check_kinds, raters_of
from core.importing.repeats import Repeats
from core.importing.spool import Found, Spool, without_cycles
from core.importing.tally import Tally
from core.pairing import open_default
from core.records import (
    Attribute,
    Dataset,
    Generation,
    Item,
    JudgeSpec,
    Kind,
    Score,
    SourceRow,
    System,
    TandemError,
    Vote,
    legible,
    setting,
    spoken,
)
from core.store import Store

CHUNK = 1000  # rows a transaction
OVERALL = "overall"  # the attribute of files that name none
_ROW = re.compile("row-[0-9].*", re.DOTALL)  # the item of a vote that came without


Noted = dict[str, object]
"""A row that is skipped, or a part of one: its place, and the reason."""


@dataclass(frozen=True)
class Report:
    """What an import found and did. The reasons may name settings: see `told`."""

    dataset: str
    layouts: dict[str, str]
    held: dict[str, int]
    added: dict[str, int]
    skipped: list[Noted]
    left_out: list[dict[str, str]]
    warnings: list[str]
    examples: list[str]
    rows: int

    def document(self) -> dict[str, object]:
        """As one document, for scripts."""
        return {
            "dataset": self.dataset,
            **self.held,
            "added": self.added,
            "skipped": self.skipped,
            "layouts": self.layouts,
            "left_out": self.left_out,
            "warnings": self.warnings,
            "examples": self.examples,
        }

    def told(self, called: Callable[[str], str]) -> Report:
        """The same with every setting in its reasons called by its name at a door."""
        return replace(
            self,
            skipped=[{**row, "reason": spoken(str(row["reason"]), called)} for row in self.skipped],
            left_out=[{**file, "reason": spoken(file["reason"], called)} for file in self.left_out],
            warnings=[spoken(warning, called) for warning in self.warnings],
        )


Progress = Callable[[str, int, int], None]
"""`progress(stage, rows done, of)` is called as an import goes; `of` is 0 when not known."""


def _silent(stage: str, done: int, of: int) -> None:
    pass


class Reading(TypedDict, total=False):
    """How files are to be read, where it is not left to them."""

    layout: str  # "auto" = each file's own
    mapping: Mapping[str, str]
    kind: Kind | None  # of those who gave votes or scores, where the file does not say
    kinds: Mapping[str, Kind]  # of raters by name, who are of another kind
    codes: Codes  # what the values of a winner column mean, where they do not say it themselves
    systems: Sequence[str]  # their names, in the file's order, where it has none
    progress: Progress


@dataclass(frozen=True)
class Chosen:
    """A file that is imported: its name among the others, and what it is read as."""

    name: str
    layout: str
    source: Source


class Contradicted(Skipped):
    """A row that says something else than what is known already."""


@dataclass(frozen=True)
class Survey:
    """What the files hold that can be imported, read to their end."""

    files: Sequence[Chosen]
    dataset: Dataset
    held: Held
    skipped: list[Noted]
    left_out: list[dict[str, str]]
    warnings: list[str]
    examples: list[str]  # the first rows of the first file in words
    rows: int
    found: Spool
    digests: Mapping[str, str]  # file -> sha256

    def report(self, added: Mapping[str, int] | None = None) -> Report:
        """What was found and, where it was written, added."""
        return Report(
            dataset=self.dataset.name,
            layouts={file.name: file.layout for file in self.files},
            held=self.held.counts(),
            added={name: (added or {}).get(name, 0) for name in COUNTS},
            skipped=self.skipped,
            left_out=self.left_out,
            warnings=self.warnings,
            examples=self.examples,
            rows=self.rows,
        )


class _RefusedError(Exception):
    """A file that turned out unreadable on the way through it."""

    def __init__(self, file: Chosen, error: TandemError) -> None:
        self.file, self.error = file, error


@dataclass
class _Checked:
    """What the reading of one file noted."""

    rows: int = 0
    usable: int = 0
    contradicted: int = 0
    skipped: list[Noted] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)

    @property
    def mostly_skipped(self) -> bool:
        """Whether more rows cannot be used than can; what is kept of old does not count."""
        return self.rows - self.usable - self.contradicted > self.usable


def load(store: Store, paths: Sequence[Path], dataset: Dataset, **how: Unpack[Reading]) -> Report:
    """Import files into one data set: a survey, then the writing."""
    return write(store, survey(store, paths, dataset, **how), progress=how.get("progress", _silent))


def survey(store: Store, paths: Sequence[Path], dataset: Dataset, **how: Unpack[Reading]) -> Survey:
    """Read files to their end, compared with what a store holds. Writes nothing.

    Of a folder, files that are in no layout or of which no row can be used are left out, with the
    reason. Raises TandemError when a file cannot be read, or one that was named itself cannot be
    used.
    """
    dataset = replace(dataset, name=dataset.name.strip())
    if not dataset.name:
        raise TandemError(f"the data set needs a name: give one with {setting('dataset')}")
    check_dataset(dataset.name)
    chosen, reasons = _choose(store, paths, dataset, how)
    if chosen:
        dataset = _with_nouns(dataset, LAYOUTS[chosen[0].layout])
    held, checked, found = _checked(store, paths, dataset, (chosen, reasons), how)
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
    warnings = [
        legible(f"{file.name}: {warning}")
        for file in chosen
        for warning in checked[file.name].tally.warnings()
    ]
    examples = rows_in_words(LAYOUTS[chosen[0].layout], chosen[0].source)
    rows = sum(note.rows for note in checked.values())
    digests = {file.name: files.sha256(file.source.path) for file in chosen}
    return Survey(
        chosen, dataset, held, skipped, left_out, warnings, examples, rows, found, digests
    )


def _checked(
    store: Store,
    paths: Sequence[Path],
    dataset: Dataset,
    choice: tuple[list[Chosen], dict[str, str]],
    how: Reading,
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
                checked = _check(
                    store, chosen, dataset.name, held, found, how.get("progress", _silent)
                )
        except _RefusedError as refused:
            leave_out(refused.file, refused.error)
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
) -> dict[str, _Checked]:
    """Read every file to its end: by its name, which rows can be used and which cannot."""
    checked = {file.name: _Checked() for file in chosen}
    known_as, lot = store.datasets.origin(dataset), list[Found]()
    occurrences = defaultdict[str, Counter[int]](Counter)
    tallies = {name: note.tally for name, note in checked.items()}
    for done, (file, row, records) in enumerate(_read(store, chosen, dataset, tallies), start=1):
        note, where = checked[file.name], {"file": file.name} if len(chosen) > 1 else {}
        note.rows += 1
        if isinstance(row, Skipped):
            note.skipped.append({**where, "row": row.number, "reason": legible(row.reason)})
            note.contradicted += isinstance(row, Contradicted)
        else:
            note.usable += 1
            once, name = LAYOUTS[file.layout].once, file.source.path.name
            held.note(records, once=once)
            origin = f"{known_as}/{file.layout if once else name}"
            seen = occurrences[file.name if once else name]
            lot.append(_traced(records, origin, row, seen))
            note.skipped += [
                {**where, "row": row.number, "reason": legible(part.reason)}
                for part in records
                if isinstance(part, Dropped)
            ]
        if done % CHUNK == 0:
            found.keep(lot)
            lot = []
            progress("checking", done, 0)
    found.keep(lot)
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
    why = f"row {checked.skipped[0]['row']}: {checked.skipped[0]['reason']}"
    if checked.contradicted == len(checked.skipped):
        return TandemError(
            f"{name} says something else of the same items ({why}): import it by itself, as "
            "a data set with another name"
        )
    if checked.usable:
        unusable = checked.rows - checked.usable
        return TandemError(
            f"{unusable:,} of {checked.rows:,} rows of {name} cannot be used ({why}): nothing is "
            "imported where that many are lost"
        )
    return TandemError(f"no row of {name} can be used ({why})")


def write(store: Store, survey: Survey, *, progress: Progress = _silent) -> Report:
    """What a survey found goes into a store, in short transactions."""
    with store.connection.many_writes(), without_cycles():
        return survey.report(_write(store, survey, progress))


def examples(store: Store, path: Path, dataset: Dataset, **how: Unpack[Reading]) -> list[str]:
    """Up to three rows of a file in words, as `load` would read them. Raises TandemError where it
    would refuse the file for what stands in these rows.
    """
    (file,), _ = _choose(store, [path], dataset, how)
    return rows_in_words(LAYOUTS[file.layout], file.source)


def _choose(
    store: Store, paths: Sequence[Path], dataset: Dataset, how: Reading
) -> tuple[list[Chosen], dict[str, str]]:
    """The files to read, and by name why others of a folder are not."""
    mapping, kind = how.get("mapping") or {}, how.get("kind")
    codes, systems = how.get("codes", Codes()), tuple(how.get("systems", ()))
    names = _names(files.expand(paths))
    chosen, reasons, there = list[Chosen](), dict[str, str](), list[str]()
    for path, name in names.items():
        try:
            recognised = recognise(
                path,
                layout=how.get("layout", "auto"),
                mapping=mapping,
                codes=codes,
                systems=systems,
                kind=kind,
            )
            layout = LAYOUTS[recognised.layout]
            nouns = _with_nouns(dataset, layout)
            source = Source(
                path,
                recognised.columns,
                mapping,
                kind or layout.kind,
                nouns.context_noun,
                nouns.candidate_noun,
                codes,
                systems,
                how.get("kinds", {}),
                tuple(store.datasets.systems(dataset.name)),
            )
            layout.reader(source)
        except UnrecognisedError as error:
            if path in paths:
                raise
            reasons[name] = error.sentence
        else:
            chosen.append(Chosen(name, layout.name, source))
            there += raters_of(recognised.fields)
    check_kinds(how.get("kinds", {}), there)
    return chosen, reasons


def _names(paths: Sequence[Path]) -> dict[Path, str]:
    """Each file's name, with as much of its folders as tells it from the others."""
    names, depth = dict[Path, str](), 1
    left = list(paths)
    while left:
        short = {path: "/".join(path.parts[-depth:]) for path in left}
        count = Counter(short.values())
        names.update(
            {
                path: name
                for path, name in short.items()
                if count[name] == 1 or depth > len(path.parts)
            }
        )
        left = [path for path in left if path not in names]
        depth += 1
    return {path: names[path] for path in paths}


def _with_nouns(dataset: Dataset, layout: Layout) -> Dataset:
    """The nouns of the layout, where the person importing did not name any."""
    default = Dataset(dataset.name)
    context, candidate = layout.nouns
    return replace(
        dataset,
        context_noun=context
        if dataset.context_noun == default.context_noun
        else dataset.context_noun,
        candidate_noun=candidate
        if dataset.candidate_noun == default.candidate_noun
        else dataset.candidate_noun,
    )


def _read(
    store: Store,
    chosen: Sequence[Chosen],
    dataset: str,
    tallies: Mapping[str, Tally],
) -> Iterator[tuple[Chosen, Row | Skipped, list[Record]]]:
    """Each row of all files with those of its records that no row before it had, or why it is
    skipped. Votes are counted in the tally of their file.
    """
    known, repeated = Known(store, dataset), Repeats()
    for file in chosen:
        reader = LAYOUTS[file.layout].reader(
            replace(
                file.source,
                tally=tallies[file.name],
                texts=known.texts,
                item_of=known.item_of,
                has_item=known.has_item,
            )
        )
        for row in files.rows(file.source.path):
            if isinstance(row, Skipped):
                yield file, row, []
                continue
            try:
                records = repeated.without(records_of(reader, row.number, row.cells))
                check_names(records)
                known.learn(records)
                repeated.tell(records)
            except ContradictedError as error:
                yield file, Contradicted(row.number, str(error)), []
            except ValueError as error:
                yield file, Skipped(row.number, str(error)), []
            except TandemError as error:
                raise _RefusedError(file, error) from error
            else:
                yield file, row, records


def _traced(records: list[Record], origin: str, row: Row, occurrences: Counter[int]) -> Found:
    """What a row says, its votes with the place they come from, so that the same vote is not added
    twice.

    A vote is known by its data set and file name, by what it says of whom, and by how often that
    came before; not by its row's number, nor by what else stands in the row. So a file that has
    grown, of which one row was mended, or that now has texts too adds just what is new. Where a
    layout's files hold each answer once (`Layout.once`), its name stands for the file's: a sample
    of a table adds nothing to it.
    """
    own = False
    for place, vote in enumerate(records):
        if isinstance(vote, Vote):
            is_own = vote.item == f"row-{row.number}"  # it came without an item
            own |= is_own
            answer = vote.answer
            said = (
                "" if is_own else vote.item,
                vote.system_a,
                vote.system_b,
                vote.judge,
                vote.attribute,
                vote.order_known,
                vote.created_at,
                answer.outcome,
                answer.prob_a,
                answer.failure,
            )
            mark = int(digest(json.dumps(said)), 16)
            occurrences[mark] += 1
            itemless = is_own or _ROW.fullmatch(vote.item) is not None
            source_row = SourceRow(origin, mark, occurrences[mark], itemless)
            records[place] = vote.changed(source_row=source_row)
    return Found(records, own)


def _write(store: Store, survey: Survey, progress: Progress) -> dict[str, int]:
    added, dataset, done = Counter[str](), survey.dataset, 0
    store.datasets.add(dataset, dict(survey.digests))
    for rows in survey.found:
        added.update(_add(store, dataset.name, _new(store, rows)))
        done = min(done + CHUNK, survey.rows)
        progress("importing", done, survey.rows)
    if not store.datasets.attributes(dataset.name):
        added["attributes"] += store.datasets.add_attributes(
            dataset.name, [survey.files[0].source.attribute(OVERALL)]
        )
    progress("planning", survey.rows, survey.rows)
    open_default(store, dataset.name)
    return added


def _new(store: Store, rows: Sequence[Found]) -> list[Record]:
    """The records of rows, without those of a row whose vote is known from another row. A vote that
    came without an item has the row it first stood in as its item, and the file may have got rows
    above it since.
    """
    own = {
        vote.source_row: vote.item
        for row in rows
        if row.own
        for vote in row.records
        if isinstance(vote, Vote) and vote.source_row
    }
    known = store.imported_votes.items_of(own) if own else {}
    moved = {mark for mark, item in known.items() if own[mark] != item}
    return [
        record
        for row in rows
        if not (row.own and moved)
        or not any(isinstance(vote, Vote) and vote.source_row in moved for vote in row.records)
        for record in row.records
    ]


def _add(store: Store, dataset: str, records: Sequence[Record]) -> dict[str, int]:
    """Write a chunk in one transaction. What every row repeats is dropped before it reaches the
    store.
    """
    of = defaultdict[type, list[Any]](list)
    for record in records:
        of[type(record)].append(record)
    with store.transaction():
        added = {
            "items": store.datasets.add_items(dataset, dict.fromkeys(of[Item])),
            "systems": store.datasets.add_systems(dataset, dict.fromkeys(of[System])),
            "attributes": store.datasets.add_attributes(dataset, dict.fromkeys(of[Attribute])),
            "judges": store.judges.add(dict.fromkeys(of[JudgeSpec])),
            "generations": store.datasets.add_generations(dataset, of[Generation]),
            "scores": store.scores.add(dataset, of[Score]),
        }
        added["comparisons"], added["judgements"] = store.imported_votes.add(dataset, of[Vote])
    return added
