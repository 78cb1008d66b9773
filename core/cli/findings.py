"""Commands that answer with a finding: agreement, accuracy, bias, combine, plan, replace, budget,
calibrate, annotators. Each is a finding, its settings and the further tables that people see.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import make_dataclass, replace
from types import MappingProxyType
from typing import Any

import pandas as pd

from core.cli.command import Command
from core.cli.options import PROVENANCE
from core.cli.output import CommandAnswer, shown, write_table
from core.cli.settings import include, include_all
from core.findings import attacks
from core.findings import bias as biases
from core.findings.accuracy import AccuracySettings, accuracy
from core.findings.agreement import AgreementSettings, agreement, still_unknown
from core.findings.bias import BiasSettings
from core.findings.budget import BudgetSettings, budget
from core.findings.calibration import CalibrateSettings, calibration
from core.findings.combine import CombineSettings, combine
from core.findings.judgements import Finding, Selection
from core.findings.people import ReadingPace, Scope, annotators
from core.findings.plan import PlanSettings, plan
from core.findings.replacement import ReplaceSettings, replacement
from core.settings import Part
from core.store import Store

TITLES = {"averages": "means over prompts", "differences": "differences on the same pairs"}
MOST_ROWS = 100  # of a further table, for people; --json has them all


def answer_finding(result: Finding, *names: str, head: str = "") -> CommandAnswer:
    """Its sentences, those of its further tables that are neither empty nor too long to read, and
    its rows.
    """
    lead = filter(None, [head, "\n".join(result.facts.get("sentences", ()))])
    tables = [
        f"{TITLES.get(name, name)}\n{write_table(result, name)}"
        for name in names
        if len(result.rows) and _has_figures(result.tables[name])
        if len(result.tables[name]) <= MOST_ROWS
    ]
    return CommandAnswer(result.document(), "\n\n".join([*lead, *tables, shown(result)]))


def _has_figures(rows: pd.DataFrame) -> bool:
    return bool(rows.select_dtypes("number").notna().any(axis=None))


def declare_finding(
    find: Callable[..., Finding],
    settings: type,
    help: str,
    *tables: str,
    taking: tuple[str, ...] = PROVENANCE,
    parts: Mapping[str, Part] = MappingProxyType({}),
    needed: tuple[str, ...] = (),
    head: Callable[[Finding], str] = lambda result: "",
) -> Command:
    """The command that answers with `find(store, selection, settings)`: what `head` says of it,
    these tables, and its rows. Besides those of SELECTING it takes these settings of a Selection.
    """
    fields = [
        ("selection", Selection, include(*taking)),
        ("settings", settings, include_all(parts=parts, needed=needed)),
    ]
    request_type = make_dataclass("FindingRequest", fields, frozen=True)

    def run(store: Store, request: Any) -> CommandAnswer:
        result = find(store, request.selection, request.settings)
        return answer_finding(result, *tables, head=head(result))

    return Command(run, help, request=request_type)


def _describe_alpha(result: Finding) -> str:
    facts = result.facts
    if not facts["alpha_of"]:
        return ""
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


def _find_bias(store: Store, selection: Selection, settings: BiasSettings) -> Finding:
    """With how often attacks turned verdicts."""
    result, turned = biases.bias(store, selection, settings), attacks.attacks(store, selection)
    return replace(
        result,
        tables={**result.tables, "attacks": turned.rows},
        table_columns={**result.table_columns, "attacks": turned.columns},
    )


def _find_annotators(store: Store, selection: Selection, pace: ReadingPace) -> Finding:
    return annotators(store, Scope(selection), pace)


BINNED = {"encoder": Part("--by-separability METRIC", lambda values: values["by_separability"])}
SCORED = Part("--against scores", lambda values: values["against"] == "scores", "against")

COMMANDS = {
    "agreement": declare_finding(
        agreement, AgreementSettings, "agreement between judges",
        "groups", "judges", "majority", "differences",
        taking=("scores", *PROVENANCE), parts=BINNED, head=_describe_alpha,
    ),
    "accuracy": declare_finding(
        accuracy, AccuracySettings, "how often judges are right", "averages", "differences",
        parts={"rater": SCORED}, needed=("against",),
    ),
    "bias": declare_finding(
        _find_bias, BiasSettings, "position and length bias of each judge, and contradictions",
        "lengths", "triples", "triples_by", "own", "places", "differences", "attacks",
        parts=BINNED,
    ),
    "combine": declare_finding(
        combine, CombineSettings, "rank by few human votes and many judges together", "judges"
    ),
    "plan": declare_finding(
        plan, PlanSettings, "say how many more votes settle the ranks", "needed"
    ),
    "replace": declare_finding(
        replacement, ReplaceSettings, "may a judge take an annotator's place?", "annotators",
        taking=("scores", *PROVENANCE),
    ),
    "budget": declare_finding(
        budget, BudgetSettings, "how few comparisons would have done", "needed", "all", "fewer"
    ),
    "calibrate": declare_finding(
        calibration, CalibrateSettings, "how far a judge's probabilities are people's"
    ),
    "annotators": declare_finding(
        _find_annotators, ReadingPace,
        "show how each person judges: pace, sides, agreement, misfit",
        taking=(),
    ),
}  # fmt: skip
