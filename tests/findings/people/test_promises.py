"""A study's promise: stored before the first vote, never overwritten, and what intervals follow."""

from __future__ import annotations

import re
import sqlite3
from typing import Any

import pytest

from core import campaigns
from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, leaderboard
from core.findings.people import PromiseSettings, promise, promises
from core.pairing import Choice, open_default, planning
from core.records import TandemError
from core.reporting import ReportScope, compile_report
from core.runs import execution
from core.store import Campaign, Promise, Store, dataset_decisions
from tests.asking import LONGER
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
    assert re.search(r"\bIntervals\b.*\bwhenever\b", said)


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
    reason = "two systems were close"
    promise(store, campaign, PromiseSettings(24, reason=reason))
    found = promises(store, Selection(DATASET))
    assert found.rows["votes"].tolist() == [12, 24]
    assert found.rows["votes_before"].tolist() == [0, 12]
    assert found.rows["epsilon"].iloc[0] == 0.2
    assert found.rows["judges"].iloc[0] == ("hf:x",)
    assert reason in found.facts["sentences"][0]
    vote(store, 12)
    store.campaigns.set_status(campaign.id, "closed")
    assert find_resolve(store) == "always", "24 was chosen after 12 were seen"
    assert not promises(store, Selection(DATASET)).facts["fixed"]
    for statement in ("UPDATE promises SET votes = 12", "DELETE FROM promises"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            store.connection.execute(statement)
    dataset_decisions.delete(store, "Grace", DATASET)
    assert store.connection.value("SELECT count(*) FROM promises") == 0


def test_the_number_is_of_votes_about_the_promised_attributes(store: Store) -> None:
    """Of two attributes one is promised; answers about both come in turn."""
    fill(store, items=8, attributes=("coherence", "fluency"))
    open_default(store, DATASET)
    campaigns.enrol(store, "Ada")
    promise(store, store.campaigns.default(DATASET), PromiseSettings(10, about=("coherence",)))
    for _ in range(48):
        given = count_answers(store, "coherence")
        result = promises(store, Selection(DATASET))
        assert result.rows["given"].tolist() == [given]
        assert result.rows["kept"].tolist() == [given == 10]
        assert result.facts["fixed"] == (given == 10)
        others = count_answers(store, "fluency")
        if given > 2:
            expected = "together" if given == 10 else "always"
            assert find_resolve_of(store, "coherence") == expected
        if others > 2:
            assert find_resolve_of(store, "fluency") == "always", "an open campaign, no promise"
            assert find_resolve_of(store, None) == "always"
        vote(store, 1)
    assert "about coherence" in result.facts["sentences"][0]
    store.campaigns.set_status(store.campaigns.default(DATASET).id, "closed")
    resolved = [find_resolve_of(store, name) for name in ("coherence", "fluency", None)]
    assert resolved == ["always", "together", "always"], "24 about coherence are not the 10"


def count_answers(store: Store, attribute: str) -> int:
    frame = store.judgement_frames.outcome_counts(DATASET)
    return int(frame.loc[frame["attribute"] == attribute, "count"].sum())


def find_resolve_of(store: Store, attribute: str | None) -> str:
    selection = Selection(DATASET, attribute=attribute, judges=("human",))
    return str(leaderboard(store, selection, RankSettings()).facts["resolve"])


def test_an_attribute_that_is_left_out_after_the_first_vote_was_promised_all_the_same(
    store: Store,
) -> None:
    fill(store, items=8, attributes=("coherence", "fluency"))
    open_default(store, DATASET)
    campaigns.enrol(store, "Ada")
    campaign = store.campaigns.default(DATASET)
    promise(store, campaign, PromiseSettings(48))
    vote(store, 36)
    promise(store, campaign, PromiseSettings(24, about=("coherence",), reason="it was dull"))
    store.campaigns.set_status(campaign.id, "closed")
    assert find_resolve_of(store, "fluency") == "always"


def test_a_promise_is_kept_once_the_promised_judges_have_answered(
    store: Store, campaign: Campaign
) -> None:
    """Intervals of the votes do not wait for them."""
    promise(store, campaign, PromiseSettings(12, beside=(LONGER.spec.name, "hf:x")))
    vote(store, 12)
    run = planning.enqueue(store, LONGER.spec, planning.Request(DATASET))
    for now_silent in ((LONGER.spec.name, "hf:x"), ("hf:x",)):
        result = promises(store, Selection(DATASET))
        assert result.rows["silent"].tolist() == [now_silent]
        assert result.rows["kept"].tolist() == [False]
        assert result.facts["fixed"]
        assert all(name in result.facts["sentences"][0] for name in now_silent)
        execution.execute(store, run)
    reason = "hf:x cannot be had"
    promise(store, campaign, PromiseSettings(12, beside=(LONGER.spec.name,), reason=reason))
    last = promises(store, Selection(DATASET)).rows.iloc[-1]
    assert (last["silent"], last["kept"]) == ((), False), "it changed after the first vote"


def test_promised_judges_that_have_answered_keep_it(store: Store, campaign: Campaign) -> None:
    promise(store, campaign, PromiseSettings(12, beside=(LONGER.spec.name,)))
    vote(store, 12)
    execution.execute(store, planning.enqueue(store, LONGER.spec, planning.Request(DATASET)))
    result = promises(store, Selection(DATASET))
    assert result.rows["kept"].tolist() == [True]
    assert ": kept." in result.facts["sentences"][0]


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"votes": 10**30}, "votes is 1e\\+30"),
        ({"about": ("coherence", "coherence")}, "about 'coherence' is there twice"),
        ({"about": ("",)}, "about '' is empty"),
        ({"beside": ("hf:x", "hf:y", "hf:x")}, "beside 'hf:x' is there twice"),
        ({"beside": (" ",)}, "beside ' ' is empty"),
    ],
)
def test_settings_that_promise_nothing_are_refused(settings: dict[str, Any], named: str) -> None:
    with pytest.raises(TandemError, match=named):
        PromiseSettings(**{"votes": 12, **settings})


def test_what_cannot_be_promised_is_refused(store: Store, campaign: Campaign) -> None:
    with pytest.raises(TandemError, match=r"\bnot ask\b.*'speed'"):
        promise(store, campaign, PromiseSettings(12, about=("speed",)))
    with pytest.raises(TandemError, match="at least 1"):
        PromiseSettings(0)
    with pytest.raises(TandemError, match="from 0 to 1"):
        PromiseSettings(12, epsilon=1.5)
    assert store.promises.list_all(campaign.id) == []


def test_a_report_prints_it(store: Store, campaign: Campaign) -> None:
    promise(store, campaign, PromiseSettings(12))
    vote(store, 12)
    report = compile_report(store, ReportScope(Selection(DATASET)))
    [section] = [one for one in report.sections if one.title == "What was promised"]
    assert re.search(r"\b12 votes\b.*\bpromised\b", section.lead)
    assert "kept" in section.lead
    assert report.document()["promises"]["fixed"] is True


@pytest.mark.parametrize(("given", "kept"), [(99, False), (100, True), (105, True), (106, False)])
def test_a_few_votes_more_may_have_been_on_screens(given: int, kept: bool) -> None:
    """5% more."""
    assert Promise(100, "number").is_kept_at(given) == kept
