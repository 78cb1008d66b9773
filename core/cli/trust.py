"""Commands about whom to trust: agreement, accuracy, bias."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.cli import options
from core.cli.command import Command
from core.cli.options import Part, add_provenance
from core.cli.output import Answer, shown, write_rows, write_table
from core.cli.settings import add_settings, parse_settings
from core.findings import accuracy as accuracies
from core.findings import agreement as agreements
from core.findings import attacks
from core.findings import bias as biases
from core.findings.accuracy import AccuracySettings
from core.findings.agreement import AgreementSettings, still_unknown
from core.findings.bias import BiasSettings
from core.findings.judgements import Finding, records
from core.settings import list_settings
from core.store import Store

TITLES = {"averages": "means over prompts", "differences": "differences on the same pairs"}
MOST_ROWS = 100  # of a further table, for people; --json has them all


def agreement(store: Store, asked: argparse.Namespace) -> Answer:
    selection = replace(options.selection(store, asked), scores=asked.with_scores)
    result = agreements.agreement(store, selection, parse_settings(asked, AgreementSettings))
    names = ("groups", "judges", "majority", "differences")
    parts = _write_tables(result, names) if len(result.rows) else []
    alpha = [_alpha(result.facts)] if result.facts["alpha_of"] else []
    return Answer(result.document(), "\n\n".join([*alpha, *parts, shown(result)]))


def _write_tables(result: Finding, names: Sequence[str]) -> list[str]:
    """Further tables under their titles, but for those that are empty or too long to read."""
    return [
        f"{TITLES.get(name, name)}\n{write_table(result, name)}"
        for name in names
        if 0 < len(result.tables[name]) <= MOST_ROWS
    ]


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
    result = accuracies.accuracy(store, selection, parse_settings(asked, AccuracySettings))
    parts = [shown(result), *_write_tables(result, ("averages", "differences"))]
    return Answer(result.document(), "\n\n".join(parts))


def bias(store: Store, asked: argparse.Namespace) -> Answer:
    selection = options.selection(store, asked)
    result = biases.bias(store, selection, parse_settings(asked, BiasSettings))
    names = ("lengths", "triples", "triples_by", "own", "places", "differences")
    parts = _write_tables(result, names)
    turned = attacks.attacks(store, selection)
    if 0 < len(turned.rows) <= MOST_ROWS:
        parts.append(f"attacks\n{write_rows(turned)}")
    document = {**result.document(), "attacks": records(turned.rows)}
    return Answer(document, "\n\n".join([*parts, shown(result)]))


def _agreement_options(sub: argparse.ArgumentParser) -> None:
    add_settings(sub.add_argument, AgreementSettings, "over")
    sub.add_argument(
        "--with-scores",
        action="store_true",
        help="whoever has scored texts takes part, too: the text with the higher score is better",
    )
    _add_separability(sub, AgreementSettings)
    add_provenance(sub)


def _add_separability(sub: argparse.ArgumentParser, request: type) -> None:
    add_settings(sub.add_argument, request, "by_separability")
    measured = Part(sub, "--by-separability METRIC", lambda asked: asked.by_separability)
    add_settings(measured.add, request, "encoder")


def _accuracy_options(sub: argparse.ArgumentParser) -> None:
    add_settings(sub.add_argument, AccuracySettings, "against", required=True)
    scored = Part(sub, "--against scores", lambda asked: asked.against == "scores", "against")
    add_settings(scored.add, AccuracySettings, "rater")
    further = [name for name in list_settings(AccuracySettings) if name not in ("against", "rater")]
    add_settings(sub.add_argument, AccuracySettings, *further)
    add_provenance(sub)


def _bias_options(sub: argparse.ArgumentParser) -> None:
    add_settings(sub.add_argument, BiasSettings, "debias")
    _add_separability(sub, BiasSettings)
    add_provenance(sub)


COMMANDS = {
    "agreement": Command(agreement, "agreement between judges", _agreement_options),
    "accuracy": Command(accuracy, "how often judges are right", _accuracy_options),
    "bias": Command(
        bias, "position and length bias of each judge, and contradictions", _bias_options
    ),
}
