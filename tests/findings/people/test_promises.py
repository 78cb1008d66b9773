"""A study's promise: stored before the first vote, never overwritten, and what intervals follow."""

from __future__ import annotations

import sqlite3

import pytest

from core import campaigns
from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, leaderboard
from core.findings.people import PromiseSettings, promise, promises
from core.pairing import Choice, open_default
from core.records import TandemError
from core.reporting import ReportScope, compiled
from core.store import Campaign, Promise, Store, dataset_decisions
from tests.findings.judgements.test_collecting import PEOPLE, vote
from tests.study import DATASET, fill


@pytest.fixture
def campaign(store: Store) -> Campaign:
    """24 pairs, nobody has voted."""
    fill(store, items=8)
    open_default(store, DATASET)
    campaigns.enrol(store, "Ada")
    return store.campaigns.default(DATASET)


def find_resolve(store: Store) -> str:
    return str(leaderboard(store, PEOPLE, RankSettings()).facts["resolve"])


def test_intervals_of_one_look_hold_at_the_promised_number_only(
    store: Store, campaign: Campaign
) -> None:
    stamp = store.judgement_frames.stamp(DATASET)
    promise(store, campaign, PromiseSettings(16))
    assert store.judgement_frames.stamp(DATASET) != stamp, "what is cached is made anew"
    for votes, resolve in ((12, "always"), (4, "together"), (8, "always")):
        vote(store, votes)
        assert find_resolve(store) == resolve
    store.campaigns.set_status(campaign.id, "closed")
    assert find_resolve(store) == "always", "it stopped at 24, not at the 16 that were fixed"
    assert not promises(store, Selection(DATASET)).facts["fixed"]


def test_before_the_first_vote_nothing_is_said_of_intervals(
    store: Store, campaign: Campaign
) -> None:
    """Other votes, such as those of a file, may have theirs, of one look."""
    promise(store, campaign, PromiseSettings(16))
    [said] = promises(store, Selection(DATASET)).facts["sentences"]
    assert "ntervals" not in said
    vote(store, 1)
    [said] = promises(store, Selection(DATASET)).facts["sentences"]
    assert "Intervals hold whenever you look" in said


def test_who_stops_when_it_is_settled_has_intervals_for_every_look(
    store: Store, campaign: Campaign
) -> None:
    promise(store, campaign, PromiseSettings(12, "settled"))
    vote(store, 12)
    store.campaigns.set_status(campaign.id, "closed")
    assert find_resolve(store) == "always"


def test_a_promise_after_the_first_vote_fixes_nothing(store: Store, campaign: Campaign) -> None:
    """Nor where the vote was withdrawn: it was seen."""
    vote(store, 1)
    [given] = store.connection.rows("SELECT id FROM judgements")
    store.connection.execute(
        "UPDATE judgements SET withdrawn_at = '2026-11-26T00:00:00Z' WHERE id = ?", given
    )
    made = promise(store, campaign, PromiseSettings(12))
    assert (made.votes_before, made.was_made_beforehand) == (1, False)
    vote(store, 12)
    assert find_resolve(store) == "always", "an open campaign, as without a promise"


def test_a_promise_of_a_new_campaign_knows_of_the_votes_of_another(
    store: Store, campaign: Campaign
) -> None:
    """Its votes are counted together with those that were there to look at."""
    vote(store, 12)
    store.campaigns.set_status(campaign.id, "closed")
    other = campaigns.open_campaign(store, "second", Choice(dataset=DATASET), campaigns.Design())
    made = promise(store, other, PromiseSettings(12))
    assert (made.votes_before, made.was_made_beforehand) == (12, False)


def test_a_change_is_another_row_with_its_reason(store: Store, campaign: Campaign) -> None:
    promise(store, campaign, PromiseSettings(12, epsilon=0.2, beside=("hf:x",)))
    vote(store, 12)
    with pytest.raises(TandemError, match="say why"):
        promise(store, campaign, PromiseSettings(24))
    promise(store, campaign, PromiseSettings(24, reason="two systems were close"))
    found = promises(store, Selection(DATASET))
    assert found.rows["votes"].tolist() == [12, 24]
    assert found.rows["votes_before"].tolist() == [0, 12]
    assert found.rows["epsilon"].iloc[0] == 0.2
    assert found.rows["judges"].iloc[0] == ("hf:x",)
    assert "two systems were close" in found.facts["sentences"][0]
    vote(store, 12)
    store.campaigns.set_status(campaign.id, "closed")
    assert find_resolve(store) == "always", "24 was chosen after 12 were seen"
    assert not promises(store, Selection(DATASET)).facts["fixed"]
    for statement in ("UPDATE promises SET votes = 12", "DELETE FROM promises"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            store.connection.execute(statement)
    dataset_decisions.delete(store, "Grace", DATASET)
    assert store.connection.value("SELECT count(*) FROM promises") == 0


def test_what_cannot_be_promised_is_refused(store: Store, campaign: Campaign) -> None:
    with pytest.raises(TandemError, match="does not ask about 'speed'"):
        promise(store, campaign, PromiseSettings(12, about=("speed",)))
    with pytest.raises(TandemError, match="at least 1"):
        PromiseSettings(0)
    with pytest.raises(TandemError, match="from 0 to 1"):
        PromiseSettings(12, epsilon=1.5)
    assert store.promises.of(campaign.id) == []


def test_a_report_prints_it(store: Store, campaign: Campaign) -> None:
    promise(store, campaign, PromiseSettings(12))
    vote(store, 12)
    report = compiled(store, ReportScope(Selection(DATASET)))
    [section] = [one for one in report.sections if one.title == "What was promised"]
    assert "12 votes were promised" in section.lead
    assert "kept" in section.lead
    assert report.document()["promises"]["fixed"] is True


@pytest.mark.parametrize(("given", "kept"), [(99, False), (100, True), (105, True), (106, False)])
def test_a_few_votes_more_may_have_been_on_screens(given: int, kept: bool) -> None:
    """5% more."""
    assert Promise(100, "number").is_kept_at(given) == kept
