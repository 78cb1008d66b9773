"""Sampling: a model writes several texts for each item, which become generations of a system.

How far a system's own samples differ is what instance separability is made of (Ghosh et al. 2024):
by default 5 texts an item at temperature 0.5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..judging import ServerList, make_writer, registry
from ..models import Decoding, Respondent
from ..pairing import begin
from ..records import Draft, Slot, System, TandemError, option_ref
from ..settings import check_choices, declare
from ..store import RunRow, Store
from .answering import Answering, Ledger


@dataclass(frozen=True)
class GenerationRequest:
    """Request for texts: `samples` of each item of a data set, or of one subset, as generations of
    `system`.
    """

    dataset: str
    system: str
    decoding: Decoding
    samples: int = declare(5, "texts per item", label="Texts per item", metavar="K", least=1)
    subset: str = ""

    def settings(self) -> dict[str, Any]:
        """Return the settings that identify a run. More samples of the same continue it."""
        return {
            "system": self.system,
            "samples": self.samples,
            "subset": self.subset,
            **self.decoding.settings,
        }

    @classmethod
    def from_settings(cls, dataset: str, settings: Mapping[str, Any]) -> GenerationRequest:
        """Build the request that a run's settings describe."""
        values = dict(settings)
        own = {name: values.pop(name) for name in ("system", "samples", "subset")}
        return cls(dataset, decoding=Decoding.from_settings(values), **own)

    @property
    def target(self) -> tuple[str, str, str, int]:
        """Data set, system, subset and samples for each item."""
        return self.dataset, self.system, self.subset, self.samples


def enqueue(
    store: Store, wanted: GenerationRequest, execution: Mapping[str, Any] | None = None
) -> int:
    """Queue a run that writes the missing texts; a repeated request gives the same run.

    Raises TandemError when the system has texts from elsewhere or was sampled in another way, for
    an empty data set and for what cannot be sampled.
    """
    check(store, wanted)
    writer = registry.find(wanted.decoding.model, answers=["texts"])
    decoding = {
        name: value for name, value in wanted.decoding.settings.items() if value not in ("", None)
    }
    store.datasets.add_systems(
        wanted.dataset, [System(wanted.system, wanted.decoding.model, tuple(decoding.items()))]
    )
    run = begin(
        store, wanted.dataset, "generate", wanted.settings(), execution, served=writer.is_served
    )
    planned, done = store.generated_texts.count_written(*wanted.target)
    if done < planned:
        store.runs.requeue(run)
    return run


def check(store: Store, wanted: GenerationRequest) -> None:
    """Check a request as `enqueue` does, before anything is written. Raises TandemError."""
    if not wanted.system.strip():
        raise TandemError(
            f"the system has no name: give one, such as {option_ref('system')} flan-t5-base-t0.5"
        )
    check_choices(wanted)
    check_choices(wanted.decoding)
    if wanted.subset and wanted.subset not in store.datasets.subsets(wanted.dataset):
        raise TandemError(
            f"unknown subset {wanted.subset!r}; there are "
            f"{', '.join(store.datasets.subsets(wanted.dataset)) or 'none'}"
        )
    if not store.generated_texts.count_written(*wanted.target)[0]:
        raise TandemError(
            f"data set {wanted.dataset!r} has no items to write for: import some first"
        )
    if theirs := store.generated_texts.count_imported(wanted.dataset, wanted.system):
        raise TandemError(
            f"system {wanted.system!r} has {theirs:,} imported texts: give the samples a "
            f"{option_ref('system')} of their own"
        )
    for run in store.runs.of_system(wanted.dataset, wanted.system):
        if GenerationRequest.from_settings(wanted.dataset, run).decoding != wanted.decoding:
            raise TandemError(
                f"system {wanted.system!r} was sampled with other settings: give another "
                f"{option_ref('system')}, or the same settings"
            )


class TextSampling(Answering[Slot, Draft]):
    """Items x samples: the texts a system lacks."""

    unit = "texts"

    def __init__(
        self, store: Store, run: RunRow, by: Respondent[Slot, Draft] | None = None
    ) -> None:
        self._wanted = wanted = GenerationRequest.from_settings(run.dataset, run.settings)
        how = wanted.decoding.options(run.execution)
        how = replace(how, permit=ServerList(store.path).permit)
        super().__init__(store, run, by or make_writer(wanted.decoding.model, how))

    @staticmethod
    def ledger(store: Store, run: RunRow) -> Ledger:
        texts = store.generated_texts
        target = GenerationRequest.from_settings(run.dataset, run.settings).target
        return Ledger(
            partial(texts.count_written, *target),
            partial(texts.failures, *target),
            partial(texts.withdraw_failures, *target),
        )

    def next_tasks(self, n: int) -> list[Slot]:
        """Return up to `n` texts that are still to be written."""
        return self._store.generated_texts.list_unwritten(*self._wanted.target, n)

    def key(self, slot: Slot) -> tuple[int, int]:
        return slot.item, slot.sample

    def keep(self, written: Sequence[tuple[Slot, Draft]]) -> None:
        run, wanted = self._run.id, self._wanted
        self._store.generated_texts.add(
            run, wanted.dataset, wanted.system, written, execution=self._execution
        )
