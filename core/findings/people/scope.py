"""The people of a study: their judgements, how each of them is described, and why to worry."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any

import numpy as np
import pandas as pd

from ...frames import get_schema
from ...labels import join_names, pluralize
from ...records import TandemError, choose_voting_kind
from ...rendering import (
    COUNT,
    DECIMAL,
    SHARE,
    YES_NO,
    Column,
    Interval,
    LabelledWords,
    Names,
    Place,
    Unit,
)
from ...statistics import intervals
from ...store import Store
from ..judgements.answers import POINTS, JudgedRows
from ..judgements.finding import Finding
from ..judgements.judges import ATTRIBUTE, declare_estimate
from ..judgements.selection import Selection, add_families, check_selection, load_judgements

SIDES = {"first": "A", "tie": "neither", "second": "B"}
"""What people call the verdicts on a pair."""


def _write_minute(moment: str) -> str:
    return moment[:16].replace("T", " ")


def _write_side(word: str) -> str:
    return SIDES.get(word, word.replace("_", " "))


SECONDS = Unit(",.1f")
MINUTE = LabelledWords(name=_write_minute)
SIDE = LabelledWords(name=_write_side)
USUAL = Interval(
    "The range is what is usual for votes on these pairs.",
    "between which all people lie at once in 95% of draws of the decisions on the same pairs",
)

ANNOTATORS = (
    Column("annotator", "person", names_people=True),
    Column(
        "excluded", "excluded", YES_NO, "Whether statistics leave the votes out",
        needs_several=True,
    ),
    Column("answered", "answered", COUNT, "Live answers"),
    Column("skipped", "skipped", COUNT),
    Column("seconds", "seconds", SECONDS, "Median of an answer"),
    Column(
        "too_fast", "too fast", SHARE,
        "Share of first looks at a pair that take less time than reading both texts",
    ),
    Column(
        "timed", "first looks", COUNT, "At a pair of texts, whose time is known", place=Place.FILES,
    ),
    declare_estimate(
        "p_first", "first side", SHARE, "Share of decisive answers for the text shown first",
    ),
    Column(
        "decisions", "decisions", COUNT, "Decisive answers whose order is known", place=Place.FILES,
    ),
    Column("ties", "ties", SHARE, "Of the answers"),
    Column("both_bad", "both bad", SHARE, "Of the answers"),
    declare_estimate(
        "agreement", "agrees", SHARE, "With others, over all pairs that others judged too",
    ),
    Column("shared", "shared", COUNT, "Verdicts that others can be held against"),
    declare_estimate(
        "self_agreement", "with oneself", SHARE, "Second answers that say the same as the first",
    ),
    Column("repeated", "second answers", COUNT, place=Place.FILES),
    Column(
        "gold_passed", "gold passed", SHARE, "Gold pairs passed, of those answered",
        of="gold_answered",
    ),
    Column("gold_answered", "gold answered", COUNT, place=Place.FILES),
    Column(
        "attention_passed", "attention passed", SHARE, "Attention checks passed, of those answered",
        of="attention_answered",
    ),
    Column("attention_answered", "attention answered", COUNT, place=Place.FILES),
    declare_estimate(
        "infit", "infit", DECIMAL, "How badly decisions on pairs that others decided, too, fit "
        "the strengths by all votes (Wright & Masters 1982). Random clicks and inverted keys give "
        "more", ends="usual", range_label="usual",
        range_help="The range of infit that is usual for votes on these pairs", interval=USUAL,
    ),
    Column("outfit", "outfit", DECIMAL, "The same, each decision alike", place=Place.FILES),
    Column(
        "by_chance", "by chance", DECIMAL, "Infit of coin tosses on these pairs", place=Place.FILES,
    ),
    Column(
        "misfit", "misfit", YES_NO,
        "Whether infit is above what is usual, on 20 shared pairs or more", needs_several=True,
    ),
    Column(
        "worries", "worries", Names(noun="reason"), "Speed, one side, gold, attention, repeats, "
        "misfit: what chance alone would say of anybody in at most 5% of studies",
    ),
    Column("first_at", "first answer", MINUTE, place=Place.FILES),
    Column("last_at", "last answer", MINUTE),
    Column("days", "days", COUNT, "With an answer (UTC)", place=Place.FILES),
    Column("per_day", "a day", SECONDS, "Answers of these days", place=Place.FILES),
)  # fmt: skip
BEHIND = (
    Column("item", "item"),
    ATTRIBUTE,
    Column("chosen", "chose", LabelledWords(name=str.upper)),
    Column("others", "expected", SHARE, "How likely that choice was"),
)
"""Columns of the votes behind a person's infit."""
DISPUTES = (
    Column("attribute", "attribute"),
    Column("item", "item"),
    Column("system_1", "A"),
    Column("system_2", "B"),
    Column("candidate_1", "text A", COUNT, "Row of the text, by a coin's choice"),
    Column("candidate_2", "text B", COUNT, "Row of the other one"),
    Column("first", "for A", COUNT, "How many people prefer A"),
    Column("tie", "neither", COUNT, "How many prefer neither"),
    Column("second", "for B", COUNT, "How many prefer B"),
    Column(
        "contradicts", "for either", COUNT, "How many have answered as often for either",
        place=Place.FILES,
    ),
    Column("people", "people", COUNT, "How many judged the pair", place=Place.FILES),
    Column("decided", "decided", SIDE, "`first`, `tie` or `second`; null while it is open"),
    Column("comment", "because"),
    Column("by", "by", names_people=True),
    Column("judgement", "decision", COUNT, "Row of the decision"),
)  # fmt: skip
"""Columns of pairs on which people disagree."""
SAID = (
    Column("person", "person", names_people=True),
    Column("better", "prefers", SIDE),
    Column("shown_first", "saw first", LabelledWords(name={"1": "A", "2": "B"}.__getitem__)),
    Column("comment", "comment"),
)
"""Columns of each person's answer on a pair."""


