"""What is known of a data set while files are read into it."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np
import pandas as pd

from core.importing.cells import MOST, digest
from core.importing.layout import Record
from core.records import Attribute, Generation, Item, JudgeSpec, Kind, Score, System, Vote
from core.store import Store

COUNTS = (
    "items",
    "systems",
    "generations",
    "attributes",
    "scores",
    "judges",
    "comparisons",
    "judgements",
)


Key = tuple[object, ...]
Claim = tuple[Key, object]  # what a record says of something, which may not change

KINDS = frozenset(kind.value for kind in Kind)
NOTED = 1000  # records that wait to be counted, with their texts
UNSORTED = 2**16  # hashes
_NOTHING = object()


class ContradictedError(ValueError):
    """A row says something else of what is known: another text, context or score."""


class Known:
    """What may not change: texts, contexts, scores and kinds of judges, of the store and of the
    rows read so far.

    Nothing is overwritten, so a row that says otherwise is skipped.
    """

    def __init__(self, store: Store, dataset: str) -> None:
        self.store, self.dataset = store, dataset
        self.values: dict[Key, object] = {}
        self._claims: dict[type, Callable[[Any], Claim | None]] = {
            Generation: self._text,
            Score: _score,
            Item: _context,
            JudgeSpec: _kind,
        }
        self.samples: dict[
            tuple[str, str], dict[str, int]
        ] = {}  # (item, system) -> digest of a text -> its sample
        self.items: dict[str, str] = {}  # digest of a context -> the first item with it
        for judge, kind in store.judges.all()[["judge", "kind"]].itertuples(index=False):
            self.values["kind", judge] = kind
        items = store.datasets.items(dataset)
        for item, context in zip(items["item"], items["context"], strict=True):
            if context:
                self._keep_context(item, digest(context))
        scores = store.scores.all(dataset, excluded=True)
        keys = ("item", "system", "sample", "attribute", "rater", "trial")
        for *key, value in zip(*(scores[name].tolist() for name in (*keys, "value")), strict=True):
            self.values["score", *key] = None if pd.isna(value) else value

    def texts(self, item: str, system: str) -> Mapping[str, int]:
        """The texts known of one system on one item, as digest -> sample."""
        known = self.samples.get((item, system))
        if known is None:
            known = self.samples[item, system] = {}
            for sample, text in self.store.datasets.texts(self.dataset, item, system).items():
                if text is not None:
                    self._keep_text(item, system, sample, digest(text))
        return known

    def item_of(self, context: str) -> str | None:
        """The item that has this context."""
        return self.items.get(digest(context))

    def has_item(self, item: str) -> bool:
        """Whether there is an item of that name, with a context."""
        return ("context", item) in self.values

    def _keep_context(self, item: str, context: str) -> None:
        self.values["context", item] = context
        self.items.setdefault(context, item)

    def _keep_text(self, item: str, system: str, sample: int, text: str) -> None:
        self.values["text", item, system, sample] = text
        self.samples[item, system].setdefault(text, sample)

    def learn(self, records: Sequence[Record]) -> None:
        """Take in the records of a row. Raises ValueError, with nothing taken in, when they say
        something else.
        """
        new: dict[Key, object] = {}
        for record in records:
            claim = self._claims.get(type(record))
            if claim is None or (claimed := claim(record)) is None:
                continue
            key, value = claimed
            held = self.values.get(key, _NOTHING)
            if held is _NOTHING:
                held = new.setdefault(key, value)
            if held is not value and held != value:
                raise _contradiction(record)
        if not new:
            return
        self.values.update(new)
        for key, value in new.items():
            match key:
                case ("context", str(item)):
                    self._keep_context(item, str(value))
                case ("text", str(item), str(system), int(sample)):
                    self._keep_text(item, system, sample, str(value))

    def _text(self, said: Generation) -> Claim | None:
        if said.sample > MOST:
            raise ValueError(f"{said.sample:.3g} is too large for the number of a sample")
        if said.text is None:
            return None
        self.texts(said.item, said.system)
        return ("text", said.item, said.system, said.sample), digest(said.text)


def _score(said: Score) -> Claim:
    key = (said.item, said.system, said.sample, said.attribute, said.judge, said.trial)
    return ("score", *key), said.value


def _context(said: Item) -> Claim | None:
    return (("context", said.key), digest(said.context)) if said.context else None


def _kind(said: JudgeSpec) -> Claim:
    if said.name in KINDS and said.name != said.kind:
        raise ValueError(
            f"a judge of kind {said.kind} cannot be named {said.name!r}, which means all of that "
            "kind: use another name"
        )
    return ("kind", said.name), said.kind


def _contradiction(record: Record) -> ValueError:
    """Why a row is skipped that says something else."""
    match record:
        case Generation(item, system, sample):
            return ContradictedError(
                f"item {item!r}, system {system!r}, sample {sample} has another text already, "
                "which is kept"
            )
        case Score(item, system, attribute, judge, _, sample):
            return ContradictedError(
                f"{judge!r} has given item {item!r}, system {system!r}, sample {sample} another "
                f"score for {attribute!r} already, which is kept"
            )
        case Item(item):
            return ContradictedError(f"item {item!r} has another context already, which is kept")
        case JudgeSpec(name, kind):
            return ValueError(f"judge {name!r} is known, but not as {kind}: use another name")
    raise TypeError(f"{record!r} claims nothing")


class Distinct:
    """How many different things there are among many, told by their hashes: eight bytes each, as a
    million votes have two million generations.
    """

    def __init__(self) -> None:
        self._seen, self._new = np.empty(0, dtype=np.int64), array("q")

    def add(self, things: Iterable[Hashable]) -> None:
        self._new.extend(map(hash, things))
        if len(self._new) > max(UNSORTED, len(self._seen)):
            self._sort()

    def __len__(self) -> int:
        self._sort()
        return len(self._seen)

    def _sort(self) -> None:
        self._seen = np.union1d(self._seen, np.frombuffer(self._new, dtype=np.int64))
        self._new = array("q")


_ASKED = ("item", "attribute", "system_a", "sample_a", "system_b", "sample_b")
# What each record counts as, and what tells it from others.
_COUNTED: dict[type, tuple[str, Callable[[Any], Hashable]]] = {
    Item: ("items", attrgetter("key")),
    System: ("systems", attrgetter("name")),
    Attribute: ("attributes", attrgetter("name")),
    JudgeSpec: ("judges", attrgetter("name")),
    Generation: ("generations", attrgetter("item", "system", "sample")),
    Score: ("scores", attrgetter("item", "system", "sample", "attribute", "judge", "trial")),
    Vote: ("comparisons", attrgetter(*_ASKED)),
}
_ANSWERED = attrgetter("judge", *_ASKED)


class Held:
    """What the files hold, each thing counted once."""

    def __init__(self) -> None:
        self._judgements = 0  # of files that do not hold each answer once
        self._seen = {name: Distinct() for name in COUNTS}
        # What is not counted yet, by whether its file holds each answer once.
        self._noted: dict[bool, list[Record]] = {False: [], True: []}

    def note(self, records: Sequence[Record], *, once: bool = False) -> None:
        noted = self._noted[once]
        noted.extend(records)
        if len(noted) > NOTED:
            self._count(once)

    def counts(self) -> dict[str, int]:
        for once in self._noted:
            self._count(once)
        return {
            name: len(self._seen[name]) + (name == "judgements") * self._judgements
            for name in COUNTS
        }

    def _count(self, once: bool) -> None:
        of = defaultdict[type, list[Any]](list)
        for record in self._noted[once]:
            if not isinstance(record, Generation) or record.text is not None:
                of[type(record)].append(record)
        self._noted[once] = []
        for sort, (name, key) in _COUNTED.items():
            self._seen[name].add(map(key, of[sort]))
        if once:
            self._seen["judgements"].add(map(_ANSWERED, of[Vote]))
        else:
            self._judgements += len(of[Vote])
