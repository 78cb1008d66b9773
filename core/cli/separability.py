"""Commands about how distinguishable systems are: separability, consistency."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from ..catalogue import FINDINGS
from ..findings.judgements import Selection
from ..findings.separability import (
    Binning,
    Settings,
    check_pair,
    columns,
    request_similarities,
)
from ..findings.separability import consistency as consistencies
from ..findings.separability import separability as separabilities
from ..models import SPREADING, Options
from ..models.local import loading
from ..rendering import list_names
from ..runs import measure
from ..settings import Part, redeclare
from ..similarity import METRICS, MeasurementRequest
from ..store import Store
from .command import Command
from .findings import PrintSettings, answer_finding, write_answer
from .output import CommandAnswer, warn
from .runs import execute_live
from .settings import include

MANY = 10_000  # pairs: fewer are done before one has read how it could go faster


MEASURED = ("samples", "cross", "encoder", "normalise", "precision", "over")


def separability(
    store: Store,
    settings: Settings = include("metric", "resamples", *MEASURED),
    selection: Selection = include(),
    options: Options = include(*SPREADING),
    *,
    shown: PrintSettings,
) -> CommandAnswer:
    """Compute the separability of systems, measuring similarities that are missing."""
    check_pair(store, selection)
    how = settings.fill_metric(store, selection.dataset)
    wanted = request_similarities(selection, how)
    missing = measure.outlook(store, wanted).n_missing
    if missing:
        _warn(store, selection, wanted, missing)
        _measure(store, wanted, options.execution)
    result = separabilities(store, selection, how)
    mean = f"{result.facts['mean']:.4g}" if pd.notna(result.facts["mean"]) else "not known"
    scale = f", normalised over: {how.over}" if how.normalise != "none" else ""
    lead = FINDINGS["separability"].describe(result)
    return answer_finding(result, shown, *lead, f"mean separability {mean}{scale}")


def _warn(store: Store, selection: Selection, wanted: MeasurementRequest, missing: int) -> None:
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
        and loading.fast_bf16(loading.choose_device())
    ):
        warn(
            "--precision bf16 would be faster on this machine (and differ by up to 1e-3 in "
            "separability)"
        )


def _measure(store: Store, wanted: MeasurementRequest, execution: Mapping[str, Any]) -> None:
    by = measure.measurer(wanted, execution)
    by.load()  # before anything is written: a model that is not there is a wrong request
    run = measure.enqueue(store, wanted, execution)
    execute_live(store, run, by, f"{wanted.metric}: items", kept="measured")


BINNED = Part("--by-separability METRIC", lambda values: values["metric"])


def consistency(
    store: Store,
    metric: str = redeclare(
        Settings,
        "metric",
        default="",
        help="in bins of separability",
        option="by_separability",
        metavar="METRIC",
        part=None,
    ),
    binning: Binning = include("bins", "binning", "beside", *MEASURED, part=BINNED),
    selection: Selection = include(),
    *,
    shown: PrintSettings,
) -> CommandAnswer:
    """Compute how consistent judges are, by bins of separability."""
    result = consistencies.consistency(store, selection, binning if metric else None)
    facts, printed, lead = result.facts, result, []
    if facts["sets"]:
        whole = pd.DataFrame([{name: facts[name] for name in list_names(columns.FIGURES)}])
        tables = {"figures": whole, "bins": pd.DataFrame(facts["bins"])}
        declared = {"figures": columns.FIGURES, "bins": columns.BINS}
        printed = replace(result, tables=tables, table_columns=declared)
        lead = columns.describe_prediction(facts)
    return CommandAnswer(result.document(), write_answer(printed, shown, *lead))


COMMANDS = {
    "separability": Command(separability, reads=("subset", "systems", "seed", "item_set")),
    "consistency": Command(consistency),
}
