"""Files -> store: recognise the layout, check every row, then write. Importing the same file again adds nothing twice.

A file is read twice. The first reading writes nothing: a file that cannot be read to its end, or of which no row can be
used, leaves the store as it was. The second writes in short transactions, so people can annotate meanwhile, and an
import that was killed is finished by repeating it.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeGuard

import pandas as pd

from core import campaigns, files
from core.cells import digest
from core.files import Row, Skipped
from core.layouts import Reader, Record, Source
from core.published import RatingSets, SummEval, SummEvalAnnotations, UniEval
from core.records import Attribute, Dataset, Generation, Item, JudgeSpec, Kind, Score, System, TandemError, Vote
from core.store import Store
from core.tables import Generations, Votes, matched

CHUNK = 1000  # rows a transaction
OVERALL = "overall"  # the attribute of files that name none

COUNTS = ("items", "systems", "generations", "attributes", "scores", "judges", "comparisons", "judgements")


@dataclass(frozen=True)
class Layout:
    """How files of one kind are recognised, and what reads them."""

    title: str
    reader: Callable[[Source], Reader]
    matches: Callable[[Source], bool]
    nouns: tuple[str, str] = ("context", "text")


def _has(*names: str) -> Callable[[Source], bool]:
    return lambda source: set(names) <= set(source.columns)


# In the order they are tried: the particular before the general.
LAYOUTS: dict[str, Layout] = {
    "summeval": Layout("SummEval, one article a line", SummEval, _has("id", "text", "systems"), ("article", "summary")),
    "summeval-annotations": Layout(
        "SummEval's records with every annotator",
        SummEvalAnnotations,
        _has("decoded", "expert_annotations", "model_id"),
        ("article", "summary"),
    ),
    "unieval": Layout("UniEval", UniEval, _has("source", "system_output", "scores"), ("dialogue", "response")),
    "rating-sets": Layout(
        "rating sets of the separability study",
        RatingSets,
        _has("WorkerId", "Input.id1", "Answer.pref1"),
        ("source", "summary"),
    ),
    "votes": Layout(
        "votes, one comparison a row", Votes, lambda source: {"system_a", "system_b"} <= set(matched(source))
    ),
    "generations": Layout("generations", Generations, lambda source: True),
}


@dataclass(frozen=True)
class Recognised:
    """What a file was taken for: its layout, and for a table which column fills which field."""

    path: Path
    layout: str
    columns: tuple[str, ...]
    fields: Mapping[str, str]


def recognise(path: Path, *, layout: str = "auto", mapping: Mapping[str, str] | None = None) -> Recognised:
    """What `load` would take a file for. Raises TandemError for an unknown layout or a --map that does not fit."""
    source = Source(path, tuple(files.columns(path)), dict(mapping or {}))
    if layout == "auto":
        layout = next(name for name, candidate in LAYOUTS.items() if candidate.matches(source))
    elif layout not in LAYOUTS:
        raise TandemError(f"unknown format {layout!r}; there are auto, {', '.join(LAYOUTS)}")
    is_table = layout in ("votes", "generations")
    if mapping and not is_table:
        raise TandemError(f"--map is for tables, and {path.name} is read as {LAYOUTS[layout].title}: leave it out")
    return Recognised(path, layout, source.columns, matched(source) if is_table else {})


@dataclass
class Report:
    """What an import found and did."""

    dataset: str
    layouts: dict[str, str]
    held: dict[str, int]
    added: dict[str, int]
    skipped: list[dict[str, object]]
    rows: int

    def document(self) -> dict[str, object]:
        """The answer of `import --json`."""
        return {
            "dataset": self.dataset,
            **self.held,
            "added": self.added,
            "skipped": self.skipped,
            "layouts": self.layouts,
        }


Progress = Callable[[str, int, int], None]
"""`progress(stage, rows done, of)` is called as an import goes; `of` is 0 when not known."""


def _silent(stage: str, done: int, of: int) -> None:
    pass


@dataclass(frozen=True)
class Survey:
    """What the first reading found: files that can be imported, and what is in them."""

    every: Sequence[Recognised]
    sources: Sequence[Source]
    dataset: Dataset
    held: _Held
    skipped: list[dict[str, object]]
    rows: int


def load(
    store: Store,
    paths: Sequence[Path],
    dataset: Dataset,
    *,
    layout: str = "auto",
    mapping: Mapping[str, str] | None = None,
    kind: Kind = Kind.HUMAN,
    progress: Progress = _silent,
) -> Report:
    """Import files into one data set: a survey, then the writing.

    Raises TandemError, with nothing written, when a file cannot be read or none of its rows can be used.
    """
    found = survey(store, paths, dataset, layout=layout, mapping=mapping, kind=kind, progress=progress)
    return write(store, found, progress=progress)


def survey(
    store: Store,
    paths: Sequence[Path],
    dataset: Dataset,
    *,
    layout: str = "auto",
    mapping: Mapping[str, str] | None = None,
    kind: Kind = Kind.HUMAN,
    progress: Progress = _silent,
) -> Survey:
    """Read files to their end, compared with what a store holds. Writes nothing.

    Raises TandemError when a file cannot be read or none of its rows can be used.
    """
    dataset = replace(dataset, name=dataset.name.strip())
    if not dataset.name:
        raise TandemError("the data set needs a name: give one with --dataset")
    every = [recognise(path, layout=layout, mapping=mapping) for path in files.expand(paths)]
    dataset = _with_nouns(dataset, LAYOUTS[every[0].layout])
    sources = [_source(one, dataset, mapping or {}, kind) for one in every]
    held, usable, skipped, rows = _Held(), Counter[Path](), list[dict[str, object]](), 0
    first: dict[Path, str] = {}
    for one, row, records in _read(store, every, sources, dataset.name):
        rows += 1
        if isinstance(row, Skipped):
            where = {"file": one.path.name} if len(every) > 1 else {}
            skipped.append({**where, "row": row.number, "reason": row.reason})
            first.setdefault(one.path, f"row {row.number}: {row.reason}")
        else:
            usable[one.path] += 1
            held.note(records)
        if rows % CHUNK == 0:
            progress("checking", rows, 0)
    for one in every:
        if not usable[one.path]:
            raise TandemError(f"no row of {one.path.name} can be used ({first.get(one.path, 'it has none')})")
    if not held.seen["attributes"] and {attribute.name for attribute in store.attributes(dataset.name)} <= {OVERALL}:
        held.note([sources[0].attribute(OVERALL)])
    return Survey(every, sources, dataset, held, skipped, rows)


def write(store: Store, found: Survey, *, progress: Progress = _silent) -> Report:
    """The second reading: what a survey found goes into a store, in short transactions."""
    added = _write(store, found.every, found.sources, found.dataset, found.rows, progress)
    layouts = {one.path.name: one.layout for one in found.every}
    return Report(found.dataset.name, layouts, found.held.counts(), added, found.skipped, found.rows)


def _source(one: Recognised, dataset: Dataset, mapping: Mapping[str, str], kind: Kind) -> Source:
    named = _with_nouns(dataset, LAYOUTS[one.layout])
    return Source(one.path, one.columns, mapping, kind, named.context_noun, named.candidate_noun)


def _with_nouns(dataset: Dataset, layout: Layout) -> Dataset:
    """The nouns of the layout, where the person importing did not name any."""
    default = Dataset(dataset.name)
    context, candidate = layout.nouns
    return replace(
        dataset,
        context_noun=context if dataset.context_noun == default.context_noun else dataset.context_noun,
        candidate_noun=candidate if dataset.candidate_noun == default.candidate_noun else dataset.candidate_noun,
    )


def _read(
    store: Store, every: Sequence[Recognised], sources: Sequence[Source], dataset: str
) -> Iterator[tuple[Recognised, Row | Skipped, list[Record]]]:
    """Each row of all files with its records, or why it is skipped: the same each time they are read."""
    known = _Known(store, dataset)
    for one, source in zip(every, sources, strict=True):
        reader = LAYOUTS[one.layout].reader(replace(source, texts=known.texts))
        for row in files.rows(source.path):
            if isinstance(row, Skipped):
                yield one, row, []
                continue
            try:
                records = list(reader.records(row.number, row.cells))
                known.learn(records)
            except ValueError as error:
                yield one, Skipped(row.number, str(error)), []
            else:
                yield one, row, records


class _Known:
    """What may not change: texts, contexts, scores and kinds of judges, of the store and of the rows read so far.

    Nothing is overwritten, so a row that says otherwise is skipped.
    """

    def __init__(self, store: Store, dataset: str) -> None:
        self.store, self.dataset = store, dataset
        self.values: dict[tuple[object, ...], object] = {}
        self.samples: dict[tuple[str, str], dict[str, int]] = {}  # (item, system) -> digest of a text -> its sample
        for judge, kind in store.judges()[["judge", "kind"]].itertuples(index=False):
            self.values["kind", judge] = kind
        items = store.items(dataset)
        for item, context in zip(items["item"], items["context"], strict=True):
            if context:
                self.values["context", item] = digest(context)
        scores = store.scores(dataset)
        keys = ("item", "system", "sample", "attribute", "rater")
        for *key, value in zip(*(scores[name].tolist() for name in (*keys, "value")), strict=True):
            self.values["score", *key] = None if pd.isna(value) else value

    def texts(self, item: str, system: str) -> Mapping[str, int]:
        """The texts known of one system on one item, as digest -> sample."""
        known = self.samples.get((item, system))
        if known is None:
            known = self.samples[item, system] = {}
            for sample, text in self.store.texts(self.dataset, item, system).items():
                if text is not None:
                    self._keep_text(item, system, sample, digest(text))
        return known

    def _keep_text(self, item: str, system: str, sample: int, text: str) -> None:
        self.values["text", item, system, sample] = text
        self.samples[item, system].setdefault(text, sample)

    def learn(self, records: Sequence[Record]) -> None:
        """Take in the records of a row. Raises ValueError, with nothing taken in, when they say something else."""
        new: dict[tuple[object, ...], object] = {}
        texts: list[tuple[str, str, int, str]] = []
        key: tuple[object, ...]
        value: object
        for record in records:
            match record:
                case Generation(item, system, sample, str(text)):
                    self.texts(item, system)
                    key, value = ("text", item, system, sample), digest(text)
                    texts.append((item, system, sample, digest(text)))
                    wrong = f"item {item!r}, system {system!r}, sample {sample} has another text already, which is kept"
                case Score(item, system, attribute, judge, mark, sample):
                    key, value = ("score", item, system, sample, attribute, judge), mark
                    wrong = (
                        f"{judge!r} has given item {item!r}, system {system!r}, sample {sample} "
                        f"another score for {attribute!r} already, which is kept"
                    )
                case Item(item, str(context)) if context:
                    key, value = ("context", item), digest(context)
                    wrong = f"item {item!r} has another context already, which is kept"
                case JudgeSpec(name, kind):
                    if name in tuple(Kind) and name != kind:
                        raise ValueError(
                            f"a judge of kind {kind} cannot be named {name!r}, which means all of that kind: "
                            "use another name"
                        )
                    key, value = ("kind", name), kind
                    wrong = f"judge {name!r} is known, but not as {kind}: use another name"
                case _:
                    continue
            if new.setdefault(key, self.values.get(key, value)) != value:
                raise ValueError(wrong)
        self.values.update(new)
        for one in texts:
            self._keep_text(*one)


def _traced(records: list[Record], file: str, row: Row, occurrences: Counter[str]) -> list[Record]:
    """Votes with the place they come from, so that the same vote is not added twice.

    A vote is known by its data set and file name, by what it says of whom, and by how often that came before; not by its
    row's number, nor by what else stands in the row. So a file that has grown, of which one row was mended, or that now
    has texts too adds just what is new.
    """
    for place, vote in enumerate(records):
        if isinstance(vote, Vote):
            answer, item = vote.answer, "" if _is_own(vote, row) else vote.item
            said = (item, vote.system_a, vote.system_b, vote.judge, vote.attribute, vote.order_known, vote.created_at)
            mark = f"{file}#{digest(json.dumps([*said, answer.outcome, answer.prob_a, answer.failure]))}"
            occurrences[mark] += 1
            records[place] = replace(vote, source_row=f"{mark}.{occurrences[mark]}")
    return records


def _is_own(record: Record, row: Row) -> TypeGuard[Vote]:
    """Whether this is a vote that came without an item."""
    return isinstance(record, Vote) and record.item == f"row-{row.number}"


@dataclass
class _Held:
    """What the files hold, each thing counted once."""

    seen: dict[str, set[int]] = field(default_factory=lambda: {name: set() for name in COUNTS})
    judgements: int = 0

    def note(self, records: Sequence[Record]) -> None:
        # Hashes, not the things: a million votes have two million generations.
        for record in records:
            match record:
                case Item():
                    self.seen["items"].add(hash(record.key))
                case System():
                    self.seen["systems"].add(hash(record.name))
                case Attribute():
                    self.seen["attributes"].add(hash(record.name))
                case JudgeSpec():
                    self.seen["judges"].add(hash(record.name))
                case Generation():
                    self.seen["generations"].add(hash((record.item, record.system, record.sample)))
                case Score():
                    key = (record.item, record.system, record.sample, record.attribute, record.judge)
                    self.seen["scores"].add(hash(key))
                case Vote():
                    sides = (record.system_a, record.sample_a, record.system_b, record.sample_b)
                    self.seen["comparisons"].add(hash((record.item, record.attribute, *sides)))
                    self.judgements += 1

    def counts(self) -> dict[str, int]:
        return {name: len(self.seen[name]) if name != "judgements" else self.judgements for name in COUNTS}


def _write(
    store: Store,
    every: Sequence[Recognised],
    sources: Sequence[Source],
    dataset: Dataset,
    rows: int,
    progress: Progress,
) -> dict[str, int]:
    added, occurrences = Counter[str](), Counter[str]()
    store.add_dataset(dataset, {one.path.name: files.sha256(one.path) for one in every})
    chunk: list[tuple[Row, list[Record]]] = []
    for done, (one, row, records) in enumerate(_read(store, every, sources, dataset.name), start=1):
        if isinstance(row, Row):
            chunk.append((row, _traced(records, f"{dataset.name}/{one.path.name}", row, occurrences)))
        if done % CHUNK == 0:
            added.update(_add(store, dataset.name, _new(store, chunk)))
            progress("importing", done, rows)
            chunk = []
    added.update(_add(store, dataset.name, _new(store, chunk)))
    if not store.attributes(dataset.name):
        added["attributes"] += store.add_attributes(dataset.name, [sources[0].attribute(OVERALL)])
    progress("planning", rows, rows)
    campaigns.open_default(store, dataset.name)
    return {name: added[name] for name in COUNTS}


def _new(store: Store, chunk: Sequence[tuple[Row, list[Record]]]) -> list[Record]:
    """The records of a chunk, without rows whose vote is known from another row. A vote that came without an item has the
    row it first stood in as its item, and the file may have got rows above it since."""
    own = {vote.source_row: vote.item for row, records in chunk for vote in records if _is_own(vote, row)}
    moved = {mark for mark, item in store.known_rows(own).items() if own[mark] != item}
    return [
        record
        for _, records in chunk
        if not any(isinstance(vote, Vote) and vote.source_row in moved for vote in records)
        for record in records
    ]


def _add(store: Store, dataset: str, records: Sequence[Record]) -> dict[str, int]:
    """Write a chunk in one transaction. What every row repeats is dropped before it reaches the store."""
    of = defaultdict[type, list[Any]](list)
    for record in records:
        of[type(record)].append(record)
    with store.transaction():
        added = {
            "items": store.add_items(dataset, dict.fromkeys(of[Item])),
            "systems": store.add_systems(dataset, dict.fromkeys(of[System])),
            "attributes": store.add_attributes(dataset, dict.fromkeys(of[Attribute])),
            "judges": store.add_judges(dict.fromkeys(of[JudgeSpec])),
            "generations": store.add_generations(dataset, of[Generation]),
            "scores": store.add_scores(dataset, of[Score]),
        }
        added["comparisons"], added["judgements"] = store.add_votes(dataset, of[Vote])
    return added
