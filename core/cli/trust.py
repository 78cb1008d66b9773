"""Commands about whom to trust: agreement, accuracy, bias."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from core.cli import options
from core.cli.command import Command
from core.cli.options import Part, add_debias, add_provenance
from core.cli.output import Answer, shown, table, write_rows, write_table
from core.findings import accuracy as accuracies
from core.findings import agreement as agreements
from core.findings import attacks
from core.findings import bias as biases
from core.findings.agreement import still_unknown
from core.findings.judgements import Finding, Selection, records
from core.findings.separability import Settings, separabilities
from core.records import Kind
from core.store import Store

MOST_ROWS = 100  # of a further table, for people; --json has them all


def agreement(store: Store, asked: argparse.Namespace) -> Answer:
    selection = replace(options.selection(store, asked), scores=asked.with_scores)
    separability = _separability(store, selection, asked)
    result = agreements.agreement(
        store, selection, over=asked.over or "", separability=separability
    )
    parts = [
        f"{name}\n{write_table(result, name)}"
        for name in ("groups", "judges", "majority", "differences")
        if len(result.rows) and 0 < len(result.tables[name]) <= MOST_ROWS
    ]
    alpha = [_alpha(result.facts)] if result.facts["alpha_of"] else []
    return Answer(result.document(), "\n\n".join([*alpha, *parts, shown(result)]))


def _separability(
    store: Store, selection: Selection, asked: argparse.Namespace
) -> pd.DataFrame | None:
    """How separable items are by the metric that was asked for."""
    if not asked.by_separability:
        return None
    measured = Settings(asked.by_separability, asked.encoder or "", resamples=0)
    return separabilities(store, selection, measured)


def _alpha(facts: Mapping[str, Any]) -> str:
    of, over = (
        f"Krippendorff's alpha of {facts['alpha_of']} judges",
        f"{facts['units']:,} pairs of texts",
    )
    if math.isnan(facts["alpha"]):
        return f"{of}: undefined, all verdicts are alike; over {over}"
    low, high = facts["alpha_low"], facts["alpha_high"]
    figure = (
        f"{of}: {facts['alpha']:.4f} "
        f"({'no interval' if math.isnan(low) else f'{low:.4f} to {high:.4f}'}), {over}"
    )
    return f"{figure}\n{still_unknown(facts)}" if facts["alpha_needs"] else figure


def accuracy(store: Store, asked: argparse.Namespace) -> Answer:
    selection = options.selection(store, asked)
    result = accuracies.accuracy(
        store,
        selection,
        against=asked.against,
        debias=asked.debias,
        rater=asked.rater or Kind.HUMAN.value,
    )
    titles = {"averages": "means over prompts", "differences": "differences on the same pairs"}
    parts = [
        f"\n\n{title}\n{write_table(result, name)}"
        for name, title in titles.items()
        if 0 < len(result.tables[name]) <= MOST_ROWS
    ]
    return Answer(result.document(), "".join([shown(result), *parts]))


def bias(store: Store, asked: argparse.Namespace) -> Answer:
    selection = options.selection(store, asked)
    result = biases.bias(
        store, selection, asked.debias, separability=_separability(store, selection, asked)
    )
    names = [
        name
        for name in ("lengths", "triples", "triples_by", "own", "places", "differences")
        if 0 < len(result.tables[name]) <= MOST_ROWS
    ]
    parts = [f"{name}\n{table(_told(result.tables[name]))}" for name in names]
    turned = attacks.attacks(store, selection)
    if 0 < len(turned.rows) <= MOST_ROWS:
        parts.append(f"attacks\n{write_rows(turned)}")
    document = {**result.document(), "attacks": records(turned.rows)}
    return Answer(document, "\n\n".join([*parts, shown(_narrow(result, biases.SHOWN))]))


def _told(rows: pd.DataFrame) -> pd.DataFrame:
    """Columns in which there is anything; of triples those there is room for."""
    if "cyclic" in rows:
        rows = rows[[name for name in biases.TRIPLES_SHOWN if name in rows]]
    return rows.dropna(axis="columns", how="all")


def _narrow(result: Finding, columns: Sequence[str]) -> Finding:
    """With those columns of its rows in which there is anything."""
    return replace(result, rows=result.rows[list(columns)].dropna(axis="columns", how="all"))


def _agreement_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--over",
        choices=agreements.OVER,
        help="what intervals generalise to; default both for groups of three judges or more",
    )
    sub.add_argument(
        "--with-scores",
        action="store_true",
        help="whoever has scored texts takes part, too: the text with the higher score is better",
    )
    _add_separability(sub)
    add_provenance(sub)


def _add_separability(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--by-separability",
        metavar="METRIC",
        default="",
        help="also in bins of separability",
    )
    measured = Part(sub, "--by-separability METRIC", lambda asked: asked.by_separability)
    measured.add("--encoder", metavar="NAME", help="encoder of the metric, where it has one")


def _accuracy_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--against",
        choices=accuracies.AGAINST,
        required=True,
        help="what decides which text is better",
    )
    scored = Part(sub, "--against scores", lambda asked: asked.against == "scores", "against")
    scored.add("--rater", help="whose scores (default: all people)")
    add_debias(sub)
    add_provenance(sub)


def _bias_options(sub: argparse.ArgumentParser) -> None:
    add_debias(sub)
    _add_separability(sub)
    add_provenance(sub)


COMMANDS = {
    "agreement": Command(agreement, "agreement between judges", _agreement_options),
    "accuracy": Command(accuracy, "how often judges are right", _accuracy_options),
    "bias": Command(
        bias, "position and length bias of each judge, and contradictions", _bias_options
    ),
}
