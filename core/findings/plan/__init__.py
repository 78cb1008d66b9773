"""Plan: how many more votes, or answers by judges, settle the top ranks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np
import pandas as pd

from ...frames import get_schema
from ...labels import pluralize, round_up_to_two_digits
from ...records import TandemError, option_ref
from ...rendering import COUNT, SHARE, YES_NO, Column, LabelledWords, Place, Unit, declare_rows
from ...settings import declare
from ...statistics import RATINGS, Floats, JudgedPairs, prediction_powered, vote_planning
from ...store import Store
from ..combine import AnsweredPairs, EstimateSettings, load_answered
from ..judgements.answers import fill_sides
from ..judgements.finding import Finding
from ..judgements.selection import Selection, write_signature
from ..leaderboard import quote_verdict
from ..leaderboard.rating_input import choose_method


@dataclass(frozen=True)
class PlanSettings(EstimateSettings):
    """Settings of a plan: settle ranks 1 to `top` (None = all)."""

    top: int | None = declare(
        None, "tell ranks 1 to K apart (default: all ranks)", metavar="K", least=1
    )


WAYS = {
    "together": "votes, with judges",
    "people": "votes alone",
    "judges": "judges' answers alone",
}
"""What is collected, in words."""
WAY = Column("way", "what is collected", LabelledWords(name=WAYS.__getitem__))
REACHED = Unit(COUNT.form, infinite="not reached")
COLUMNS = (
    WAY,
    Column("votes", "pairs with votes", COUNT),
    Column("more", "more votes", COUNT, "Beyond those there are"),
    Column("answers", "more answers", COUNT, "By judges, about new pairs"),
    Column("settled", "chance", SHARE, "That the ranks are told apart then, at one look"),
    Column(
        "settled_always", "chance at every look", SHARE,
        "That they are then, however often somebody looks",
    ),
    Column("new_items", "takes new items", YES_NO, "Whether it takes pairs that no judge answered"),
)  # fmt: skip
"""Columns of each number of votes or answers."""
NEEDED = (
    WAY,
    Column(
        "more", "more", REACHED, "How many votes, or answers by judges, should tell the ranks "
        "apart at one look, at a number fixed beforehand. Empty where not even the most would",
        low="low", high="high", range_label="four of five cases",
    ),
    Column(
        "more_always", "more at every look", REACHED,
        "The same where somebody looks as often as they like, and stops when it suits",
        low="always_low", high="always_high", range_label="four of five cases",
    ),
    Column(
        "chance", "chance at most", SHARE,
        "That the ranks are told apart with the most that was looked at",
    ),
    Column("most", "most", COUNT, "The most that was looked at", place=Place.FILES),
)  # fmt: skip
"""Columns of the number that settles the ranks, by what is collected."""


LEVEL = 0.95
"""With which confidence ranks are told apart, as `combine` does."""
UNLIKELY = 0.05
"""A chance below which nothing is expected."""
FEW = 50
"""Pairs with votes below which a plan is rough: the backtest in tests/evidence/combine.md."""


def sentences(facts: Mapping[str, Any], needed: pd.DataFrame) -> list[str]:
    """Quote the verdict, and describe what tells the ranks apart in the combined estimate, with the
    present judges, with votes alone, and by judges' answers.
    """
    rows: Any = needed.set_index("way")
    whole = facts["top"] == facts["systems"] - 1
    top = facts["systems"] if whole else facts["top"]
    goal = f"{'rank 1' if top == 1 else f'ranks 1 to {top}'} at {LEVEL:.0%}"
    judges = pluralize(len(facts["judges"]), "judge")
    if facts["now"] >= 1:
        enough = f"The combined estimate with {judges} needs no more votes for {goal}."
        return [facts["verdict"], f"{enough} That is for one look."]
    both = rows.loc["together"]
    needs = _describe_unlikely_goal(both, "more votes", goal)
    if both["more"] < math.inf:
        more = f"about {both['more']:,.0f} more votes ({_range(both['low'], both['high'])})"
        needs = f"the combined estimate needs {more} for {goal}"
    return [
        facts["verdict"],
        f"With {judges} already run, {needs}.",
        _describe_votes_alone(rows.loc["people"]),
        *_say_every_look(both),
        _describe_answers(rows.loc["judges"]),
    ]


def _range(low: float, high: float) -> str:
    most = "far more" if math.isinf(high) else f"{high:,.0f}"
    return f"{low:,.0f} to {most} in four of five cases"


def _describe_votes_alone(row: pd.Series) -> str:
    if math.isinf(row["more"]):
        return f"With votes alone, {_describe_unlikely_goal(row, 'more votes', 'it')}."
    if row["more"] == 0:
        return "The votes alone need no more for it."
    return (
        f"With votes alone it takes about {row['more']:,.0f} ({_range(row['low'], row['high'])})."
    )


def _say_every_look(row: pd.Series) -> list[str]:
    if math.isinf(row["more"]):
        return []
    begins = "That is for one look, at a number fixed beforehand. To look as often as you like"
    if math.isinf(row["more_always"]):
        return [f"{begins} takes more than {row['most']:,.0f}."]
    ends = _range(row["always_low"], row["always_high"])
    return [f"{begins} takes about {row['more_always']:,.0f} ({ends})."]


def _describe_answers(row: pd.Series) -> str:
    if math.isinf(row["more"]):
        return (
            f"Without more votes, {_describe_unlikely_goal(row, 'more answers by judges', 'it')}."
        )
    return (
        f"Without more votes, {row['more']:,.0f} more answers by judges, on new items, are "
        "expected to do."
    )


def _describe_unlikely_goal(row: pd.Series, what: str, goal: str) -> str:
    if row["chance"] < UNLIKELY:
        return f"{what} are not expected to do for {goal}: the chance stays at {row['chance']:.0%}"
    return f"even {row['most']:,.0f} {what} do for {goal} with a chance of only {row['chance']:.0%}"


def notes(facts: Mapping[str, Any], needed: pd.DataFrame) -> list[str]:
    """Note what a reader of a plan must know."""
    found = [
        "Errors beyond these votes are assumed to shrink as among parts of them. "
        f"{facts['shrinks']:.0%} of the variance shrinks with the votes, the rest with new "
        "items."
    ]
    votes = needed.loc[needed["way"].isin(["together", "people"]), "more"]
    if ((votes + facts["voted"] > facts["pairs"]) & (votes < math.inf)).any():
        found.append(
            f"More votes than the {facts['pairs']:,} judged pairs means new items like these."
        )
    if facts["voted"] < FEW:
        found.append(
            f"Only {pluralize(facts['voted'], 'pair')} with votes: a plan from so few is rough."
        )
    return found


VotesNeeded = Annotated[pd.DataFrame, declare_rows(NEEDED)]

STEPS = 16
"""Numbers of votes that are looked at, besides those there are."""
FARTHEST = 30
"""Times the votes so far, or the pairs judged, beyond which nothing is looked for."""
RANGE = (0.1, 0.5, 0.9)


@dataclass(frozen=True)
class _Plan:
    """Inputs of the simulation: prospects of votes with judges and of votes alone, for `top`
    ranks.
    """

    with_judges: vote_planning.Prospect
    votes_only: vote_planning.Prospect
    top: int
    seed: int

    def chances(self, way: str, votes: Floats, pairs: Floats, *, always: bool = False) -> Floats:
        """Votes with judges settle what votes alone do: judges count only where they help. The
        present state with judges is what `combine` reports, even if votes alone settle more.
        """

        def settle(prospect: vote_planning.Prospect) -> Floats:
            return vote_planning.settling_probability(
                prospect,
                self.with_judges.estimate,
                (votes, pairs),
                self.top,
                level=LEVEL,
                rng=np.random.default_rng(self.seed),
                always=always,
            )

        alone = settle(self.votes_only)
        if way == "people":
            return alone
        both, law = settle(self.with_judges), self.with_judges.law
        now = (votes <= law.votes) & (pairs <= law.pairs)
        return np.where(now, both, np.maximum(alone, both))


def plan(store: Store, selection: Selection, settings: PlanSettings) -> Finding:
    """The chance that ranks 1 to `top` are settled, by how many votes there are, and in the table
    `needed` how many settle them. The columns are declared in `core.findings.plan`.

    Each number is also given for any number of looks (`settled_always`, `more_always`). way is
    `together` (votes and judges), `people` (votes alone), or `judges` (answers to more
    pairs). What is expected is infinite where none of the numbers looked at is enough. Facts:
    method, top, voted, pairs, items, systems, judges, now (1 where `combine`, at one look,
    tells these ranks apart with what there is, else 0), shrinks (see `VarianceLaw`), verdict (see
    `state_verdict`), verdict_is_own, sentences.
    """
    selection, people = fill_sides(store, selection, settings.people)
    every = load_answered(store, selection, settings)
    pairs = every.columns()
    method = settings.method or choose_method(pairs.first, pairs.second, n=pairs.n).method
    simulated = _prepare_plan(pairs, method, settings.top, selection.seed)
    curve = _curve(simulated, len(every.judges))
    needed = _find_votes_needed(curve)
    facts = {
        "method": method,
        "top": simulated.top,
        "voted": simulated.with_judges.law.votes,
        "pairs": simulated.with_judges.law.pairs,
        "items": int(every.pairs["item"].nunique()),
        "systems": len(every.systems),
        "judges": every.names,
        "now": float(curve.loc[curve["way"] == "together", "settled"].iloc[0]),
        "shrinks": simulated.with_judges.law.shrinks,
        **quote_verdict(store, every.voters),
    }
    facts["sentences"] = sentences(facts, needed)
    return Finding(
        curve,
        write_signature(
            "plan", method=method, top=simulated.top,
            people="+".join(people), **selection.signature_values(),
            seed=selection.seed,
        ),
        every.used,
        every.unanswered,
        [*every.notes, *notes(facts, needed)],
        facts,
        {"needed": needed},
        "curve",
        COLUMNS,
        {"needed": NEEDED},
        picture="plan",
    )  # fmt: skip


def _prepare_plan(pairs: JudgedPairs, method: str, top: int | None, seed: int) -> _Plan:
    combine = partial(prediction_powered.combine, method=method)
    now = combine(pairs)
    known = int((~np.isnan(now.combined.rating)).sum())
    if known < 2:
        raise TandemError("fewer than two systems have enough votes: collect votes on their pairs")
    if top is not None and top > known:
        raise TandemError(
            f"{option_ref('top')} is {top}, and {known} systems have enough votes: name 1 "
            f"to {known}, or leave it out for all ranks"
        )
    together, alone = vote_planning.fit(pairs, combine, np.random.default_rng(seed))
    share = RATINGS[method].share
    return _Plan(
        vote_planning.Prospect(now.combined, together, share),
        vote_planning.Prospect(now.human, alone, share),
        min(top or known - 1, known - 1),
        seed,
    )


def _curve(simulated: _Plan, judges: int) -> pd.DataFrame:
    law = simulated.with_judges.law
    sizes = _votes_to_come(law)
    judged = _steps(law.pairs, FARTHEST * law.pairs)
    here = np.full(len(sizes), float(law.pairs))
    ways = [("together", sizes, here), ("people", sizes, here),
            ("judges", np.full(len(judged), float(law.votes)), judged)]  # fmt: skip
    parts = [
        pd.DataFrame(
            {
                "way": way,
                "votes": votes.astype(int),
                "more": (votes - law.votes).astype(int),
                "answers": (2 * judges * (many - law.pairs)).astype(int),
                "settled": simulated.chances(way, votes, many),
                "settled_always": simulated.chances(way, votes, many, always=True),
                "new_items": np.maximum(votes, many) > law.pairs,
            }
        )
        for way, votes, many in ways
    ]
    return pd.concat(parts, ignore_index=True)


def _votes_to_come(law: vote_planning.VarianceLaw) -> Floats:
    return _steps(law.votes, max(law.pairs, FARTHEST * law.votes))


def _steps(start: int, end: int) -> Floats:
    return np.unique(np.round(np.geomspace(start, end, STEPS + 1)))


def _find_votes_needed(curve: pd.DataFrame) -> VotesNeeded:
    rows = []
    for way, of in curve.groupby("way", sort=False):
        size = "answers" if way == "judges" else "more"
        sizes, chance = of[size].to_numpy(float), of["settled"].to_numpy(float)
        often = _read_crossings(sizes, of["settled_always"].to_numpy(float))
        row = {"way": way, **_read_crossings(sizes, chance), "more_always": often["more"]}
        row |= {f"always_{end}": often[end] for end in ("low", "high")}
        rows.append(row)
    return get_schema(VotesNeeded).make(rows)


def _read_crossings(sizes: Floats, chance: Floats) -> dict[str, float]:
    low, middle, high = (
        round_up_to_two_digits(vote_planning.crossing(sizes, chance, each)) for each in RANGE
    )
    return {"more": middle, "low": low, "high": high, "chance": chance.max(), "most": sizes[-1]}
