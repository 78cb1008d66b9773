"""Choose the leaderboard that a reader sees first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...labels import POOLS
from ...records import Kind, choose_voting_kind
from ...store import Store
from ..judgements import Comparers, Selection, list_selected_comparers, minimum


def choose_first_board(store: Store, selection: Selection) -> Selection:
    """Choose whose leaderboard comes first: that of the judges who are named, else of people if
    their votes are enough to name a leader, else of judges.

    Simulated annotators take people's place if nobody has voted. Without anybody who compares, the
    selection stays as it is.
    """
    comparers = list_selected_comparers(store, selection)
    if selection.judges or comparers.empty:
        return selection
    votes = comparers["kind"] == choose_voting_kind(comparers["kind"])
    shown = comparers[votes if has_leading_votes(store, selection.dataset) else ~votes]
    judges, *_ = list_pools(comparers if shown.empty else shown).values()
    return replace(selection, judges=judges)


def has_leading_votes(store: Store, dataset: str) -> bool:
    """Return whether people, or simulated annotators in their place, voted often enough to name a
    leader.
    """
    answered = store.judgement_frames.count_answers(dataset)
    given = answered[answered["kind"] == choose_voting_kind(answered["kind"])]
    votes = int((given["asked"] - given["failed"]).sum())
    systems = len(store.datasets.systems(dataset))
    return minimum.count_ranking_answers(systems, votes).is_enough


def list_pools(comparers: Comparers) -> Mapping[str, tuple[str, ...]]:
    """Return whose boards there are, by what people call them: groups first, then single judges,
    then the pools of baselines and simulated annotators.
    """
    kinds = set(comparers["kind"])
    groups = {name: (kind.value,) for kind, name in POOLS.items() if kind in kinds}
    names = sorted(
        set(comparers["judge"]), key=lambda name: (name.startswith("baseline:random"), name)
    )
    one_by_one = {name: (name,) for name in names}
    # A pool of baselines means little: it is there, but not first. So is one of simulated
    # annotators beside anybody else.
    last = [Kind.BASELINE, *([Kind.SIMULATED] if len(kinds) > 1 else [])]
    pool = {POOLS[kind]: groups.pop(POOLS[kind]) for kind in last if POOLS[kind] in groups}
    return {**groups, **one_by_one, **pool}
