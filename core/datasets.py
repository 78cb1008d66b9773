"""Files -> store: recognise the layout, check every row, then write. Importing the same file again adds nothing twice.

A file is read twice. The first reading writes nothing: a file that cannot be read to its end, or of which no row can be
used, leaves the store as it was. The second writes in short transactions, so people can annotate meanwhile, and an
import that was killed is finished by repeating it.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from core import campaigns, files
from core.files import Row, Skipped
from core.layouts import Reader, Record, Source
from core.published import RatingSets, SummEval, SummEvalAnnotations, UniEval
from core.records import Attribute, Dataset, Generation, Item, JudgeSpec, Kind, Score, System, TandemError, Vote
from core.store import Store
from core.tables import Generations, Votes, matched

T = TypeVar("T")

CHUNK = 1000  # rows a transaction

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


def load(
    store: Store,
    paths: Sequence[Path],
    dataset: Dataset,
    *,
    layout: str = "auto",
    mapping: Mapping[str, str] | None = None,
    kind: Kind = Kind.HUMAN,
    progress: Callable[[str, int, int], None] = lambda stage, done, of: None,
) -> Report:
    """Import files into one data set. `progress(stage, rows done, of)` is called as it goes; `of` is 0 when not known.

    Raises TandemError, with nothing written, when a file cannot be read or none of its rows can be used.
    """
    if not dataset.name.strip():
        raise TandemError("the data set needs a name: give one with --dataset")
    every = [recognise(path, layout=layout, mapping=mapping) for path in files.expand(paths)]
    sources = [_source(store, one, dataset, mapping or {}, kind) for one in every]
    dataset = _with_nouns(dataset, LAYOUTS[every[0].layout])
    held, skipped, rows = _Held(), [], 0
    for one, source in zip(every, sources, strict=True):
        usable, first = 0, ""
        for found in _read(LAYOUTS[one.layout], source, store, dataset.name):
            rows += 1
            if isinstance(found, Skipped):
                where = {"file": one.path.name} if len(every) > 1 else {}
                skipped.append({**where, "row": found.number, "reason": found.reason})
                first = first or f"row {found.number}: {found.reason}"
            else:
                usable += 1
                held.note(found)
            if rows % CHUNK == 0:
                progress("checking", rows, 0)
        if not usable:
            raise TandemError(f"no row of {one.path.name} can be used ({first or 'it has none'})")
    added = _write(store, every, sources, dataset, rows, progress)
    counts = {name: len(held.seen[name]) if name != "judgements" else held.judgements for name in COUNTS}
    return Report(dataset.name, {one.path.name: one.layout for one in every}, counts, added, skipped, rows)


def _source(store: Store, one: Recognised, dataset: Dataset, mapping: Mapping[str, str], kind: Kind) -> Source:
    named = _with_nouns(dataset, LAYOUTS[one.layout])
    return Source(
        one.path,
        one.columns,
        mapping,
        kind,
        named.context_noun,
        named.candidate_noun,
        lambda item, system: store.texts(dataset.name, item, system),
    )


def _with_nouns(dataset: Dataset, layout: Layout) -> Dataset:
    """The nouns of the layout, where the person importing did not name any."""
    default = Dataset(dataset.name)
    context, candidate = layout.nouns
    return replace(
        dataset,
        context_noun=context if dataset.context_noun == default.context_noun else dataset.context_noun,
        candidate_noun=candidate if dataset.candidate_noun == default.candidate_noun else dataset.candidate_noun,
    )


def _read(layout: Layout, source: Source, store: Store, dataset: str) -> Iterator[list[Record] | Skipped]:
    """The records of each row of a file, or why it is skipped: the same each time it is read."""
    reader, conflicts, occurrences = layout.reader(source), _Conflicts(store, dataset), Counter[str]()
    for row in files.rows(source.path):
        if isinstance(row, Skipped):
            yield row
            continue
        try:
            records = list(reader.records(row.number, row.cells))
            conflicts.check(records)
        except ValueError as error:
            yield Skipped(row.number, str(error))
            continue
        yield _traced(records, source.path.name, row, occurrences)


def _traced(records: list[Record], file: str, row: Row, occurrences: Counter[str]) -> list[Record]:
    """Votes with the row they come from, so that the same vote is not added twice.

    A row is known by its file's name, its content and how often that content came before, not by its number: a file that
    has grown, or of which one row was mended, adds just what is new.
    """
    if not any(isinstance(record, Vote) for record in records):
        return records
    content = hashlib.blake2b(json.dumps(row.cells, sort_keys=True, default=str).encode(), digest_size=8).hexdigest()
    occurrences[content] += 1
    mark = f"{file}#{content}.{occurrences[content]}"
    votes = iter(range(len(records)))
    return [replace(r, source_row=f"{mark}.{next(votes)}") if isinstance(r, Vote) else r for r in records]


class _Conflicts:
    """A second text or score where there is one already. Nothing is overwritten, so the row that comes later is skipped."""

    def __init__(self, store: Store, dataset: str) -> None:
        self.store, self.dataset = store, dataset
        self.texts: dict[tuple[str, str, int], int] = {}
        self.scores: dict[tuple[str, str, int, str, str], float | None] = {}

    def check(self, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Generation) and record.text is not None:
                self._check_text(record, record.text)
            elif isinstance(record, Score):
                key = (record.item, record.system, record.sample, record.attribute, record.judge)
                if self.scores.setdefault(key, record.value) != record.value:
                    raise ValueError(
                        f"{record.judge} has another score already for {record.attribute}, item {record.item!r}, "
                        f"system {record.system!r}, sample {record.sample}"
                    )

    def _check_text(self, generation: Generation, text: str) -> None:
        key, digest = (generation.item, generation.system, generation.sample), hash(text)
        known = self.texts.get(key)
        if known is None:
            stored = self.store.texts(self.dataset, generation.item, generation.system).get(generation.sample)
            known = digest if stored is None else hash(stored)
            self.texts[key] = known
        if known != digest:
            raise ValueError(
                f"item {generation.item!r}, system {generation.system!r}, sample {generation.sample} "
                "has another text already, which is kept"
            )


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


def _write(
    store: Store,
    every: Sequence[Recognised],
    sources: Sequence[Source],
    dataset: Dataset,
    rows: int,
    progress: Callable[[str, int, int], None],
) -> dict[str, int]:
    added, done = Counter[str](), 0
    store.add_dataset(dataset, {one.path.name: files.sha256(one.path) for one in every})
    for one, source in zip(every, sources, strict=True):
        chunk: list[Record] = []
        for found in _read(LAYOUTS[one.layout], source, store, dataset.name):
            done += 1
            if not isinstance(found, Skipped):
                chunk.extend(found)
            if done % CHUNK == 0:
                added.update(_add(store, dataset.name, chunk))
                progress("importing", done, rows)
                chunk = []
        added.update(_add(store, dataset.name, chunk))
    if not store.attributes(dataset.name):
        added["attributes"] += store.add_attributes(dataset.name, [sources[0].attribute("overall")])
    progress("planning", rows, rows)
    campaigns.open_default(store, dataset.name)
    return {name: added[name] for name in COUNTS}


def _add(store: Store, dataset: str, records: Sequence[Record]) -> dict[str, int]:
    """Write a chunk in one transaction. Repeats within it are dropped before they reach the store."""
    unique = list(dict.fromkeys(records))

    def only(kind: type[T]) -> list[T]:
        return [record for record in unique if isinstance(record, kind)]

    with store.transaction():
        added = {
            "items": store.add_items(dataset, only(Item)),
            "systems": store.add_systems(dataset, only(System)),
            "attributes": store.add_attributes(dataset, only(Attribute)),
            "judges": store.add_judges(only(JudgeSpec)),
            "generations": store.add_generations(dataset, only(Generation)),
            "scores": store.add_scores(dataset, only(Score)),
        }
        added["comparisons"], added["judgements"] = store.add_votes(dataset, only(Vote))
    return added
