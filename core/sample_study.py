"""The sample study: loaded at the first start, and judged by the baselines, so that no page opens
empty.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.judging import make
from core.pairing import Request, open_default, planning
from core.records import Attribute, Dataset, Generation, Item, System
from core.runs import execution, measure
from core.similarity import Measured
from core.store import Chosen, Store

FOLDER = Path(__file__).parents[1] / "data" / "sample"
QUICK = ("baseline:longer", "baseline:random")
SLOW = ("baseline:embedding",)  # loads a model first, so it is left to the worker
METRICS = (
    "rouge1",
    "bertscore-length",
)  # left to the worker: the first takes seconds, and needs no model


def load(store: Store) -> list[str]:
    """Add the sample study, let the quick baselines judge part of it, and queue the slow one and
    the measuring of how alike the texts are: the names of its data sets.

    They answer half of the pairs, in both orders; the rest is left for whoever tries out a judge.
    No human votes are made up. Loading it again adds nothing. It is loaded whole or not at all: one
    that a full disk has cut off would count as there.
    """
    with store.transaction():
        return _load(store)


def _load(store: Store) -> list[str]:
    study = json.loads((FOLDER / "study.json").read_text(encoding="utf-8"))
    for name, about in study.items():
        _add(store, name, about)
        measure.enqueue(store, Measured(Chosen(name), METRICS[0]))
    for name in study:
        for spec in (*QUICK, *SLOW):
            judge = make(spec)
            run = planning.enqueue(store, judge.spec, Request(name, "symmetric", budget=6))
            if spec in QUICK:
                execution.execute(store, run, by=judge)
        for metric in METRICS[1:]:
            measure.enqueue(store, Measured(Chosen(name), metric))
    return list(study)


def _add(store: Store, name: str, about: dict[str, object]) -> None:
    texts = {part: _lines(FOLDER / str(about[part])) for part in ("items", "generations")}
    attributes = about["attributes"]
    assert isinstance(attributes, list)
    described = ("source", "licence", "context_noun", "candidate_noun", "instructions")
    with store.transaction():
        store.datasets.add(Dataset(name, **{field: str(about[field]) for field in described}))
        store.datasets.add_attributes(name, [Attribute(**attribute) for attribute in attributes])
        store.datasets.add_items(
            name, [Item(one["item"], one["context"], (one["reference"],)) for one in texts["items"]]
        )
        store.datasets.add_systems(
            name,
            [System(system) for system in sorted({one["system"] for one in texts["generations"]})],
        )
        store.datasets.add_generations(name, [Generation(**one) for one in texts["generations"]])
        open_default(store, name)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
