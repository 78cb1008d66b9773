"""Sampling: a model writes several texts for each item, which become generations of a system.

How far a system's own samples differ is what instance separability is made of (Ghosh et al. 2024): by default 5 texts an
item at temperature 0.5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from core.models.respondent import Respondent
from core.pairing.planning import begin
from core.records import Draft, Slot, System, TandemError
from core.store import RunRow, Store

CONTEXT = "{context}"


@dataclass(frozen=True)
class Decoding:
    """How texts are sampled: what makes another system of the same model.

    `instruction` says what to write; the context takes the place of "{context}" in it, or follows it.
    """

    model: str
    instruction: str
    temperature: float = 0.5
    max_tokens: int = 256
    seed: int = 0
    base_url: str = ""

    def prompt(self, context: str) -> str:
        """The words the model reads for one item."""
        if CONTEXT in self.instruction:
            return self.instruction.replace(CONTEXT, context)
        return f"{self.instruction}\n\n{context}".strip()


@dataclass(frozen=True)
class Sampled:
    """Which texts are wanted: `samples` of each item of a data set, or of one subset, as generations of `system`."""

    dataset: str
    system: str
    decoding: Decoding
    samples: int = 5
    subset: str = ""

    def settings(self) -> dict[str, Any]:
        """What a run is known by. More samples of the same continue it."""
        return {"system": self.system, "samples": self.samples, "subset": self.subset, **asdict(self.decoding)}

    @classmethod
    def stored(cls, dataset: str, settings: Mapping[str, Any]) -> Sampled:
        values = dict(settings)
        own = {name: values.pop(name) for name in ("system", "samples", "subset")}
        return cls(dataset, decoding=Decoding(**values), **own)

    @property
    def which(self) -> tuple[str, str, str, int]:
        return self.dataset, self.system, self.subset, self.samples


Sampler = Respondent[Slot, Draft]
"""Who writes texts."""


def make_sampler(decoding: Decoding, execution: Mapping[str, Any] | None = None) -> Sampler:
    """The model of a SPEC, `hf:NAME-OR-PATH` or `openai:MODEL`, as a writer. Raises TandemError naming what exists."""
    family, _, name = decoding.model.partition(":")
    if family not in SAMPLERS or not name:
        raise TandemError(f"unknown model {decoding.model!r}; a model is hf:NAME-OR-PATH or openai:MODEL")
    return SAMPLERS[family](name, decoding, execution or {})


def enqueue(store: Store, wanted: Sampled, execution: Mapping[str, Any] | None = None) -> int:
    """A queued run that writes what is not there yet; the same request again gives the same run.

    Raises TandemError when the system has texts from elsewhere or was sampled in another way, for an empty data set and
    for what cannot be sampled.
    """
    check(store, wanted)
    decoding = {name: value for name, value in asdict(wanted.decoding).items() if value not in ("", None)}
    store.add_systems(wanted.dataset, [System(wanted.system, wanted.decoding.model, tuple(decoding.items()))])
    run = begin(store, wanted.dataset, "generate", wanted.settings(), execution)
    planned, done = store.written(*wanted.which)
    if done < planned:
        store.requeue(run)
    return run


def check(store: Store, wanted: Sampled) -> None:
    """Raises TandemError as `enqueue` does, before anything is written."""
    if not wanted.system.strip():
        raise TandemError("the system has no name: give one, such as --system flan-t5-base-t0.5")
    if not 0 <= wanted.decoding.temperature <= 2:
        raise TandemError(f"--temperature is {wanted.decoding.temperature:g}; it lies between 0 and 2")
    if wanted.subset and wanted.subset not in store.subsets(wanted.dataset):
        raise TandemError(
            f"unknown subset {wanted.subset!r}; there are {', '.join(store.subsets(wanted.dataset)) or 'none'}"
        )
    if not store.written(*wanted.which)[0]:
        raise TandemError(f"data set {wanted.dataset!r} has no items to write for: import some first")
    if theirs := store.imported_texts(wanted.dataset, wanted.system):
        raise TandemError(
            f"system {wanted.system!r} has {theirs:,} imported texts: give the samples a --system of their own"
        )
    for run in store.system_runs(wanted.dataset, wanted.system):
        if Sampled.stored(wanted.dataset, run).decoding != wanted.decoding:
            raise TandemError(
                f"system {wanted.system!r} was sampled with other settings: give another --system, or the same settings"
            )


class Sampling:
    """Items x samples: the texts a system lacks."""

    unit = "texts"

    def __init__(self, store: Store, run: RunRow, by: Sampler | None = None) -> None:
        self._store, self._run, self._wanted = store, run, Sampled.stored(run.dataset, run.settings)
        self._sampler = by or make_sampler(self._wanted.decoding, run.execution)

    @staticmethod
    def counts(store: Store, run: RunRow) -> tuple[int, int]:
        return store.written(*Sampled.stored(run.dataset, run.settings).which)

    @staticmethod
    def failures(store: Store, run: RunRow) -> dict[str, int]:
        return store.unwritten_reasons(*Sampled.stored(run.dataset, run.settings).which)

    @staticmethod
    def withdraw_failures(store: Store, run: RunRow) -> int:
        return store.forget_failures(*Sampled.stored(run.dataset, run.settings).which)

    def load(self) -> None:
        self._sampler.load()

    def expected(self) -> int:
        return 0

    def left(self, n: int) -> list[Slot]:
        return self._store.unwritten(*self._wanted.which, n)

    def more(self) -> bool:
        return False

    def key(self, slot: Slot) -> tuple[int, int]:
        return slot.item, slot.sample

    def stream(self, slots: Iterator[Slot]) -> Iterator[list[tuple[Slot, Draft]]]:
        return self._sampler.stream(slots)

    def keep(self, written: Sequence[tuple[Slot, Draft]]) -> None:
        self._store.add_drafts(self._run.id, self._wanted.dataset, self._wanted.system, written)


def _openai(name: str, decoding: Decoding, execution: Mapping[str, Any]) -> Sampler:
    from core.models.served.text_writer import ServedSampler

    return ServedSampler(name, decoding, execution)


def _hf(name: str, decoding: Decoding, execution: Mapping[str, Any]) -> Sampler:
    from core.models.local.text_writer import ModelSampler

    return ModelSampler(name, decoding, execution.get("batch_tokens"))


SAMPLERS: dict[str, Callable[[str, Decoding, Mapping[str, Any]], Sampler]] = {"hf": _hf, "openai": _openai}
"""The families of models, by what stands before the colon of a SPEC."""
