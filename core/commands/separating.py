"""Commands about what can be told apart: separability, consistency."""

from __future__ import annotations

import argparse
import sys

import pandas as pd

from core import consistency as consistencies
from core import measuring, ordering, selections
from core import separability as separabilities
from core.commands import options
from core.commands.answers import Answer, BrokenError, shown, table
from core.commands.command import Command
from core.commands.following import executed
from core.commands.options import whole
from core.commands.progress import Progress
from core.consistency import BINNINGS, Binning
from core.drawing import DRAWS, BySeparability
from core.measuring import Measured
from core.models.encoder import PRECISIONS, fast_bf16
from core.records import TandemError
from core.selections import check
from core.separability import NORMALISATIONS, SCOPES, Settings
from core.similarity import CONTEXTUAL, METRICS, Metric
from core.store import Store

MANY = 10_000  # pairs: fewer are done before one has read how it could go faster


def separability(store: Store, asked: argparse.Namespace) -> Answer:
    selection, how = options.selection(store, asked), _settings(asked, asked.metric)
    check(store, selection)
    if len(set(selection.systems)) == 1:
        raise TandemError(
            f"--systems {selection.systems[0]} is one system, and separability is about two: name another"
        )
    wanted = separabilities.wanted(selection, how)
    metric = wanted.make()
    missing = measuring.outlook(store, wanted, metric).missing
    if missing:
        metric.load()  # before anything is written: a model that is not there is a wrong request
        _warn(store, selection, wanted, missing)
        _measure(store, wanted, metric)
    result = separabilities.separability(store, selection, how)
    mean = f"{result.facts['mean']:.4g}" if pd.notna(result.facts["mean"]) else "not known"
    scale = f", normalised over: {how.over}" if how.normalise != "none" else ""
    return Answer(result.document(), f"{shown(result)}\nmean separability {mean}{scale}")


def _warn(store: Store, selection: selections.Selection, wanted: Measured, missing: int) -> None:
    """What would be faster."""
    if (
        selection.systems
        and not wanted.chosen.systems
        and len(store.systems(selection.dataset)) > len(selection.systems)
    ):
        print(
            f"tandem: {missing:,} pairs of all systems are measured, to normalise over the data set; "
            "--over systems needs only those of the systems named",
            file=sys.stderr,
        )
    if missing > MANY and wanted.metric in CONTEXTUAL and wanted.precision == "fp32" and fast_bf16():
        print(
            "tandem: --precision bf16 would be faster on this machine (and differ by up to 1e-3 in separability)",
            file=sys.stderr,
        )


def _measure(store: Store, wanted: Measured, metric: Metric) -> None:
    progress = Progress()
    try:
        run = measuring.enqueue(store, wanted)
        executed(store, run, metric, lambda now: progress(f"{wanted.metric}: items", now.done, now.planned))
    except Exception as error:
        raise BrokenError(f"{error}; what was measured is kept, and the same command continues") from error


def _settings(asked: argparse.Namespace, metric: str) -> Settings:
    return Settings(
        metric=metric,
        encoder=asked.encoder,
        precision=asked.precision,
        samples=asked.samples,
        cross=asked.cross,
        over=asked.over,
        normalise=asked.normalise,
        resamples=getattr(asked, "bootstrap", 0),
    )


def _measured_options(sub: argparse.ArgumentParser) -> None:
    """How separability is measured, wherever it is asked for."""
    sub.add_argument("--samples", type=whole(1), default=5, metavar="K", help="generations of each system (default 5)")
    sub.add_argument("--cross", type=whole(1), metavar="C", help="pairs across the systems, drawn (default all K x K)")
    sub.add_argument("--encoder", default="", metavar="NAME", help="a model by name or folder (default: MiniLM)")
    sub.add_argument("--precision", choices=PRECISIONS, default="fp32", help="bf16 is faster on AMX and GPUs")
    sub.add_argument("--over", choices=SCOPES, default="dataset", help="what alignments are normalised over")
    sub.add_argument("--normalise", choices=NORMALISATIONS, default="minmax")


def _separability_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--metric", choices=tuple(METRICS), default=Settings.metric)
    sub.add_argument("--bootstrap", type=whole(0), default=Settings.resamples, metavar="B")
    _measured_options(sub)


def consistency(store: Store, asked: argparse.Namespace) -> Answer:
    if asked.by_separability is None and (asked.bins is not None or asked.binning is not None):
        raise TandemError("--bins and --binning are of separability: add --by-separability METRIC")
    binning = None
    if asked.by_separability is not None:
        how = _settings(asked, asked.by_separability)
        binning = Binning(how, asked.bins or Binning.bins, asked.binning or Binning.binning)
    result = consistencies.consistency(store, options.selection(store, asked), binning)
    return Answer(result.document(), "\n".join([shown(result), *_summary(result)]))


def _summary(result: selections.Result) -> list[str]:
    """The facts that are not in the table of rating sets."""
    facts = result.facts
    if not facts["sets"]:
        return []
    shares = ", ".join(f"{name} {facts[name]:.4f}" for name in (*consistencies.FIGURES[1:], "mean_strength"))
    bins = [table(pd.DataFrame(facts["bins"]))] if facts["bins"] else []
    return [*bins, f"{facts['sets']:,} rating sets: {shares.replace('_', ' ')}"]


def _consistency_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--by-separability", choices=tuple(METRICS), metavar="METRIC")
    sub.add_argument("--bins", type=whole(1), metavar="N", help=f"default {Binning.bins}")
    sub.add_argument("--binning", choices=BINNINGS, help=f"default {Binning.binning}")
    _measured_options(sub)


def campaign(store: Store, asked: argparse.Namespace) -> Answer:
    dataset = options.dataset(store, asked)
    if asked.pairs_by is None:
        document = {"dataset": dataset, "ordering": "random", "pairs": ordering.at_random(store, dataset)}
        return Answer(document, f"{dataset}: people are asked about {document['pairs']:,} pairs in random order")
    if asked.separability is None:
        raise TandemError(
            "--pairs-by needs --separability METRIC, such as bertscore-length, measured by `separability`"
        )
    how = BySeparability(asked.pairs_by, asked.number, asked.low, asked.high, asked.bins)
    drawn, unknown = ordering.first_by_separability(
        store, dataset, how, metric=asked.separability, encoder=asked.encoder, seed=asked.seed
    )
    document = {"dataset": dataset, "ordering": f"{how.how}|{asked.separability}", "pairs": drawn, "unknown": unknown}
    return Answer(
        document, f"{dataset}: people are asked about {drawn:,} pairs by separability first, then about the others"
    )


def _campaign_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--pairs-by", choices=tuple(DRAWS), help="without it the order is random")
    sub.add_argument("--separability", choices=tuple(METRICS), metavar="METRIC")
    sub.add_argument("--encoder", default="", metavar="NAME")
    sub.add_argument("--number", type=whole(1), metavar="N", help="how many pairs")
    sub.add_argument("--from", type=float, default=-1.0, dest="low", metavar="D", help="of at least this separability")
    sub.add_argument("--to", type=float, default=1.0, dest="high", metavar="D", help="and at most this")
    sub.add_argument(
        "--bins", type=whole(1), default=BySeparability.bins, metavar="N", help="of stratified (default 5)"
    )


COMMANDS = {
    "campaign": Command(campaign, "which pairs people are asked about first", _campaign_options),
    "separability": Command(separability, "which items can tell systems apart", _separability_options),
    "consistency": Command(consistency, "whether preferences hold over the texts of an item", _consistency_options),
}
