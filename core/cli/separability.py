"""Commands about how distinguishable systems are: separability, consistency."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..catalogue import FINDINGS
from ..findings.judgements import Finding, Selection
from ..findings.separability import (
    Binning,
    Settings,
    check_pair,
    columns,
    request_similarities,
    sentences,
)
from ..findings.separability import consistency as consistencies
from ..findings.separability import separability as separabilities
from ..models import SPREADING, Options
from ..models.local import fast_bf16
from ..rendering import lay_out, list_names, write_text
from ..runs import measure
from ..settings import Part, redeclare
from ..similarity import METRICS, MeasurementRequest
from ..store import Store
from .command import Command
from .follow_run import execute_or_follow
from .output import CommandAnswer, warn, write_finding
from .progress import ProgressLine, bracket_notes
from .settings import include

MANY = 10_000  # pairs: fewer are done before one has read how it could go faster


MEASURED = ("samples", "cross", "encoder", "normalise", "precision", "over")


@dataclass(frozen=True, kw_only=True)
class SeparabilityRequest:
    """Options of `separability`: the texts, the settings of the measurement, and where it runs."""

    settings: Settings = include("metric", "resamples", *MEASURED)
    selection: Selection = include()
    options: Options = include(*SPREADING)


def separability(store: Store, request: SeparabilityRequest) -> CommandAnswer:
    """Compute the separability of systems, measuring similarities that are missing."""
    selection = request.selection
    check_pair(store, selection)
    how = request.settings.fill_metric(store, selection.dataset)
    wanted = request_similarities(selection, how)
    missing = measure.outlook(store, wanted).n_missing
    if missing:
        _warn(store, selection, wanted, missing)
        _measure(store, wanted, request.options.execution)
    result = separabilities(store, selection, how)
    mean = f"{result.facts['mean']:.4g}" if pd.notna(result.facts["mean"]) else "not known"
    scale = f", normalised over: {how.over}" if how.normalise != "none" else ""
    lead = FINDINGS["separability"].describe_lead(result)
    text = f"{lead}\n\n{write_finding(result)}\nmean separability {mean}{scale}"
    return CommandAnswer(result.document(), text)


def _warn(store: Store, selection: Selection, wanted: MeasurementRequest, missing: int) -> None:
    """Warn about options that would make the measurement faster."""
    if (
        selection.systems
        and not wanted.chosen.systems
        and len(store.datasets.systems(selection.dataset)) > len(selection.systems)
    ):
        warn(
            f"{missing:,} pairs of all systems are measured, to normalise over the data set; "
            "--over systems measures only the systems named"
        )
    if (
        missing > MANY
        and "precision" in METRICS[wanted.metric].takes
        and wanted.precision == "fp32"
        and fast_bf16()
    ):
        warn(
            "--precision bf16 would be faster on this machine (and differ by up to 1e-3 in "
            "separability)"
        )


def _measure(store: Store, wanted: MeasurementRequest, execution: Mapping[str, Any]) -> None:
    progress, by = ProgressLine(), measure.measurer(wanted, execution)
    by.load()  # before anything is written: a model that is not there is a wrong request
    execute_or_follow(
        store,
        measure.enqueue(store, wanted, execution),
        by,
        lambda now: progress(
            f"{wanted.metric}: items", now.done, now.planned, bracket_notes(now.situation)
        ),
        kept="measured",
    )


BINNED = Part("--by-separability METRIC", lambda values: values["metric"])


@dataclass(frozen=True, kw_only=True)
class ConsistencyRequest:
    """Options of `consistency`: the preferences to check, and the bins of separability."""

    metric: str = redeclare(
        Settings,
        "metric",
        default="",
        help="in bins of separability",
        option="by_separability",
        metavar="METRIC",
        part=None,
    )
    binning: Binning = include(
        "bins",
        "binning",
        "beside",
        *MEASURED,
        parts=dict.fromkeys(("bins", "binning", "beside", *MEASURED), BINNED),
    )
    selection: Selection = include()


def consistency(store: Store, request: ConsistencyRequest) -> CommandAnswer:
    """Compute how consistent judges are, by bins of separability."""
    binning = request.binning if request.metric else None
    result = consistencies.consistency(store, request.selection, binning)
    return CommandAnswer(result.document(), "\n".join([write_finding(result), *_summarise(result)]))


def _summarise(result: Finding) -> list[str]:
    """The facts that are not in the table of rating sets."""
    if not result.facts["sets"]:
        return []
    whole = pd.DataFrame([{name: result.facts[name] for name in list_names(columns.FIGURES)}])
    parts = [(whole, columns.FIGURES), (pd.DataFrame(result.facts["bins"]), columns.BINS)]
    tables = [write_text(lay_out(rows, of)) for rows, of in parts if len(rows)]
    return [*tables, *sentences.describe_prediction(result.facts)]


COMMANDS = {
    "separability": Command(
        separability,
        "measure which items can tell systems apart",
        request=SeparabilityRequest,
        reads=("subset", "systems", "seed", "item_set"),
    ),
    "consistency": Command(
        consistency,
        "consistency of preferences over an item's texts",
        request=ConsistencyRequest,
    ),
}
