"""Commands about what can be told apart: separability, consistency."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

import pandas as pd

from core.cli import options
from core.cli.cluster_options import add_cluster, spreading
from core.cli.command import Command
from core.cli.follow_run import executed
from core.cli.options import Part
from core.cli.output import Answer, shown, warn
from core.cli.progress import Progress, noted
from core.cli.settings import add_settings, parse_settings
from core.findings.judgements import Finding, Selection
from core.findings.separability import (
    Binning,
    Settings,
    check_pair,
    columns,
    request_similarities,
    sentences,
)
from core.findings.separability import consistency as consistencies
from core.findings.separability import separability as separabilities
from core.models.local import fast_bf16
from core.rendering import lay_out, list_names, write_text
from core.runs import measure
from core.similarity import METRICS, Measured
from core.store import Store

MANY = 10_000  # pairs: fewer are done before one has read how it could go faster


def separability(store: Store, asked: argparse.Namespace) -> Answer:
    selection, how = options.selection(store, asked), parse_settings(asked, Settings)
    check_pair(store, selection)
    wanted = request_similarities(selection, how)
    missing = measure.outlook(store, wanted).missing
    if missing:
        _warn(store, selection, wanted, missing)
        _measure(store, wanted, spreading(asked))
    result = separabilities(store, selection, how)
    mean = f"{result.facts['mean']:.4g}" if pd.notna(result.facts["mean"]) else "not known"
    scale = f", normalised over: {how.over}" if how.normalise != "none" else ""
    return Answer(result.document(), f"{shown(result)}\nmean separability {mean}{scale}")


def _warn(store: Store, selection: Selection, wanted: Measured, missing: int) -> None:
    """What would be faster."""
    if (
        selection.systems
        and not wanted.chosen.systems
        and len(store.datasets.systems(selection.dataset)) > len(selection.systems)
    ):
        warn(
            f"{missing:,} pairs of all systems are measured, to normalise over the data set; "
            "--over systems needs only those of the systems named"
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


def _measure(store: Store, wanted: Measured, execution: Mapping[str, Any]) -> None:
    progress, by = Progress(), measure.measurer(wanted, execution)
    by.load()  # before anything is written: a model that is not there is a wrong request
    executed(
        store,
        measure.enqueue(store, wanted, execution),
        by,
        lambda now: progress(
            f"{wanted.metric}: items", now.done, now.planned, noted(now.situation)
        ),
        kept="measured",
    )


def _measured_options(sub: argparse.ArgumentParser, metric: str) -> None:
    """How separability is measured, wherever it is asked for; `metric` is the option that names the
    metric.
    """
    measured = Part(sub, "measured separability", lambda asked: getattr(asked, metric))
    add_settings(measured.add, Settings, "samples", "cross", "encoder", "normalise")
    contextual = [name for name, declared in METRICS.items() if "precision" in declared.takes]
    encoded = Part(
        sub, " or ".join(contextual), lambda asked: getattr(asked, metric) in contextual, metric
    )
    add_settings(encoded.add, Settings, "precision")
    scaled = Part(
        sub,
        "--normalise minmax",
        lambda asked: getattr(asked, metric) and asked.normalise != "none",
        "normalise",
    )
    add_settings(scaled.add, Settings, "over", harmless=True)


def _separability_options(sub: argparse.ArgumentParser) -> None:
    add_settings(
        sub.add_argument, Settings, "metric", choices=tuple(METRICS), default=Settings.metric
    )
    add_settings(sub.add_argument, Settings, "resamples")
    _measured_options(sub, "metric")
    add_cluster(sub)


def consistency(store: Store, asked: argparse.Namespace) -> Answer:
    binning = None
    if asked.by_separability is not None:
        how = parse_settings(asked, Settings, metric=asked.by_separability)
        binning = parse_settings(asked, Binning, by=how)
    result = consistencies.consistency(store, options.selection(store, asked), binning)
    return Answer(result.document(), "\n".join([shown(result), *_summarise(result)]))


def _summarise(result: Finding) -> list[str]:
    """The facts that are not in the table of rating sets."""
    if not result.facts["sets"]:
        return []
    whole = pd.DataFrame([{name: result.facts[name] for name in list_names(columns.FIGURES)}])
    parts = [(whole, columns.FIGURES), (pd.DataFrame(result.facts["bins"]), columns.BINS)]
    tables = [write_text(lay_out(rows, of)) for rows, of in parts if len(rows)]
    return [*tables, *sentences.describe_prediction(result.facts)]


def _consistency_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--by-separability",
        choices=tuple(METRICS),
        metavar="METRIC",
        help="in bins of separability",
    )
    binned = Part(sub, "--by-separability METRIC", lambda asked: asked.by_separability)
    add_settings(binned.add, Binning, "bins", "binning", harmless=True)
    add_settings(binned.add, Binning, "beside")
    _measured_options(sub, "by_separability")


CHOSEN = ("subset", "systems", "seed")

COMMANDS = {
    "separability": Command(
        separability, "measure which items can tell systems apart", _separability_options, CHOSEN
    ),
    "consistency": Command(
        consistency, "consistency of preferences over the texts of an item", _consistency_options
    ),
}
