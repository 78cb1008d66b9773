"""What is known of a data set while files are read into it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from core.importing.cells import digest
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
        scores = store.scores.all(dataset)
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
            if claim := self._claim(record):
                key, value, wrong = claim
                if new.setdefault(key, self.values.get(key, value)) != value:
                    raise (ValueError if key[0] == "kind" else ContradictedError)(wrong)
        self.values.update(new)
        for key, value in new.items():
            match key:
                case ("context", str(item)):
                    self._keep_context(item, str(value))
                case ("text", str(item), str(system), int(sample)):
                    self._keep_text(item, system, sample, str(value))

    def _claim(self, record: Record) -> tuple[Key, object, str] | None:
        """What a record says that may not change, and the reason to skip it where it does."""
        match record:
            case Generation(item, system, sample, str(text)):
                self.texts(item, system)
                wrong = (
                    f"item {item!r}, system {system!r}, sample {sample} has another text already, "
                    "which is kept"
                )
                return ("text", item, system, sample), digest(text), wrong
            case Score(item, system, attribute, judge, mark, sample, trial):
                wrong = (
                    f"{judge!r} has given item {item!r}, system {system!r}, sample {sample} "
                    f"another score for {attribute!r} already, which is kept"
                )
                return ("score", item, system, sample, attribute, judge, trial), mark, wrong
            case Item(item, str(context)) if context:
                wrong = f"item {item!r} has another context already, which is kept"
                return ("context", item), digest(context), wrong
            case JudgeSpec(name, kind):
                if name in tuple(Kind) and name != kind:
                    raise ValueError(
                        f"a judge of kind {kind} cannot be named {name!r}, which means all of "
                        "that kind: use another name"
                    )
                wrong = f"judge {name!r} is known, but not as {kind}: use another name"
                return ("kind", name), kind, wrong
        return None


@dataclass
class Held:
    """What the files hold, each thing counted once."""

    judgements: int = 0  # of files that do not hold each answer once
    seen: dict[str, set[int]] = field(default_factory=lambda: {name: set() for name in COUNTS})

    def note(self, records: Sequence[Record], *, once: bool = False) -> None:
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
                    key = (
                        record.item,
                        record.system,
                        record.sample,
                        record.attribute,
                        record.judge,
                        record.trial,
                    )
                    self.seen["scores"].add(hash(key))
                case Vote():
                    sides = (record.system_a, record.sample_a, record.system_b, record.sample_b)
                    asked = (record.item, record.attribute, *sides)
                    self.seen["comparisons"].add(hash(asked))
                    if once:
                        self.seen["judgements"].add(hash((record.judge, *asked)))
                    else:
                        self.judgements += 1

    def counts(self) -> dict[str, int]:
        return {
            name: len(self.seen[name]) + (name == "judgements") * self.judgements for name in COUNTS
        }
