"""What is known of a data set while files are read into it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any

import pandas as pd

from core.importing.cells import MOST, digest
from core.importing.hashed import Distinct, Numbers, Texts
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
Claim = tuple[Key, str]  # what a record says of something, which may not change

KINDS = frozenset(kind.value for kind in Kind)
NOTED = 1000  # records that wait to be counted, with their texts


class ContradictedError(ValueError):
    """A row says something else of what is known: another text, context or score."""


class Known:
    """What may not change: texts, contexts, scores and kinds of judges, of the store and of the
    rows read so far.

    Nothing is overwritten, so a row that says otherwise is skipped. What was said is kept as 128
    bits of it (`Numbers`): a million votes bring two million texts.
    """

    def __init__(self, store: Store, dataset: str) -> None:
        self.store, self.dataset = store, dataset
        self._said = Numbers()
        self._items = Texts()  # the first of each context
        self._stored = store.datasets.has_any_text(dataset)
        self._claims: dict[type, Callable[[Any], Claim | None]] = {
            Generation: self._text,
            Score: _score,
            Item: _context,
            JudgeSpec: _kind,
        }
        for judge, kind in store.judges.all()[["judge", "kind"]].itertuples(index=False):
            self._said.put(("kind", judge), _bits(kind))
        of_store = store.datasets.portions(dataset, "key, context", NOTED)
        for item, context in chain.from_iterable(of_store):
            if context:
                self._keep(("context", item), _bits(context))
        scores = store.scores.all(dataset, excluded=True)
        keys = ("item", "system", "sample", "attribute", "rater", "trial")
        for *key, value in zip(*(scores[name].tolist() for name in (*keys, "value")), strict=True):
            self._said.put(("score", *key), _bits(_marked(None if pd.isna(value) else value)))

    def sample_of(self, item: str, system: str, text: str) -> int:
        """The sample of a system's text on an item, by its digest: that of the same text if there
        is one, else the next that is free.
        """
        self._load(item, system)
        said, bits = self._said, _to_signed_integer(text)
        if said.get(("text", item, system, 0), -1) == bits:
            return 0
        same = said.get(("sample", item, system, bits), -1)
        if same >= 0:
            return same
        return said.get(("next", item, system), int(("text", item, system, 0) in said))

    def item_of(self, context: str) -> str | None:
        """The item that has this context."""
        number = self._said.get(("item", _bits(context)), -1)
        return None if number < 0 else self._items[number]

    def has_item(self, item: str) -> bool:
        """Whether there is an item of that name, with a context."""
        return ("context", item) in self._said

    def has_context(self, item: str, context: str) -> bool:
        """Whether an item is known with this very context."""
        key = ("context", item)
        return key in self._said and self._said.get(key, -1) == _bits(context)

    def has_text(self, item: str, system: str, text: str) -> bool:
        """Whether a system is known to have written a text on an item, by its digest."""
        self._load(item, system)
        bits = _to_signed_integer(text)
        first = ("text", item, system, 0)
        return ("sample", item, system, bits) in self._said or (
            first in self._said and self._said.get(first, -1) == bits
        )

    def learn(self, records: Sequence[Record]) -> None:
        """Take in the records of a row. Raises ValueError, with nothing taken in, when they say
        something else.
        """
        new: dict[Key, int] = {}
        for record in records:
            claim = self._claims.get(type(record))
            if claim is None or (claimed := claim(record)) is None:
                continue
            key, value = claimed[0], _bits(claimed[1])
            known = key in self._said
            if value != (self._said.get(key, 0) if known else new.setdefault(key, value)):
                raise _contradiction(record)
        for key, value in new.items():
            self._keep(key, value)

    def _keep(self, key: Key, value: int) -> None:
        said = self._said
        said.put(key, value)
        match key:
            case ("context", str(item)) if ("item", value) not in said:
                said.put(("item", value), self._items.add(item))
            case ("text", str(item), str(system), int(sample)) if sample:
                after = ("next", item, system)
                said.put(after, max(said.get(after, 1), sample + 1))
                if ("sample", item, system, value) not in said:
                    said.put(("sample", item, system, value), sample)

    def _load(self, item: str, system: str) -> None:
        """Take in the texts that the store has of a system on an item, once."""
        if not self._stored or ("loaded", item, system) in self._said:
            return
        self._said.put(("loaded", item, system), 1)
        for sample, text in self.store.datasets.texts(self.dataset, item, system).items():
            if text is not None:
                self._keep(("text", item, system, sample), _bits(text))

    def _text(self, said: Generation) -> Claim | None:
        if said.sample > MOST:
            raise ValueError(f"{said.sample:.3g} is too large for the number of a sample")
        if said.text is None:
            return None
        self._load(said.item, said.system)
        return ("text", said.item, said.system, said.sample), said.text


def _bits(text: str) -> int:
    """A text as 128 bits."""
    return _to_signed_integer(digest(text))


def _to_signed_integer(digested: str) -> int:
    return int(digested, 16) - 2**127


def _score(said: Score) -> Claim:
    key = (said.item, said.system, said.sample, said.attribute, said.judge, said.trial)
    return ("score", *key), _marked(said.value)


def _marked(value: float | None) -> str:
    """A score as text: hashes of numbers are the same for -1 and -2, and for 1 and 2^61."""
    return "" if value is None else repr(float(value) + 0.0)  # -0.0 is 0.0


def _context(said: Item) -> Claim | None:
    return (("context", said.key), said.context) if said.context else None


def _kind(said: JudgeSpec) -> Claim:
    if said.name in KINDS and said.name != said.kind:
        raise ValueError(
            f"a judge of kind {said.kind} cannot be named {said.name!r}, which means all of that "
            "kind: use another name"
        )
    return ("kind", said.name), str(said.kind)


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
