"""Commands that compute rankings and correlations from judgements: rank, correlate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..catalogue import FINDINGS, PROVENANCE
from ..findings import correlation
from ..findings.correlation import Reference
from ..findings.judgements import Finding, Selection
from ..findings.leaderboard import (
    CONTROLLING,
    INTERVALS,
    OTHER_OPPONENTS,
    SAME_OPPONENTS,
    RankSettings,
    candidates,
    headline,
    leaderboard,
    rank_by_attribute,
    rank_over_time,
    rank_votes,
)
from ..importing import expand, propose_reading
from ..records import TandemError, option_ref
from ..settings import Part, declare, list_settings, redeclare
from ..statistics import RATINGS
from ..store import Store
from .command import Command
from .findings import PrintSettings, answer_finding, write_answer
from .output import CommandAnswer, ProgressLine
from .reading import OF_VOTES, ReadingRequest
from .settings import SELECTING, file_words, flag, include, include_all

Values = Mapping[str, Any]


RANKED = {"system": leaderboard, "candidate": candidates, "attribute": rank_by_attribute}


def _list_methods(values: Values) -> Sequence[str]:
    """List the rating methods that the options leave possible. `rank` works without --method."""
    if values["method"]:
        return [str(values["method"])]
    if values["control"]:
        return [CONTROLLING]
    if values.get("over_time"):
        return ["elo"]
    return [SAME_OPPONENTS, OTHER_OPPONENTS] if "by" in values else []


def _restrict_to_methods(having: Sequence[str]) -> Part:
    to = " or ".join(filter(None, [", ".join(having[:-1]), having[-1]]))

    def has_effect(values: Values) -> bool:
        methods = _list_methods(values)
        return bool(methods) and set(methods) <= set(having)

    return Part(f"--method {to}", has_effect, "method")


OF_METHODS = {
    name: _restrict_to_methods(declared.methods)
    for name, declared in list_settings(RankSettings).items()
    if declared.methods
}
"""The rating methods that each setting applies to, by setting."""
DRAWN = Part("--by system or attribute", lambda values: values["by"] != "candidate", "by")
RESAMPLED = Part(
    INTERVALS.to, lambda values: values["by"] != "candidate" and INTERVALS.plays(values)
)
FINITE = Part(
    "--by system or attribute and --method bradley-terry",
    lambda values: values["by"] != "candidate" and values["method"] == OTHER_OPPONENTS,
)
MOVING = Part(
    "--by system and --method elo",
    lambda values: values["by"] == "system" and values["method"] in ("", "elo"),
)
OF_RANK = {"bootstrap": DRAWN, "over": RESAMPLED, "resolve": RESAMPLED, "regularise": FINITE}


IN_FILES = Part("--votes", lambda values: values["votes"])


def rank(
    store: Store,
    by: str = declare(
        "system",
        "what is ranked: systems, candidates, or systems on each attribute and on all together",
        choices=RANKED,
    ),
    over_time: bool = declare(False, "Elo after each vote, or each of 100 steps", part=MOVING),
    settings: RankSettings = include_all(parts=OF_METHODS | OF_RANK),
    selection: Selection = include(*PROVENANCE),
    *,
    shown: PrintSettings,
    votes: tuple[str, ...] = declare(
        (),
        "rank the votes in these files, folders or patterns, instead of a store",
        metavar="PATH",
        read=file_words,
    ),
    reading: ReadingRequest = include("reading", "save_reading", *OF_VOTES, part=IN_FILES),
) -> CommandAnswer:
    """Rank systems (or what `--by` names), or trace Elo over time."""
    lead = ""
    if votes:
        for name, is_given in {
            "dataset": selection.dataset != "",
            "by candidate": by == "candidate",
            "over-time": over_time,
        }.items():
            if is_given:
                raise TandemError(
                    f"--{name} belongs to votes in a store, not to --votes: leave it out"
                )
        how = reading.parse(OF_VOTES)
        if reading.save_reading:
            reading.save({str(path): propose_reading(path, how) for path in expand(votes)})
        is_split, progress = by == "attribute", ProgressLine()
        result = rank_votes(
            votes, selection, settings, reading=how, by_attribute=is_split, progress=progress
        )
    elif over_time:
        result = rank_over_time(store, selection, settings)
        wide = result.rows.pivot_table("rating", "votes", "system", sort=False).reset_index()
        text = write_answer(replace(result, rows=wide, columns=()), shown)
        return CommandAnswer(result.document(), text)
    else:
        result = RANKED[by](store, selection, settings)
    result = result.name_settings(flag)
    if by == "system" and not votes:
        lead = FINDINGS["leaderboard"].describe_lead(result)
    return CommandAnswer(result.document(), _write_ranking(result, shown, lead))


def _write_ranking(result: Finding, shown: PrintSettings, lead: str) -> str:
    """Write a ranking; why the data chose its method, and what its facts say, are notes."""
    because, facts, rows = result.facts["because"], result.facts, result.rows
    notes = [
        f"{RATINGS[facts['method']].label}, because {because}" if because else "",
        *result.notes,
        *facts.get("sentences", ()),
        *(f"{row.system}: {row.why}" for row in rows.itertuples() if "why" in rows),
        headline.describe_deciding(result),
    ]
    every = (*facts.get("cautions", ()), *facts.get("alarms", ()))
    cautions = [caution for caution in every if caution not in lead]
    return write_answer(replace(result, notes=notes), shown, lead, *cautions)


JUDGED = Part("judgements (--method or --table)", lambda values: not values["scores"], "scores")
OF_COMPARISONS = ("ties", "debias", *(name for name in OF_METHODS if name != "regularise"))


def correlate(
    store: Store,
    method: str = redeclare(RankSettings, "method", help="rating method, from comparisons"),
    scores: str = declare(
        "", "a rater whose scores are correlated", metavar="RATER", instead_of="method"
    ),
    table: str = declare(
        "", "every judge and rater, one row each", instead_of="method", choices=correlation.TABLED
    ),
    *,
    reference: Reference,
    settings: RankSettings = include(
        *OF_COMPARISONS, parts={"ties": JUDGED, "debias": JUDGED} | OF_METHODS
    ),
    selection: Selection = include(*PROVENANCE),
    shown: PrintSettings,
) -> CommandAnswer:
    """Correlate judges' scores or ratings with a reference, or tabulate all of them (`--table`)."""
    if not (method or scores or table):
        named = " ".join(map(option_ref, ("method", "scores", "table")))
        raise TandemError(f"one of the arguments {named} is required: what is correlated?")
    if table:
        how = replace(settings, method=table)
        result = correlation.correlate_all(store, selection, reference, settings=how)
        lead = FINDINGS["correlation"].describe(result)
        return answer_finding(result, shown, *lead)
    fitted = settings if method else None
    result = correlation.correlate(store, selection, reference, scores=scores, settings=fitted)
    return answer_finding(result, shown)


COMMANDS = {
    "rank": Command(rank, needs_no_store=lambda given: "votes" in given),
    "correlate": Command(
        correlate,
        reads=lambda given: [x for x in SELECTING if x != "judges" or "scores" not in given],
    ),
}