PeopleVotes = Annotated[pd.DataFrame, get_schema(JudgedRows).extend({bool: "excluded"})]


@dataclass(frozen=True)
class Scope:
    """Scope of the work looked at: data set, attribute, subset and systems of a selection, and one
    `campaign` (its row), or all campaigns and imported votes. The judges are the people, simulated
    voters if no people have voted; other kinds only by name.
    """

    selection: Selection
    campaign: int | None = None

    def signature_values(self) -> dict[str, object]:
        """Return the signature values of the scope."""
        return {**self.selection.signature_values(), "campaign": self.campaign}


def fill_scope(store: Store, scope: Scope) -> Scope:
    """Return the scope with its people: simulated voters if no people have voted."""
    kinds = store.judgement_frames.judges(scope.selection.dataset, excluded=True)["kind"]
    judges = scope.selection.judges or (choose_voting_kind(kinds).value,)
    return replace(scope, selection=replace(scope.selection, judges=judges))


def votes(store: Store, scope: Scope) -> PeopleVotes:
    """Live judgements as `judgement_frames.all` has them, answered or not, with `points` for A, the
    `family` of their item and whether who gave them is `excluded`. Raises TandemError where nobody
    has judged.
    """
    selection = fill_scope(store, scope).selection
    check_selection(store, selection)
    frame = load_judgements(store, selection, excluded=True)
    if scope.campaign is not None:
        frame = frame[frame["campaign"] == scope.campaign]
    wanted = selection.judges
    frame = frame[frame["judge"].isin(wanted) | frame["kind"].isin(wanted)]
    if frame.empty:
        raise TandemError("nobody has judged here yet: annotate, or invite people who do")
    excluded = frame["judge"].isin([*store.exclusions.kinds(selection.dataset)])
    points = frame["outcome"].map(POINTS).astype(float)
    frame = add_families(store, selection, frame.assign(points=points, excluded=excluded))
    return frame.reset_index(drop=True)


SLIPS = 0.1
"""The share of answers that may be too fast: a key pressed twice, a pair seen before."""


class Worry(StrEnum):
    """Reason to read a person's votes before they count."""

    SPEED = "speed"
    SIDE = "one side"
    GOLD = "gold"
    ATTENTION = "attention"
    REPEATS = "repeats"
    MISFIT = "misfit"


def find_worries(rows: pd.DataFrame, side_p: Any) -> list[tuple[str, ...]]:
    """The worries about each person of `rows`, a frame of the ANNOTATORS columns.

    Five figures of each person are tested: too fast in more than SLIPS of their first looks
    (binomial); the first side taken more or less often than the strengths of the systems explain
    (`side_p` (n,), the p-values by item); fewer gold pairs passed, attention checks passed or
    answers repeated than the others (Fisher's exact test, one-sided). All p-values together take
    half of `intervals.ALPHA` (Holm 1979); `misfit` has taken the other half already
    (`core.statistics.misfits`).
    """
    from scipy.stats import binom  # takes a while to import

    timed = rows["timed"].to_numpy(int)
    fast = np.rint(rows["too_fast"].fillna(0).to_numpy(float) * timed)
    p = {
        Worry.SPEED: np.where(timed > 0, binom.sf(fast - 1, timed, SLIPS), np.nan),
        Worry.SIDE: np.asarray(side_p, dtype=float),
        Worry.GOLD: _test_below_others(rows["gold_passed"], rows["gold_answered"]),
        Worry.ATTENTION: _test_below_others(rows["attention_passed"], rows["attention_answered"]),
        Worry.REPEATS: _test_below_others(
            rows["self_agreement"] * rows["repeated"], rows["repeated"]
        ),
    }
    table = np.column_stack(list(p.values()))
    sure = intervals.holm(table.ravel()).reshape(table.shape) <= intervals.ALPHA / 2
    sure = np.column_stack([sure, rows["misfit"].to_numpy(bool)])
    signs = (*p, Worry.MISFIT)
    return [tuple(str(signs[sign]) for sign in np.flatnonzero(person)) for person in sure]


