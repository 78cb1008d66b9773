"""Files -> store: recognise the layout, check every row, then write. Importing the same file again
adds nothing twice.

A file is read twice. The first reading writes nothing: a file that cannot be read to its end, or of
which no row can be used, leaves the store as it was. The second writes in short transactions, so
people can annotate meanwhile, and an import that was killed is finished by repeating it.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypedDict, TypeGuard, Unpack

from core.importing import files
from core.importing.cells import digest
from core.importing.conflicts import COUNTS, ContradictedError, Held, Known
from core.importing.detection import LAYOUTS, Layout, UnrecognisedError, recognise
from core.importing.files import Row, Skipped
from core.importing.layout import Dropped, Record, Source
from core.pairing import open_default
from core.records import (
    Attribute,
    Dataset,
    Generation,
    Item,
    JudgeSpec,
    Kind,
    Score,
    System,
    TandemError,
    Vote,
)
from core.store import Store

CHUNK = 1000  # rows a transaction
OVERALL = "overall"  # the attribute of files that name none


@dataclass
class Report:
    """What an import found and did."""

    dataset: str
    layouts: dict[str, str]
    held: dict[str, int]
    added: dict[str, int]
    skipped: list[dict[str, object]]
    left_out: list[dict[str, str]]
    rows: int

    def document(self) -> dict[str, object]:
        """The answer of `import --json`."""
        return {
            "dataset": self.dataset,
            **self.held,
            "added": self.added,
            "skipped": self.skipped,
            "layouts": self.layouts,
            "left_out": self.left_out,
        }


Progress = Callable[[str, int, int], None]
"""`progress(stage, rows done, of)` is called as an import goes; `of` is 0 when not known."""


def _silent(stage: str, done: int, of: int) -> None:
    pass


class Reading(TypedDict, total=False):
    """How files are to be read, where it is not left to them."""

    layout: str  # "auto" = each file's own
    mapping: Mapping[str, str]
    kind: Kind  # of those who gave votes or scores, where the file does not say
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
    """What the first reading found: files that can be imported, and what is in them."""

    every: Sequence[Chosen]
    dataset: Dataset
    held: Held
    skipped: list[dict[str, object]]
    left_out: list[dict[str, str]]
    rows: int


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
        raise TandemError("the data set needs a name: give one with --dataset")
    progress = how.get("progress", _silent)
    every, reasons = _choose(paths, dataset, how)
    if every:
        dataset = _with_nouns(dataset, LAYOUTS[every[0].layout])
    several = len(every) > 1
    held, usable, contradicted, rows = Held(), Counter[str](), Counter[str](), 0
    skipped: dict[str, list[dict[str, object]]] = defaultdict(list)
    for one, row, records in _read(store, every, dataset.name):
        rows += 1
        where = {"file": one.name} if several else {}
        if isinstance(row, Skipped):
            skipped[one.name].append({**where, "row": row.number, "reason": row.reason})
            contradicted[one.name] += isinstance(row, Contradicted)
        else:
            usable[one.name] += 1
            held.note(records, once=LAYOUTS[one.layout].once)
            dropped = [record for record in records if isinstance(record, Dropped)]
            skipped[one.name] += [
                {**where, "row": row.number, "reason": part.reason} for part in dropped
            ]
        if rows % CHUNK == 0:
            progress("checking", rows, 0)
    for one in every:
        if not usable[one.name]:
            reasons[one.name] = _unusable(one, skipped.pop(one.name, []), contradicted[one.name])
            if one.source.path in paths:
                raise TandemError(reasons[one.name])
    every = [one for one in every if usable[one.name]]
    if not every:
        name, why = next(iter(reasons.items()))
        more = f", nor can {len(reasons) - 1} more" if len(reasons) > 1 else ""
        raise TandemError(f"nothing there can be imported: {why}{more}" if name else why)
    if not held.seen["attributes"] and {
        attribute.name for attribute in store.datasets.attributes(dataset.name)
    } <= {OVERALL}:
        held.note([every[0].source.attribute(OVERALL)])
    left_out = [{"file": name, "reason": why} for name, why in reasons.items()]
    return Survey(
        every, dataset, held, [one for of in skipped.values() for one in of], left_out, rows
    )


def _unusable(one: Chosen, skipped: Sequence[Mapping[str, object]], contradicted: int) -> str:
    """Why no row of a file can be used, and what to do where all of them contradict what is
    there."""
    name = one.source.path.name
    if not skipped:
        return f"no row of {name} can be used (it has none)"
    why = f"row {skipped[0]['row']}: {skipped[0]['reason']}"
    if contradicted == len(skipped):
        return (
            f"{name} says something else of the same items ({why}): import it by itself, as "
            "a data set with another name"
        )
    return f"no row of {name} can be used ({why})"


def write(store: Store, found: Survey, *, progress: Progress = _silent) -> Report:
    """The second reading: what a survey found goes into a store, in short transactions."""
    added = _write(store, found, progress)
    layouts = {one.name: one.layout for one in found.every}
    held = found.held.counts()
    return Report(
        found.dataset.name, layouts, held, added, found.skipped, found.left_out, found.rows
    )


def _choose(
    paths: Sequence[Path], dataset: Dataset, how: Reading
) -> tuple[list[Chosen], dict[str, str]]:
    """The files to read, and by name why others of a folder are not."""
    mapping, kind = how.get("mapping") or {}, how.get("kind", Kind.HUMAN)
    found = files.expand(paths)
    names = _names(found)
    every, reasons = list[Chosen](), dict[str, str]()
    for path in found:
        try:
            one = recognise(path, layout=how.get("layout", "auto"), mapping=mapping)
            nouns = _with_nouns(dataset, LAYOUTS[one.layout])
            source = Source(
                path, one.columns, mapping, kind, nouns.context_noun, nouns.candidate_noun
            )
            LAYOUTS[one.layout].reader(source)
        except UnrecognisedError as error:
            if path in paths:
                raise
            reasons[names[path]] = str(error)
        else:
            every.append(Chosen(names[path], one.layout, source))
    return every, reasons


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
    store: Store, every: Sequence[Chosen], dataset: str
) -> Iterator[tuple[Chosen, Row | Skipped, list[Record]]]:
    """Each row of all files with its records, or why it is skipped: the same each time they are
    read.
    """
    known = Known(store, dataset)
    for one in every:
        reader = LAYOUTS[one.layout].reader(
            replace(one.source, texts=known.texts, item_of=known.item_of)
        )
        for row in files.rows(one.source.path):
            if isinstance(row, Skipped):
                yield one, row, []
                continue
            try:
                records = list(reader.records(row.number, row.cells))
                known.learn(records)
            except ValueError as error:
                how = Contradicted if isinstance(error, ContradictedError) else Skipped
                yield one, how(row.number, str(error)), []
            else:
                yield one, row, records


def _traced(
    records: list[Record], origin: str, row: Row, occurrences: Counter[str]
) -> list[Record]:
    """Votes with the place they come from, so that the same vote is not added twice.

    A vote is known by its data set and file name, by what it says of whom, and by how often that
    came before; not by its row's number, nor by what else stands in the row. So a file that has
    grown, of which one row was mended, or that now has texts too adds just what is new. Where a
    layout's files hold each answer once (`Layout.once`), its name stands for the file's: a sample
    of a table adds nothing to it.
    """
    for place, vote in enumerate(records):
        if isinstance(vote, Vote):
            answer, item = vote.answer, "" if _is_own(vote, row) else vote.item
            said = (
                item,
                vote.system_a,
                vote.system_b,
                vote.judge,
                vote.attribute,
                vote.order_known,
                vote.created_at,
            )
            given = [*said, answer.outcome, answer.prob_a, answer.failure]
            mark = f"{origin}#{digest(json.dumps(given))}"
            occurrences[mark] += 1
            records[place] = replace(vote, source_row=f"{mark}.{occurrences[mark]}")
    return records


def _is_own(record: Record, row: Row) -> TypeGuard[Vote]:
    """Whether this is a vote that came without an item."""
    return isinstance(record, Vote) and record.item == f"row-{row.number}"


def _write(store: Store, found: Survey, progress: Progress) -> dict[str, int]:
    added, dataset, rows = Counter[str](), found.dataset, found.rows
    store.datasets.add(dataset, {one.name: files.sha256(one.source.path) for one in found.every})
    chunk: list[tuple[Row, list[Record]]] = []
    occurrences = defaultdict[str, Counter[str]](Counter)
    for done, (one, row, records) in enumerate(_read(store, found.every, dataset.name), start=1):
        if isinstance(row, Row):
            once, file = LAYOUTS[one.layout].once, one.source.path.name
            origin = f"{dataset.name}/{one.layout if once else file}"
            chunk.append(
                (row, _traced(records, origin, row, occurrences[one.name if once else file]))
            )
        if done % CHUNK == 0:
            added.update(_add(store, dataset.name, _new(store, chunk)))
            progress("importing", done, rows)
            chunk = []
    added.update(_add(store, dataset.name, _new(store, chunk)))
    if not store.datasets.attributes(dataset.name):
        added["attributes"] += store.datasets.add_attributes(
            dataset.name, [found.every[0].source.attribute(OVERALL)]
        )
    progress("planning", rows, rows)
    open_default(store, dataset.name)
    return {name: added[name] for name in COUNTS}


def _new(store: Store, chunk: Sequence[tuple[Row, list[Record]]]) -> list[Record]:
    """The records of a chunk, without rows whose vote is known from another row. A vote that came
    without an item has the row it first stood in as its item, and the file may have got rows above
    it since.
    """
    own = {
        vote.source_row: vote.item
        for row, records in chunk
        for vote in records
        if _is_own(vote, row)
    }
    moved = {mark for mark, item in store.judgements.known_rows(own).items() if own[mark] != item}
    return [
        record
        for _, records in chunk
        if not any(isinstance(vote, Vote) and vote.source_row in moved for vote in records)
        for record in records
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
        added["comparisons"], added["judgements"] = store.judgements.add_votes(dataset, of[Vote])
    return added
