"""A leaderboard in a sentence or three: who leads, of how many answers, how certain that is, and
what other methods say. Below the stated minimum it names nobody.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from ...labels import VOTES, join_few_names, name_these, pluralize
from ...records import Kind
from ...statistics import RATINGS
from ..judgements import minimum
from ..judgements.finding import Finding
from ..judgements.judges import MOST_RANGED
from ..judgements.provenance import COLLECTING
from .rating_input import note_disagreement, write_rating

UNCONNECTED = (
    "Nobody leads yet: some systems cannot be compared with each other. No comparison links them."
)


def headline(result: Finding) -> str:
    """Describe a leaderboard, from a Finding of `leaderboard`."""
    rows = result.rows.dropna(subset="rating")
    if len(rows) < 2:
        return "Only one system has been compared: a leader needs two."
    verdict = result.facts["verdict"] if result.facts.get("verdict_is_own") else ""
    missing = _describe_missing(result, rows)
    if missing:
        return missing if result.facts.get("undecided") else verdict or missing
    first = rows.iloc[0]
    level = rows.loc[rows["rank"] == first["rank"], "system"].tolist()
    leads = f"{first['system']} leads with"
    if len(level) > 1:
        leads = f"{join_few_names(level)} are tied at"
    method = RATINGS[result.facts["method"]].label
    ends = (first["low"], first["high"]) if len(rows) <= MOST_RANGED else ()
    score = write_rating(result.facts["method"], first["rating"], *ends)
    stands = f"{leads} {score} by {method}, from {describe_basis(result)}."
    only = result.facts["kinds"] == [Kind.BASELINE.value]
    said = [
        stands,
        verdict or _describe_doubt(rows, level),
        describe_deciding(result),
        *result.facts.get("cautions", ()),
        *result.facts.get("first_cautions", ()),
        *(note for note in result.notes if note == COLLECTING),
        "Baselines follow a rule: this is nobody's opinion of the texts." * only,
        *note_disagreement(result.facts.get("leaders", {})),
    ]
    return " ".join(filter(None, said))


def find_leaders(result: Finding) -> list[str]:
    """List the leaders, several if they are level. Empty below the minimum."""
    rows = result.rows.dropna(subset="rating")
    if len(rows) < 2 or _describe_missing(result, rows):
        return []
    return list(rows.loc[rows["rank"] == rows["rank"].iloc[0], "system"])


def compare_headlines(people: Finding, judges: Finding) -> str:
    """Describe whether people and judges name the same leader, if both name one."""
    by_people, by_judges = find_leaders(people), find_leaders(judges)
    if not by_people or not by_judges:
        return ""
    if set(by_people) & set(by_judges):
        both = [name for name in by_people if name in by_judges]
        return f"People and judges both put {join_few_names(both)} first."
    return f"People put {join_few_names(by_people)} first, judges {join_few_names(by_judges)}."


def describe_deciding(result: Finding) -> str:
    """Describe the few votes that decide the leader; '' if unknown, and where nobody leads or the
    other one has too few answers of its own to lead.
    """
    fact = result.facts.get("deciding_votes")
    if not fact or not find_leaders(result):
        return ""
    rival = result.rows.set_index("system")["judgements"][fact["instead"]]
    if not minimum.count_answers_of_each(int(rival), name_answers(result)).is_enough:
        return ""
    number = f"{pluralize(fact['votes'], name_answers(result))} of {fact['of']:,}"
    return f"Without {number}, {fact['instead']} would lead."


def describe_basis(result: Finding) -> str:
    """Render the data of a board: 120 human votes on 40 items, 120 answers of flan-t5-xl on 40
    items, or 120 human votes where each is about an item of its own; with "by these three
    annotators" where intervals speak of them alone.
    """
    answers, items = pluralize(result.judgements, name_answers(result)), result.facts["items"]
    if names := result.facts.get("judged_by"):
        answers = f"{answers} of {join_few_names(names)}"
    if items != result.judgements:
        answers = f"{answers} on {pluralize(items, 'item')}"
    annotators = result.facts.get("annotators") or 0
    return f"{answers} by {name_these(annotators, 'annotator')}" if annotators > 1 else answers


def name_answers(result: Finding) -> str:
    """Return the noun for a board's answers; pairs of scores are nobody's votes."""
    if result.facts.get("of_scores"):
        return "comparison"
    kinds = result.facts["kinds"]
    return VOTES.get(kinds[0], "answer") if len(kinds) == 1 else "answer"


def describe_missing(
    systems: int, answers: int, noun: str, items: minimum.Count, leader: tuple[str, int]
) -> str:
    """Explain why no leader is named, though all `systems` are connected; '' if one is. `noun` is
    what an answer is called; the `leader` has so many answers of its own.
    """
    counted = minimum.count_ranking_answers(systems, answers, noun)
    if short := minimum.describe_shortfall("a leader is named", counted, items):
        return short
    own = minimum.count_answers_of_each(leader[1], noun)
    if own.is_enough:
        return ""
    return (
        f"{leader[0]} has the highest rating, but from {pluralize(own.number, own.noun)} only. "
        f"A leader is named from {own.needed} of its own on."
    )


def _describe_missing(result: Finding, rows: pd.DataFrame) -> str:
    first, facts = rows.iloc[0], result.facts
    if facts.get("undecided"):
        return f"{' '.join(facts['cautions'])} Nobody leads."
    if not facts["connected"]:
        return UNCONNECTED
    items = minimum.count_items(facts["items"], facts.get("effective_items", math.inf))
    leader = (first["system"], int(first["judgements"]))
    return describe_missing(len(rows), result.judgements, name_answers(result), items, leader)


def _describe_doubt(rows: pd.DataFrame, level: Sequence[str]) -> str:
    """Name the systems that may be as good as the first, on a board whose answers no verdict is
    about. The rating of a baseline is fixed and has no interval. The others' intervals show their
    distance from it.
    """
    if rows["low"].isna().all():
        return "Without intervals, nobody knows how certain that is."
    tied = [name for name in rows["system"] if name in rows.iloc[0]["tied_with"]]
    tied = [name for name in tied if name not in level]
    return f"That is not certain: {join_few_names(tied)} may be as good." if tied else ""