def _test_below_others(passed: pd.Series, number: pd.Series) -> Any:
    """Fisher's p-value that a person passes as large a share as all others; NaN with no others."""
    from scipy.stats import hypergeom  # takes a while to import

    own, of = np.rint(passed.fillna(0).to_numpy(float)), number.to_numpy(float)
    known = (of > 0) & (of.sum() > of)
    return np.where(known, hypergeom.cdf(own, of.sum(), own.sum(), of), np.nan)


SHARES = {
    "p_first": ("decisions", "took the first text in {share} of {n:,} decisive answers"),
    "agreement": ("shared", "agrees with others in {share} of {n:,} comparisons"),
    "self_agreement": ("repeated", "agrees with their own first answer in {share} of {n:,}"),
}
"""A share -> of what it is, and the sentence that says it."""


def describe_annotators(result: Finding) -> str:
    """Describe how many people gave how many votes, and whose votes to read."""
    rows = result.rows
    people = "1 person has" if len(rows) == 1 else f"{len(rows):,} people have"
    if result.facts["simulated"]:
        have = "has" if len(rows) == 1 else "have"
        people = f"{pluralize(len(rows), 'simulated voter')} {have}"
    given = f"{people} given {result.judgements:,} votes."
    worried = rows[rows["worries"].astype(bool)].to_dict("records")
    if not worried:
        return f"{given} Nobody gives reason to worry that chance would not give."
    if len(worried) == 1:
        return f"{given} {describe_worries(worried[0])}"
    names = join_names([str(row["annotator"]) for row in worried])
    return f"{given} Read the votes of {names} below: more than chance is behind them."


def describe_worries(row: Mapping[Hashable, Any]) -> str:
    """Explain why to read a person's votes, with the figure behind each worry."""
    columns = {column.name: column for column in ANNOTATORS}
    written = {name: column.unit.write(row[name]) for name, column in columns.items()}
    said = {
        Worry.SPEED: f"{written['too_fast']} of {written['timed']} first looks too fast",
        Worry.SIDE: f"the first text in {columns['p_first'].write_with_range(row)} of "
        f"{written['decisions']} decisive answers",
        Worry.GOLD: f"{written['gold_passed']} of {written['gold_answered']} gold pairs passed",
        Worry.ATTENTION: f"{written['attention_passed']} of {written['attention_answered']} "
        "attention checks passed",
        Worry.REPEATS: f"{written['self_agreement']} of {written['repeated']} second answers as "
        "the first",
        Worry.MISFIT: _describe_fit(row),
    }
    reasons = join_names([said[Worry(worry)] for worry in row["worries"]])
    return f"Read {row['annotator']}'s votes before they count: {reasons}."


def describe_annotator(row: Mapping[Hashable, Any]) -> str:
    """Describe the figures of a person with their intervals."""
    days = f", on {pluralize(int(row['days']), 'day')}" if row["days"] else ""
    said = [f"{row['answered']:,} answered, {row['skipped']:,} skipped{days}."]
    columns = {column.name: column for column in ANNOTATORS}
    for name, (of, form) in SHARES.items():
        if row[of]:
            text = form.format(share=columns[name].write_with_range(row), n=int(row[of]))
            said.append(f"{text[:1].upper()}{text[1:]}.")
    for role in ("gold", "attention"):
        if row[f"{role}_answered"]:
            checks = pluralize(int(row[f"{role}_answered"]), f"{role} check")
            said.append(f"Passed {row[f'{role}_passed']:,} of {checks}.")
    if row["misfit"] or row["by_chance"] > row["usual_high"]:
        said.append(f"{_describe_fit(row)}.")
    return " ".join(said)


def _describe_fit(row: Mapping[Hashable, Any]) -> str:
    usual = next(column for column in ANNOTATORS if column.name == "infit").write_range(row)
    far = f"{DECIMAL.write(row['infit'])} times the expected distance from what others decide"
    return f"{far}, where {usual} is usual"


def describe_disputes(rows: pd.DataFrame) -> str:
    """Describe on how many pairs voters disagree, and how many of these are decided."""
    if rows.empty:
        return "No two voters disagree on a pair."
    decided = int(rows["decided"].notna().sum())
    done = f"{decided or 'None'} of them {'are' if decided > 1 else 'is'} decided"
    return f"Voters disagree on {pluralize(len(rows), 'pair')}. {done}."
