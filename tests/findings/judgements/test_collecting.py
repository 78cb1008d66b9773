"""While votes are coming in, leaderboards hold at every look, or say that they hold at one."""

from __future__ import annotations

import pytest

from core import campaigns
from core.findings.judgements import COLLECTING, Selection
from core.findings.leaderboard import RankSettings, leaderboard
from core.pairing import open_default, planning
from core.records import Answer, Outcome, Status
from core.runs import execution
from core.store import Store
from tests.asking import LONGER
from tests.study import DATASET, ask, fill

PEOPLE, MODELS = (Selection(DATASET, judges=(kind,)) for kind in ("human", "baseline"))


def vote(store: Store, most: int = 1000) -> None:
    """Ada answers so many of the questions that are left for her."""
    while most and (shown := ask(store, "Ada")):
        first = shown.generation_a < shown.generation_b
        campaigns.answer(store, "Ada", shown, Answer(Outcome.A if first else Outcome.B))
        most -= 1


def is_cautious(store: Store, selection: Selection = PEOPLE) -> bool:
    """Whether ranks hold at every look; where they are to hold at one, a note says so."""
    chosen = leaderboard(store, selection, RankSettings()).facts["resolve"]
    once = leaderboard(store, selection, RankSettings(resolve="together"))
    assert (COLLECTING in once.notes) == (chosen == "always")
    return bool(chosen == "always")


@pytest.fixture
def voted(store: Store) -> Store:
    """Half of the votes that an open campaign asks for."""
    fill(store, items=8)
    open_default(store, DATASET)
    campaigns.enrol(store, "Ada")
    vote(store, 12)
    return store


def test_a_leaderboard_of_a_campaign_that_can_go_on_holds_at_every_look(voted: Store) -> None:
    """Also of one that is paused: whoever pauses it to look, and opens it again, has looked. One
    that is closed or through needs no caution.
    """
    campaign = voted.campaigns.default(DATASET).id
    assert is_cautious(voted)
    always, once = (
        leaderboard(voted, PEOPLE, RankSettings(method="win-ratio", resolve=resolve))
        for resolve in ("", "together")
    )
    by_name = (board.rows.set_index("system").sort_index() for board in (always, once))
    wide, narrow = (rows["high"] - rows["low"] for rows in by_name)
    assert (wide > narrow).any()
    assert "resolve:always" in always.signature
    assert always.interval != once.interval
    voted.campaigns.set_status(campaign, "paused")
    assert is_cautious(voted)
    voted.campaigns.set_status(campaign, "open")
    before = voted.judgement_frames.stamp(DATASET)
    voted.campaigns.set_status(campaign, "closed")
    assert not is_cautious(voted)
    assert voted.judgement_frames.stamp(DATASET) != before, "what is cached is made anew"
    voted.campaigns.set_status(campaign, "open")
    vote(voted)
    assert not is_cautious(voted)


def test_a_run_at_work_is_about_its_own_judge(voted: Store) -> None:
    run = planning.enqueue(voted, LONGER.spec, planning.Request(DATASET))
    execution.execute(voted, run)
    assert not is_cautious(voted, MODELS)
    voted.runs.set_status(run, Status.RUNNING)
    assert is_cautious(voted, MODELS)
    voted.campaigns.set_status(voted.campaigns.default(DATASET).id, "closed")
    assert not is_cautious(voted, PEOPLE)
