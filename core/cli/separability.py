"""Commands about what can be told apart: separability, consistency."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import pandas as pd

from core.cli import options
from core.cli.cluster_options import add_cluster, spreading
from core.cli.command import Command
from core.cli.follow_run import executed
from core.cli.options import Part, told, whole
from core.cli.output import Answer, shown, table, warn
from core.cli.progress import Progress, noted
from core.findings.judgements import finding
from core.findings.judgements import selection as selections
from core.findings.separability import (
    BINNINGS,
    NORMALISATIONS,
    SCOPES,
    Binning,
    Settings,
    check_pair,
)
from core.findings.separability import consistency as consistencies
from core.findings.separability import per_item as separabilities
from core.models.local import PRECISIONS, fast_bf16
from core.runs import measure
from core.similarity import METRICS, Measured
from core.store import Store

MANY = 10_000  # pairs: fewer are done before one has read how it could go faster


def separability(store: Store, asked: argparse.Namespace) -> Answer:
    selection, how = options.selection(store, asked), _settings(asked, asked.metric)
    check_pair(store, selection)
    wanted = separabilities.wanted(selection, how)
    missing = measure.outlook(store, wanted).missing
    if missing:
        _warn(store, selection, wanted, missing)
        _measure(store, wanted, spreading(asked))
    result = separabilities.separability(store, selection, how)
    mean = f"{result.facts['mean']:.4g}" if pd.notna(result.facts["mean"]) else "not known"
    scale = f", normalised over: {how.over}" if how.normalise != "none" else ""
    return Answer(result.document(), f"{shown(result)}\nmean separability {mean}{scale}")


def _warn(store: Store, selection: selections.Selection, wanted: Measured, missing: int) -> None:
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


def _settings(asked: argparse.Namespace, metric: str) -> Settings:
    """What was given; the rest is as Settings has it."""
    return Settings(**{**told(asked, [field.name for field in fields(Settings)]), "metric": metric})


def _measured_options(sub: argparse.ArgumentParser, metric: str) -> None:
    """How separability is measured, wherever it is asked for; `metric` is the option that names the
    metric.
    """
    measured = Part(sub, "measured separability", lambda asked: getattr(asked, metric))
    measured.add(
        "--samples", type=whole(1), metavar="K", help="generations of each system (default 5)"
    )
    measured.add(
        "--cross",
        type=whole(1),
        metavar="C",
        help="random pairs across systems (default: all K x K)",
    )
    measured.add("--encoder", metavar="NAME", help="a model by name or folder (default: MiniLM)")
    measured.add(
        "--normalise", choices=NORMALISATIONS, help="the scale of the alignments (default minmax)"
    )
    contextual = [name for name, declared in METRICS.items() if "precision" in declared.takes]
    encoded = Part(
        sub, " or ".join(contextual), lambda asked: getattr(asked, metric) in contextual, metric
    )
    encoded.add(
        "--precision", choices=PRECISIONS, help="bf16 is faster on AMX and GPUs (default fp32)"
    )
    scaled = Part(
        sub,
        "--normalise minmax",
        lambda asked: getattr(asked, metric) and asked.normalise != "none",
        "normalise",
    )
    scaled.add(
        "--over",
        choices=SCOPES,
        harmless=True,
        help="what to normalise alignments over (default dataset)",
    )


def _separability_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--metric", choices=tuple(METRICS), default=Settings.metric, help="similarity metric"
    )
    sub.add_argument(
        "--bootstrap",
        type=whole(0),
        dest="resamples",
        default=Settings.resamples,
        metavar="B",
        help="resamples of the texts",
    )
    _measured_options(sub, "metric")
    add_cluster(sub)


def consistency(store: Store, asked: argparse.Namespace) -> Answer:
    binning = None
    if asked.by_separability is not None:
        how = _settings(asked, asked.by_separability)
        binning = Binning(
            how,
            asked.bins or Binning.bins,
            asked.binning or Binning.binning,
            asked.beside or "",
        )
    result = consistencies.consistency(store, options.selection(store, asked), binning)
    return Answer(result.document(), "\n".join([shown(result), *_summary(result)]))


def _summary(result: finding.Finding) -> list[str]:
    """The facts that are not in the table of rating sets."""
    facts = result.facts
    if not facts["sets"]:
        return []
    shares = ", ".join(
        f"{name.replace('_', ' ')} {_estimate(facts, name)}"
        for name in (*consistencies.SHARES, "mean_strength")
    )
    sets = f"{facts['sets']:,} rating sets: {shares}"
    if not facts["bins"]:
        return [sets]
    # Where there is no room for all of them: --json has the others.
    ends = [
        f"{name}_{end}"
        for name in (*consistencies.SHARES[1:], *consistencies.STRENGTHS)
        for end in ("low", "high")
    ]
    bins = table(pd.DataFrame(facts["bins"]).drop(columns=ends))
    return [bins, sets, *_prediction(facts)]


def _prediction(facts: Mapping[str, Any]) -> list[str]:
    """How well separability predicts consistency, and how well anything could."""
    lines = [
        f"Spearman correlation of separability with consistency: {_estimate(facts, 'spearman')} "
        f"over {facts['items']:,} items and pairs of systems; within pairs of systems and subsets "
        f"(there are {facts['pairs']:,}) {_estimate(facts, 'spearman_within')}"
    ]
    if pd.notna(facts["ceiling"]):
        lines.append(
            f"a perfect prediction would reach {_estimate(facts, 'ceiling')}, within "
            f"{_estimate(facts, 'ceiling_within')}: {facts['judges']:.3g} judges an item agree no "
            "better"
        )
    if "difference" in facts:
        lines.append(
            f"the other metric: {_estimate(facts, 'spearman_beside')}; difference "
            f"{_estimate(facts, 'difference')}, within {_estimate(facts, 'difference_within')}"
        )
    return lines


def _estimate(facts: Mapping[str, Any], name: str) -> str:
    value, low, high = (facts[f"{name}{end}"] for end in ("", "_low", "_high"))
    if pd.isna(value):
        return "not known"
    return f"{value:.4f} ({'no interval' if pd.isna(low) else f'{low:.4f} to {high:.4f}'})"


def _consistency_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--by-separability",
        choices=tuple(METRICS),
        metavar="METRIC",
        help="in bins of separability",
    )
    binned = Part(sub, "--by-separability METRIC", lambda asked: asked.by_separability)
    binned.add(
        "--bins",
        type=whole(1),
        metavar="N",
        harmless=True,
        help=f"how many bins (default {Binning.bins})",
    )
    binned.add(
        "--binning",
        choices=BINNINGS,
        harmless=True,
        help=f"bins of equal width or of equal numbers (default {Binning.binning})",
    )
    binned.add(
        "--beside",
        choices=tuple(METRICS),
        metavar="METRIC",
        help="another metric, such as length, to predict consistency with",
    )
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
