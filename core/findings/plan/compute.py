"""Estimate how many more votes, with judges or without, or answers by judges, settle the top
ranks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np
import pandas as pd

from ...frames import get_schema
from ...labels import round_up_to_two_digits
from ...records import TandemError, option_ref
from ...rendering import declare_rows
from ...statistics import RATINGS, Floats, JudgedPairs, prediction_powered, vote_planning
from ...store import Store
from ..budget import answer_costs
from ..combine import AnsweredPairs, load_answered
from ..judgements import Finding, Selection, fill_sides, write_signature
from ..leaderboard import method_choice, quote_verdict
from . import sentences
from .columns import COLUMNS, NEEDED
from .settings import PlanSettings

PlanCurve = Annotated[pd.DataFrame, declare_rows(COLUMNS)]
VotesNeeded = Annotated[pd.DataFrame, declare_rows(NEEDED)]

STEPS = 16
"""Numbers of votes that are looked at, besides those there are."""
FARTHEST = 30
"""Times the votes so far, or the pairs judged, beyond which nothing is looked for."""
RANGE = (0.1, 0.5, 0.9)
MORE_PAIRS = (1.0, 1.25, 1.5, 2.0, 3.0)
"""For a mix of votes and answers: numbers of judged pairs, relative to those so far."""


@dataclass(frozen=True)
class _Plan:
    """Inputs of the simulation: `prospects` of votes with judges and of votes alone, for `top`
    ranks.
    """

    with_judges: vote_planning.Prospect
    votes_only: vote_planning.Prospect
    top: int
    settings: PlanSettings
    seed: int

    def chances(self, way: str, votes: Floats, pairs: Floats, *, always: bool = False) -> Floats:
        """Votes with judges settle what votes alone do: judges count only where they help. The
        present state with judges is what `combine` reports, even if votes alone settle more.
        """
        alone = self._settling_probability(self.votes_only, votes, pairs, always)
        if way == "people":
            return alone
        both, law = (
            self._settling_probability(self.with_judges, votes, pairs, always),
            self.with_judges.law,
        )
        now = (votes <= law.votes) & (pairs <= law.pairs)
        return np.where(now, both, np.maximum(alone, both))

    def _settling_probability(
        self, prospect: vote_planning.Prospect, votes: Floats, pairs: Floats, always: bool
    ) -> Floats:
        return vote_planning.settling_probability(
            prospect,
            self.with_judges.estimate,
            (votes, pairs),
            self.top,
            level=self.settings.level,
            rng=np.random.default_rng(self.seed),
            always=always,
        )


def plan(store: Store, selection: Selection, settings: PlanSettings) -> Finding:
    """The chance that ranks 1 to `top` are settled, by how many votes there are, and in the table
    `needed` how many settle them. The columns are declared in `core.findings.plan.columns`.

    Each number is also given for any number of looks (`settled_always`, `more_always`). way is
    `together` (votes and judges), `people` (votes alone), `judges` (answers to more pairs) or, in
    the table, the cheapest `mix`. What is expected is infinite where none of the numbers looked at
    is enough; costs are NaN where a price is unknown. Facts: method, top, level, voted, pairs,
    items, systems, judges, now (1 where `combine`, at one look, tells these ranks apart with what
    there is, else 0), shrinks (see `VarianceLaw`), vote_price, answer_price, verdict (see
    `state_verdict`), verdict_is_own, sentences.
    """
    selection, people = fill_sides(store, selection, settings.people)
    every = load_answered(store, selection, settings)
    pairs = every.columns()
    method = (
        settings.method or method_choice.choose_method(pairs.first, pairs.second, n=pairs.n).method
    )
    simulated = _prepare_plan(pairs, method, settings, selection.seed)
    curve = _curve(simulated, len(every.judges))
    prices = _prices(store, selection, every, settings)
    needed = _find_votes_needed(simulated, curve, len(every.judges), prices)
    facts = {
        "method": method,
        "top": simulated.top,
        "level": settings.level,
        "voted": simulated.with_judges.law.votes,
        "pairs": simulated.with_judges.law.pairs,
        "items": int(every.pairs["item"].nunique()),
        "systems": len(every.systems),
        "judges": every.names,
        "now": float(curve.loc[curve["way"] == "together", "settled"].iloc[0]),
        "shrinks": simulated.with_judges.law.shrinks,
        "vote_price": prices[0],
        "answer_price": prices[1],
        **quote_verdict(store, every.voters),
    }
    facts["sentences"] = sentences.sentences(facts, needed)
    return Finding(
        curve,
        write_signature(
            "plan", method=method, top=simulated.top, level=settings.level,
            people="+".join(people), **selection.signature_values(),
            seed=selection.seed,
        ),
        every.used,
        every.unanswered,
        [*every.notes, *sentences.notes(facts, needed)],
        facts,
        {"needed": needed},
        "curve",
        COLUMNS,
        {"needed": NEEDED},
        picture="plan",
    )  # fmt: skip


def _prepare_plan(pairs: JudgedPairs, method: str, settings: PlanSettings, seed: int) -> _Plan:
    combine = partial(prediction_powered.combine, method=method)
    now = combine(pairs)
    known = int((~np.isnan(now.combined.rating)).sum())
    if known < 2:
        raise TandemError("fewer than two systems have enough votes: collect votes on their pairs")
    if settings.top is not None and settings.top > known:
        raise TandemError(
            f"{option_ref('top')} is {settings.top}, and {known} systems have enough votes: name 1 "
            "to "
            f"{known}, or leave it out for all ranks"
        )
    together, alone = vote_planning.fit(pairs, combine, np.random.default_rng(seed))
    share = RATINGS[method].share
    return _Plan(
        vote_planning.Prospect(now.combined, together, share),
        vote_planning.Prospect(now.human, alone, share),
        min(settings.top or known - 1, known - 1),
        settings,
        seed,
    )


def _curve(simulated: _Plan, judges: int) -> PlanCurve:
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
    """Return sizes from the present to the largest, in even ratios."""
    return np.unique(np.round(np.geomspace(start, end, STEPS + 1)))


def _find_votes_needed(
    simulated: _Plan, curve: pd.DataFrame, judges: int, prices: tuple[float, float]
) -> VotesNeeded:
    rows = []
    for way, of in curve.groupby("way", sort=False):
        size = "answers" if way == "judges" else "more"
        sizes, chance = of[size].to_numpy(float), of["settled"].to_numpy(float)
        often = _read_crossings(sizes, of["settled_always"].to_numpy(float))
        row = {"way": way, **_read_crossings(sizes, chance), "more_always": often["more"]}
        row |= {f"always_{end}": often[end] for end in ("low", "high")}
        row |= {"votes": 0.0, "answers": row["more"]} if way == "judges" else {"votes": row["more"]}
        rows.append(row)
    if not math.isnan(prices[0]):
        rows.append(_mix(simulated, judges, prices))
    found = get_schema(VotesNeeded).make(rows).fillna({"answers": 0.0})
    found["cost"] = [
        _cost(votes, answers, prices)
        for votes, answers in zip(found["votes"], found["answers"], strict=True)
    ]
    return found


def _read_crossings(sizes: Floats, chance: Floats) -> dict[str, float]:
    """Read from the curve how many more settle the ranks (with a range), and the highest
    probability.
    """
    low, middle, high = (
        round_up_to_two_digits(vote_planning.crossing(sizes, chance, each)) for each in RANGE
    )
    return {"more": middle, "low": low, "high": high, "chance": chance.max(), "most": sizes[-1]}


def _mix(simulated: _Plan, judges: int, prices: tuple[float, float]) -> dict[str, Any]:
    """The cheapest of some numbers of pairs judged, each with the votes it takes."""
    law = simulated.with_judges.law
    sizes = _votes_to_come(law)
    mixes: list[dict[str, Any]] = []
    for times in MORE_PAIRS:
        pairs = times * law.pairs
        chance = simulated.chances("together", sizes, np.full(len(sizes), pairs))
        row = {"way": "mix", **_read_crossings(sizes - law.votes, chance)}
        answers = round_up_to_two_digits(2 * judges * (pairs - law.pairs))
        mixes.append(row | {"votes": row["more"], "answers": answers})
    costs = [_cost(row["votes"], row["answers"], prices) for row in mixes]
    return mixes[int(np.nanargmin(costs))]


def _cost(votes: float, answers: float, prices: tuple[float, float]) -> float:
    """Compute the cost of votes and answers; infinite if no number is enough, even at price 0."""
    return sum(
        number * (price or math.isinf(number)) if number else 0.0
        for number, price in zip((votes, answers), prices, strict=True)
    )


def _prices(
    store: Store, selection: Selection, every: AnsweredPairs, settings: PlanSettings
) -> tuple[float, float]:
    """Return the price of a vote, and the mean price of a judge's answer; NaN where unknown."""
    vote = math.nan if settings.vote_price is None else settings.vote_price
    if settings.answer_price is not None:
        return vote, settings.answer_price
    return vote, float(np.mean(answer_costs(store, selection, every.names)))
