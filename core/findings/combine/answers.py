"""Judgements of a selection as pairs of texts that judges answered and people voted on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...labels import pluralize
from ...records import Kind, TandemError, option_ref
from ...statistics import Floats, JudgedPairs
from ...store import Store
from ..judgements.answers import fill_sides, find_judges, list_comparers, select_judgements
from ..judgements.debiasing import Caution, note_unanimity, warn_of_unusable
from ..judgements.population import code_families
from ..judgements.provenance import is_collecting, mark_rest, note_weighed, pooling_notes
from ..judgements.selection import Selection, check_selection, name_some, selection_notes
from ..judgements.verdicts import PAIR, orient
from ..leaderboard import reweighting
from .columns import EstimateSettings
from .sampling import check_sampling

ABOUT = ["item", "family", "system_1", "system_2"]
FEWEST = 10
"""Items with votes that an estimate takes; simulated, see tests/coverage/results.md."""


@dataclass(frozen=True)
class AnsweredPairs:
    """The pairs that all judges answered: `pairs` has a row for each with attribute, item,
    family, system_1 < system_2, candidate_1, candidate_2, `voted` (people's points for the
    first, NaN without), `votes`, `since` (which vote behind `sampled` was its first), `weight`,
    `inclusion`, and a column for each judge by its place, 0, 1 ... `sampled` and
    `sampled_inclusion` are `voted` and `inclusion` without votes on the rest that judges were
    not trusted with.

    Votes are of these `kinds`, `gold` labels where nobody else gave them, and `marks` where each
    comes out of two scores. `unsampled` votes are on pairs with an unknown inclusion probability.
    `judges` has judge, kind, pairs (that it answered), unanswered.
    """

    pairs: pd.DataFrame
    judges: pd.DataFrame
    systems: tuple[str, ...]
    people: tuple[str, ...]
    gold: bool
    kinds: tuple[str, ...]
    marks: bool
    unsampled: int
    used: int
    unanswered: Mapping[str, int]
    caution: Caution
    notes: tuple[str, ...]
    voters: Selection
    """The votes of people alone."""
    collecting: bool
    """Whether more votes, or answers of these judges, are coming in."""
    given: pd.DataFrame | None = None
    """The votes behind `sampled`, in the order in which they came."""

    def average_first(self, place: float) -> Floats:
        """Average the votes behind `sampled` up to that at a place, as `since` counts (m,)."""
        if self.given is None:
            return self.pairs["sampled"].to_numpy(float)
        mean = _votes(self.given.iloc[: int(place) + 1]).set_index(PAIR)["voted"]
        return mean.reindex(pd.MultiIndex.from_frame(self.pairs[PAIR])).to_numpy(float)

    @property
    def names(self) -> list[str]:
        """Names of the judges."""
        return list(self.judges["judge"])

    def columns(self) -> JudgedPairs:
        """Return the pairs as the statistics need them."""
        frame = self.pairs
        first, second = (
            np.searchsorted(self.systems, frame[side].to_numpy()).astype(np.int64)
            for side in ("system_1", "system_2")
        )
        return JudgedPairs(
            first,
            second,
            code_families(frame),
            frame[list(range(len(self.judges)))].to_numpy(float),
            frame["voted"].to_numpy(float),
            len(self.systems),
            weights=frame["weight"].to_numpy(float),
            inclusion=frame["inclusion"].to_numpy(float),
        )


class AnswerSources(NamedTuple):
    """Names of people and judges, whether `scores` are needed to know what they say, whether
    people's are `marks`, and what a reader must know of it.
    """

    people: tuple[str, ...]
    judges: tuple[str, ...]
    scores: bool
    marks: bool
    notes: list[str]


def load_answered(store: Store, selection: Selection, settings: EstimateSettings) -> AnsweredPairs:
    """Load the answers of people and judges on the pairs that all judges answered. Raises
    TandemError if there are too few of either.
    """
    selection, named = fill_sides(store, selection, settings.people)
    who = _choose_people_and_judges(store, selection, named)
    people, judges = who.people, who.judges
    chosen = replace(selection, judges=(*people, *judges), scores=who.scores)
    every, unanswered = select_judgements(store, chosen, rest=True)
    frame = every.dropna(subset="points")
    frame = reweighting.add_inclusion(store, selection.dataset, frame)
    voting = frame["judge"].isin(people)
    is_rest = mark_rest(store, selection.dataset, frame)
    sampled = frame[voting & ~is_rest]
    votes, said = _votes(frame[voting]), _average_judges(frame[~voting])
    at_random = _votes(sampled)[[*PAIR, "voted", "inclusion", "since"]]
    votes = votes.drop(columns="since").merge(
        at_random.set_axis([*PAIR, "sampled", "sampled_inclusion", "since"], axis=1), how="left"
    )
    table = _table(judges, said, every)
    pairs = _select_common_pairs(said, table)
    pairs = pairs.merge(votes, on=PAIR, how="left")
    pairs["votes"] = pairs["votes"].fillna(0).astype(int)
    pairs["inclusion"] = pairs["inclusion"].fillna(1.0)
    given = pairs[pairs["votes"] > 0]
    weighed = reweighting.weigh_shared(store, selection.dataset, given, pairs)
    pairs.loc[given.index, "inclusion"] = weighed
    systems = tuple(sorted({*pairs["system_1"], *pairs["system_2"]}))
    _check(pairs, votes, people)
    asked = check_sampling(store, selection, frame[voting], pairs)
    caution = warn_of_unusable(frame[~voting], "its verdicts add nothing to votes")
    notes = (
        *caution.cautions,
        *who.notes,
        *_attributes(pairs),
        *pooling_notes(frame),
        *selection_notes(store, replace(selection, judges=(*named, *selection.judges)), rest=True),
        *note_weighed(is_rest[voting]),
        *note_unanimity(store, judges),
        *_left_out(pairs, votes, table),
        *asked.notes,
    )
    kinds = set(frame.loc[voting, "kind"])
    return AnsweredPairs(
        pairs,
        table,
        systems,
        people,
        kinds == {Kind.GOLD},
        tuple(sorted(kinds)),
        who.marks,
        asked.unknown,
        len(frame),
        Counter(unanswered),
        caution,
        notes,
        replace(chosen, judges=people),
        is_collecting(store, selection.dataset, every),
        sampled,
    )


def _choose_people_and_judges(
    store: Store, selection: Selection, named: tuple[str, ...]
) -> AnswerSources:
    check_selection(store, selection)
    people, of_votes = _find_people(store, selection, named)
    if not people:
        raise TandemError(
            "no human votes here yet: annotate some pairs, import votes, or say whose answers are "
            f"the truth with {option_ref('people')}"
        )
    judges, of_answers = _find_people(store, selection, selection.judges)
    if not judges:
        others = list_comparers(store, selection.dataset)
        names = others.loc[~others["judge"].isin(people), "judge"].unique()
        way = f"name judges with {option_ref('judges')}, of {name_some(names)}"
        raise TandemError(f"no model has judged here: {way if len(names) else 'run one first'}")
    twice = [name for name in judges if name in people]
    if twice:
        raise TandemError(
            f"{twice[0]!r} cannot be both a judge and one of the people: name people with "
            f"{option_ref('people')} and judges with {option_ref('judges')}"
        )
    notes = (
        [] if of_votes else [f"The scores of {name_some(people)} count as votes: the higher wins."]
    )
    scores = selection.scores or not (of_votes and of_answers)
    return AnswerSources(people, judges, scores, not of_votes, notes)


def _find_people(
    store: Store, selection: Selection, wanted: Sequence[str]
) -> tuple[tuple[str, ...], bool]:
    """The names of those who are wanted, and whether they have compared; where none of them has,
    of those who have given scores. Raises TandemError for a name that nobody has.
    """
    there = list_comparers(store, selection.dataset)
    if selection.attribute:
        there = there[there["attribute"] == selection.attribute]
    compared = there[~there["by_name"]]
    votes = bool((compared["judge"].isin(wanted) | compared["kind"].isin(wanted)).any())
    meant = there["judge"].isin(wanted) | there["kind"].isin(wanted)
    out = store.exclusions.kinds(selection.dataset).values()
    if not meant.any() and set(wanted) <= set(Kind) and not set(wanted) & set(out):
        return (), True
    scores = selection.scores or not votes
    chosen = find_judges(store, replace(selection, judges=tuple(wanted), scores=scores))
    return tuple(chosen["judge"]), votes


def _values(frame: pd.DataFrame, points: pd.Series) -> pd.DataFrame:
    rows = orient(frame.assign(points=points))
    return rows.rename(columns={"points_1": "value"})


def _votes(frame: pd.DataFrame) -> pd.DataFrame:
    """Average the votes of each pair: `voted`, the mean over people's means, `votes`, and the
    inclusion probability.
    """
    rows = _values(frame, frame["points"])
    of_each = rows.groupby([*PAIR, "judge"], sort=False)["value"].mean()
    groups = rows.groupby(PAIR, sort=False)
    found = of_each.groupby(PAIR, sort=False).mean().rename("voted").to_frame()
    found["votes"] = groups.size()
    found["inclusion"] = groups["inclusion"].max()
    found["since"] = rows.assign(place=range(len(rows))).groupby(PAIR, sort=False)["place"].min()
    return found.reset_index()


def _average_judges(frame: pd.DataFrame) -> pd.DataFrame:
    """Average each judge's answers on each pair: first over trials, then over both orders.
    Probabilities are used where there are some.
    """
    rows = _values(frame, frame["prob_a"].fillna(frame["points"]))
    keys = [*PAIR, "judge"]
    of_order = rows.groupby([*keys, "turned"], sort=False)["value"].mean()
    found = of_order.groupby(keys, sort=False).mean().to_frame()
    groups = rows.groupby(keys, sort=False)
    found["inclusion"] = groups["inclusion"].max()
    found[ABOUT] = groups[ABOUT].first()
    return found.reset_index()


def _table(judges: Sequence[str], said: pd.DataFrame, every: pd.DataFrame) -> pd.DataFrame:
    lost = every[every["points"].isna()].groupby("judge").size()
    kinds = every.drop_duplicates("judge").set_index("judge")["kind"]
    number = said.groupby("judge").size()
    found = pd.DataFrame({"judge": [name for name in judges if number.get(name, 0)]})
    if found.empty:
        raise TandemError(
            f"{name_some(judges)} answered nothing here: run them, or name others with "
            f"{option_ref('judges')}"
        )
    return found.assign(
        kind=found["judge"].map(kinds),
        pairs=found["judge"].map(number).astype(int),
        unanswered=found["judge"].map(lost).fillna(0).astype(int),
    )


def _select_common_pairs(said: pd.DataFrame, judges: pd.DataFrame) -> pd.DataFrame:
    """Select the pairs that all these judges answered, each weighted by 1 / its lowest inclusion
    probability.
    """
    about = said.drop_duplicates(PAIR)[[*PAIR, *ABOUT]]
    values = said.pivot(index=PAIR, columns="judge", values="value")[list(judges["judge"])]
    values.columns = pd.RangeIndex(len(judges))
    rarest = said.groupby(PAIR)["inclusion"].min()
    pairs = about.merge(values.dropna().reset_index(), on=PAIR)
    if pairs.empty:
        raise TandemError(
            f"no pair was answered by all of {name_some(judges['judge'])}: name fewer with "
            f"{option_ref('judges')}"
        )
    weight = 1 / rarest.loc[pd.MultiIndex.from_frame(pairs[PAIR])].to_numpy(float)
    return pairs.assign(weight=weight)


def _check(pairs: pd.DataFrame, votes: pd.DataFrame, people: Sequence[str]) -> None:
    voted = pairs.dropna(subset="voted")
    items = voted["family"].nunique()
    if voted.empty:
        raise TandemError(
            f"{name_some(people)} voted on {pluralize(len(votes), 'pair')}, and the judges "
            "answered none of them: ask both about the same pairs"
        )
    if items < FEWEST:
        more = FEWEST - items
        raise TandemError(
            f"all judges answered {pluralize(items, 'item')} with votes; an estimate takes "
            f"{FEWEST}: collect {more} more, or choose fewer {option_ref('judges')}"
        )


def _attributes(pairs: pd.DataFrame) -> list[str]:
    names = pairs["attribute"].drop_duplicates().tolist()
    if len(names) < 2:
        return []
    return [f"{len(names)} attributes are pooled, {name_some(names)}: a pair counts once for each."]


def _left_out(pairs: pd.DataFrame, votes: pd.DataFrame, judges: pd.DataFrame) -> list[str]:
    found = []
    outside = int(votes["votes"].sum() - pairs["votes"].sum())
    if outside:
        found.append(
            f"The combined estimate leaves out {pluralize(outside, 'vote')} on pairs that some "
            "judge did not answer."
        )
    fewer = judges[judges["pairs"] > len(pairs)]
    if len(fewer):
        rarest = judges.sort_values("pairs", kind="stable").iloc[0]
        found.append(
            f"Only the {len(pairs):,} pairs that all judges answered count; {rarest['judge']} "
            f"answered the fewest, {rarest['pairs']:,}."
        )
    failed = int(judges["unanswered"].sum())
    if failed:
        times = "once" if failed == 1 else f"{failed:,} times"
        found.append(f"Judges gave no answer {times}: such answers are missing, and never a tie.")
    return found
