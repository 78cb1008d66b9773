"""Leaderboards of votes that lie in files, counted there: nothing is stored.

A win ratio, Bradley-Terry and their intervals need only counts of each outcome by pair of systems,
order and item. All else needs each vote: it is computed in a temporary store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ...importing import (
    SOMEBODY,
    USUAL,
    CountedVotes,
    NotCountedError,
    Progress,
    Reading,
    VoteCounts,
    count,
    find_paths,
    importer,
)
from ...labels import OVER, describe_left_out
from ...records import Dataset, Kind, Outcome, TandemError, option_ref
from ...scratch import scratch
from ...statistics import RATINGS
from ...store import Store
from ..judgements.answers import POINTS, select_answered
from ..judgements.finding import Finding
from ..judgements.population import Population
from ..judgements.selection import Selection, name_some
from .boards import make_boards
from .boards import rank_by_attribute as by_attribute_of_store
from .compute import leaderboard, make_board
from .rating_input import SYSTEMS, RatingInput
from .settings import RankSettings

COUNTED = tuple(
    name
    for name, how in RATINGS.items()
    if how.outcome == "decisions" and not how.in_order and not how.needs
)
"""Methods that need counts alone."""
OVER_VOTES = tuple(over for over in OVER if over not in ("judges", "both"))
"""What intervals speak of where nobody knows who gave which vote."""


def rank_votes(
    paths: Sequence[str | Path],
    selection: Selection,
    settings: RankSettings,
    *,
    by_attribute: bool = False,
    reading: Reading = USUAL,
    progress: Progress | None = None,
) -> Finding:
    """Rank systems by the votes in files: the columns of `leaderboard` and, `rank_by_attribute`,
    of `rank_by_attribute`.

    `paths` are files, folders and patterns, `reading` is as `import` takes it.
    Facts besides: `read` (rows) and `skipped` (reason -> how many), `alarms` (where these differ in
    who wins), `items_grouped`, and `position`, how often the system shown first won. Raises
    TandemError for files that import would refuse.
    """
    if selection.item_set:
        raise TandemError(
            f"{option_ref('item_set')} {selection.item_set} is a set of a store, and these votes "
            "are in files: leave it out, or import them"
        )
    if len(selection.systems) == 2:
        # where no column names them
        reading = replace(reading, systems=reading.systems or selection.systems)
    files = find_paths(paths)
    named = tuple(name for name in selection.judges if name not in tuple(Kind))
    wanted = CountedVotes(named, selection.items, selection.subset, selection.families)
    counts = None
    if not _needs_each_vote(selection, settings):
        with suppress(NotCountedError):
            counts = count(files, wanted, reading, progress=progress)
    if counts is None:
        return _rank_stored(files, selection, settings, reading, by_attribute, progress)
    chosen = _CountedVotes(counts)
    if by_attribute:
        attributes = sorted(chosen.select_votes(selection)["attribute"].unique())
        result = make_boards(chosen.prepare_comparisons, attributes, selection, settings)
    else:
        result = make_board(chosen.prepare_comparisons, selection, settings, 1)
    facts = {
        "read": counts.rows,
        "skipped": dict(counts.skipped),
        "alarms": list(counts.alarms),
        "items_grouped": counts.grouped and not counts.has_unnamed_items,
    }
    return _add_facts(result, counts.notes, facts, chosen.select_votes(selection))


def _rank_stored(
    paths: Sequence[Path],
    selection: Selection,
    settings: RankSettings,
    reading: Reading,
    by_attribute: bool,
    progress: Progress | None,
) -> Finding:
    """Compute a board vote by vote, as `import` and `rank` would, in a temporary store. Needed if
    counts are not enough, or rows of the files have to be compared.
    """
    with scratch() as folder, Store(Path(folder, "votes.sqlite3")) as store:
        given = {"progress": progress} if progress else {}
        report = importer.load(store, paths, Dataset("votes"), reading, **given)
        whole = replace(selection, dataset="votes")
        rank = by_attribute_of_store if by_attribute else leaderboard
        result = rank(store, whole, settings)
        answered, _ = select_answered(store, whole)
    facts = {
        "read": report.rows,
        "skipped": dict(Counter(str(row["reason"]) for row in report.skipped)),
        "alarms": list(report.alarms),
        "items_grouped": False,
    }
    return _add_facts(result, report.warnings, facts, answered.assign(times=1))


def _needs_each_vote(selection: Selection, settings: RankSettings) -> bool:
    return (
        (bool(settings.method) and settings.method not in COUNTED)
        or settings.over not in OVER_VOTES
        or settings.debias != "none"
        or settings.reweight
        or bool(selection.runs or selection.trials or selection.strategies)
    )


KINDS = ["system_a", "system_b", "outcome", "points", "attribute", "kind"]


@dataclass(frozen=True)
class _CountedVotes:
    counts: VoteCounts

    def select_votes(self, selection: Selection) -> pd.DataFrame:
        """Select the vote counts in a selection, with their points. Raises TandemError if no votes
        are left.
        """
        votes = self.counts.votes
        votes = votes.assign(points=votes["outcome"].map(POINTS).astype(float))
        for name in selection.systems:
            _check_known("system", name, pd.concat([votes["system_a"], votes["system_b"]]))
        if selection.systems:
            votes = votes[votes[list(SYSTEMS)].isin(selection.systems).all(axis=1)]
        if selection.attribute:
            _check_known("attribute", selection.attribute, votes["attribute"])
            votes = votes[votes["attribute"] == selection.attribute]
        wanted = selection.judges or (Kind.HUMAN.value,)
        meant = votes["kind"].isin(wanted) | votes["judge"].isin(set(wanted) - set(Kind))
        if votes.empty or not meant.any():
            raise _make_no_votes_error(votes, selection)
        return votes[meant]

    def prepare_comparisons(self, selection: Selection, settings: RankSettings) -> RatingInput:
        """Prepare the input of a method. Raises TandemError if there is nothing it can use."""
        votes, notes = self.select_votes(selection), list[str]()
        unanswered = votes[votes["outcome"].isna()].groupby("failure")["times"].sum()
        answered = votes[votes["outcome"].notna()]
        rated = answered[answered["order_known"] == 1] if settings.position_term else answered
        left_out = int(answered["times"].sum() - rated["times"].sum())
        if left_out:
            notes.append(f"{describe_left_out(left_out, 'judgement', 'with no known order')}.")
        if settings.ties == "drop":
            rated = rated[rated["points"] != 0.5]
        if rated.empty:
            raise TandemError(
                "nothing is left to rank: no judgement was answered, or all were ties, which were "
                "to be left out"
            )
        judges = None if SOMEBODY in set(votes["judge"]) else votes["judge"].nunique()
        frame, over = self._by_item(rated, settings.position_term), settings.over or "items"
        number, groups = self._estimate_items(frame), frame["item"].nunique()
        if self.counts.grouped and not self.counts.has_unnamed_items and groups < number:
            notes.append(
                f"There are about {number:,} items: intervals take them in {groups:,} "
                "groups, put together at random."
            )
        items = None
        if self.counts.has_unnamed_items or over == "judgements":
            frame = frame.groupby(KINDS, observed=True)["times"].sum().reset_index()
            frame = frame.assign(item=0, family=0)
        else:
            items = pd.factorize(frame["item"])[0]
        frame = frame.assign(outcome=frame["points"])
        return RatingInput(
            frame,
            frame,
            self._by_item(answered, ordered=False),
            int(rated["times"].sum()),
            {str(reason): int(times) for reason, times in unanswered.items()},
            tuple(notes),
            drawn=Population(over, items, None, judges),
            items=number,
        )

    def _by_item(self, votes: pd.DataFrame, ordered: bool) -> pd.DataFrame:
        """KINDS, item and times of these kinds of vote; unless they are to be `ordered`, with the
        system first by name as system_a.
        """
        kinds = votes if ordered else _orient(votes)
        code = kinds.groupby(KINDS, sort=True).ngroup()
        table = kinds.assign(code=code).drop_duplicates("code").set_index("code")[KINDS]
        place = np.full(len(self.counts.votes), -1)
        place[votes.index] = code
        every = self.counts.of_items
        kept = every.assign(code=place[every["vote"]])
        kept = kept[kept["code"] >= 0].groupby(["code", "item"])["times"].sum().reset_index()
        for name in SYSTEMS:  # texts are slow where there are millions
            table[name] = table[name].astype("category")
        rows = table.loc[kept["code"]].reset_index(drop=True)
        return rows.assign(item=kept["item"], family=kept["item"], times=kept["times"])

    def _estimate_items(self, frame: pd.DataFrame) -> int:
        """Estimate the number of items of these votes. If groups are a sample, counts occupied
        groups (linear counting; Whang, Vander-Zanden and Taylor 1990, eq. 1); otherwise returns the
        upper bound.
        """
        counts, judgements = self.counts, int(frame["times"].sum())
        if counts.has_unnamed_items:
            return judgements
        taken = frame["item"].nunique()
        if not counts.grouped:
            return taken
        most = min(counts.items, judgements)
        if taken >= min(counts.of_items["item"].nunique(), counts.groups):
            return most
        return min(most, int(-counts.groups * np.log1p(-taken / counts.groups) + 0.5))


def _orient(votes: pd.DataFrame) -> pd.DataFrame:
    turned = (votes["system_a"] > votes["system_b"]).to_numpy()
    first, second = votes["system_a"], votes["system_b"]
    sides = {Outcome.A.value: Outcome.B.value, Outcome.B.value: Outcome.A.value}
    return votes.assign(
        system_a=first.where(~turned, second),
        system_b=second.where(~turned, first),
        points=votes["points"].where(~turned, 1 - votes["points"]),
        outcome=votes["outcome"].where(~turned, votes["outcome"].replace(sides)),
    )


def _check_known(what: str, name: str, there: pd.Series) -> None:
    if name not in set(there):
        raise TandemError(f"unknown {what} {name!r}; there are {name_some(sorted(set(there)))}")


def _make_no_votes_error(votes: pd.DataFrame, selection: Selection) -> TandemError:
    if votes.empty:
        return TandemError("there are no such votes in these files: choose other systems")
    kinds = ", ".join(sorted(set(votes["kind"])))
    named = " or ".join(selection.judges)
    whose = f"no votes by {named} here" if named else "no human has voted here"
    return TandemError(f"{whose}: choose with {option_ref('judges')} {kinds}, or by name")


def _add_facts(
    result: Finding, notes: Sequence[str], facts: Mapping[str, Any], votes: pd.DataFrame
) -> Finding:
    """Add what was read, and how often the system shown first won (`position`): `p_first` among the
    `decisive` votes with a known order, and `first_share` among all votes with one.
    """
    shown = votes[(votes["order_known"] == 1) & votes["outcome"].notna()]
    times = shown["times"].to_numpy(float)
    won, decided = shown["points"].to_numpy() == 1.0, shown["points"].to_numpy() != 0.5
    decisive, answers = times[decided].sum(), times.sum()
    position = {
        "p_first": float(times[won].sum() / decisive) if decisive else None,
        "decisive": int(decisive),
        "first_share": float(times[won].sum() / answers) if answers else None,
        "answers": int(answers),
    }
    every = {**result.facts, **facts, "position": position}
    return replace(result, notes=[*notes, *result.notes], facts=every)
