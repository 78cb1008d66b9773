"""What a campaign asks of people, against a share-out of questions one by one."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from itertools import product
from typing import Any, Self

import pytest

from core import campaigns, sample_study
from core.campaigns import GOALS, CampaignOutlook, Design, NewChecks, NoQuestionReason, Presentation
from core.campaigns import design as designs
from core.pairing import Choice
from core.records import Answer, JudgeSpec, Kind, Outcome, TandemError
from core.store import Store
from tests.study import DATASET, fill, ids
from tests.votes import Vote, add_votes

ALL = Choice(dataset=DATASET)


def outlook(pairs: int, checks: int = 0) -> CampaignOutlook:
    return CampaignOutlook(pairs, 1, 2, 0, None, checks)


def share_out(pairs: int, design: Design, checks: int) -> tuple[int, int]:
    """Votes given and votes that nobody gave, by dealing pairs to people in turn, each with a check
    after every `check_every` answers, until their questions are used up.
    """
    people = design.people or 0
    asked = [0] * people
    answered = [0] * people
    met = [set[int]() for _ in range(people)]
    quota, missing = design.quota or 10**9, 0
    for pair, _ in product(range(pairs), range(design.overlap)):
        free = [one for one in range(people) if pair not in met[one] and asked[one] < quota]
        if not free:
            missing += 1
            continue
        one = min(free, key=lambda person: asked[person])
        met[one].add(pair)
        answered[one] += 1
        asked[one] += 1
        checked, over = divmod(answered[one], design.check_every)
        if not over and checked <= checks:
            asked[one] += asked[one] < quota
    return sum(answered), missing


def test_votes_to_spare_are_those_that_a_deal_leaves() -> None:
    for overlap, quota, checks, people in product((1, 2, 3), (7, 11, 30), (0, 2), range(1, 14)):
        if people < overlap:
            continue
        design = Design(people=people, overlap=overlap, quota=quota, check_every=5)
        workload = campaigns.estimate_workload(outlook(40, checks), design)
        given, missing = share_out(40, design, checks)
        assert workload.votes == 40 * overlap == given + missing
        assert (workload.spare < 0) == (missing > 0)
        if missing:
            assert -workload.spare == missing
            assert workload.fewest > people


def test_the_fewest_people_are_enough_and_one_less_is_not() -> None:
    design = Design(overlap=3, quota=30)
    found = campaigns.estimate_workload(outlook(300, 3), design)
    assert found.people == found.fewest
    for people, enough in ((found.fewest, True), (found.fewest - 1, False)):
        _, missing = share_out(300, Design(overlap=3, quota=30, people=people), 3)
        assert (missing == 0) is enough


def test_how_many_people_are_needed_and_how_long_they_take() -> None:
    def fewest(pairs: int, **design: Any) -> int:
        return campaigns.estimate_workload(outlook(pairs), Design(**design)).fewest

    # Pairs asked twice take questions only after ten others: of ten questions none is a second one;
    # of twenty, half of the ten later answers' share.
    assert fewest(40, overlap=2, quota=10, repeat_share=1.0) == 80 // 10
    assert fewest(40, overlap=2, quota=20, repeat_share=0.5) == 5, "as playing it through took"
    assert fewest(10, people=2, overlap=3) == 3
    # 100 votes of 4 people are 25 each; at 24 s that is ten minutes.
    workload = campaigns.estimate_workload(outlook(100), Design(people=4), seconds=24)
    assert (workload.questions, workload.minutes_each) == (25, 10)
    size, design = {"pairs": 50, "attributes": 1, "wanted": 100}, Design(overlap=2, quota=10)
    for given, people in ((0, 10), (91, 1), (100, 0)):
        assert campaigns.count_people_needed(size | {"given": given}, design) == people


def test_each_goal_opens_a_campaign_as_it_foresees(store: Store) -> None:
    fill(store, items=8)
    for goal in GOALS:
        draft = campaigns.begin_with(goal, DATASET)
        there = campaigns.compute_outlook(store, draft)
        campaign = campaigns.open_campaign(store, goal, draft.choice, draft.design)
        size = store.campaigns.size(campaign.id)
        wanted = there.pairs * draft.design.overlap
        assert size["wanted"] == wanted
        again = campaigns.copy_campaign(store, campaign)
        assert again.design == draft.design
        assert campaigns.compute_outlook(store, replace(again, checks=draft.checks)) == there
    with pytest.raises(TandemError, match=r"'gold'.* pilot, crowd"):
        campaigns.begin_with("gold", DATASET)


def test_a_copy_has_the_same_checks(store: Store) -> None:
    sample_study.load(store)
    dataset = store.datasets.names()[0]
    campaign = campaigns.open_campaign(store, "c", Choice(dataset=dataset), Design())
    campaigns.add_checks(store, campaign, NewChecks(attention=2))
    draft = campaigns.copy_campaign(store, campaign)
    other = campaigns.open_campaign(store, "d", draft.choice, draft.design)
    campaigns.add_checks(store, other, draft.checks)
    own, others = (
        [replace(one, id=0) for one in store.checks.list_active(row)]
        for row in (campaign.id, other.id)
    )
    assert own == others
    assert len(own) == 2


@pytest.mark.parametrize("long", [0, 1, 4])
def test_attention_checks_are_those_that_the_texts_allow(store: Store, long: int) -> None:
    """Every text of the first four items is a word, except that so many first texts have 8 words.
    A crowd wants three checks.
    """
    fill(store, items=4, systems=("a", "b"))
    first = [generation for (_, system, _), generation in ids(store).items() if system == "a"]
    words = dict.fromkeys(first[:long], "one two three four five six seven eight")
    for generation in ids(store).values():
        row = (words.get(generation, f"word{generation}"), generation)
        store.connection.execute("UPDATE generations SET text = ? WHERE id = ?", row)
    draft = campaigns.begin_with("crowd", DATASET)
    outlook = campaigns.compute_outlook(store, draft)
    assert outlook.checks == outlook.attention == min(long, 3)
    campaign = campaigns.open_campaign(store, "c", draft.choice, draft.design)
    note = campaigns.add_checks(store, campaign, draft.checks)
    roles = [check.role for check in store.checks.list_active(campaign.id)]
    assert roles == ["attention"] * outlook.checks
    assert [f"{long} of 3" in one for one in note] == [True] * (long < 3)


class TestLastDay:
    """The 24th is over when it is noon of the 25th in UTC: midnight at UTC-12, Baker Island."""

    def test_it_ends_when_it_is_over_everywhere(self, store: Store) -> None:
        for now, over in (("2026-12-25T11:59:59", False), ("2026-12-25T12:00:00", True)):
            moment = datetime.fromisoformat(now).replace(tzinfo=UTC)
            assert Design(deadline="2026-12-24").is_over(moment) is over
        for day in ("tomorrow", "24.12.2026", "2026-13-01"):
            with pytest.raises(TandemError, match=f"deadline is '{day}': .* 2026-12-24"):
                Design(deadline=day)
        fill(store)
        assert not Design(deadline="9999-12-31").is_over()
        with pytest.raises(TandemError, match="deadline 2020-01-01 is over everywhere"):
            campaigns.open_campaign(store, "c", ALL, Design(deadline="2020-01-01"))

    def test_nobody_is_asked_and_what_is_on_a_screen_still_counts(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fill(store)
        campaigns.enrol(store, "Ada")
        campaign = campaigns.open_campaign(store, "c", ALL, Design(deadline="2200-01-01"))
        shown = campaigns.present(store, campaign, "Ada")
        monkeypatch.setattr(designs, "datetime", _InTheYear2200)
        assert not campaigns.is_asking(campaign)
        assert campaigns.present(store, campaign, "Ada") is NoQuestionReason.OVER
        taken = campaigns.answer(store, "Ada", shown, Answer(Outcome.A))
        assert taken, "a vote that was on the screen is kept"
        with pytest.raises(TandemError, match="is over since 2200-01-01"):
            campaigns.undo(store, "Ada", taken)
        assert campaigns.copy_campaign(store, campaign).design.deadline == ""


class _InTheYear2200(datetime):
    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return cls(2200, 1, 3, tzinfo=tz)


KNOWN = b"item,better,worse,role\ni0,beta,alpha,training\ni1,gamma,alpha,gold\n"


@pytest.mark.parametrize("checks", [NewChecks(gold=4), NewChecks(known=KNOWN, gold=2)])
def test_pairs_that_are_checks_are_planned_as_checks_alone(store: Store, checks: NewChecks) -> None:
    """What is said before opening is what opening makes: pairs, votes and checks."""
    fill(store, items=12)
    store.judges.add([JudgeSpec("key", Kind.GOLD)])
    right = ("alpha", "beta", "key", Answer(Outcome.B), Kind.GOLD, "coherence")
    add_votes(store, DATASET, [Vote(f"i{i}", *right) for i in range(12)])
    for goal in ("pilot", "crowd", "experts"):
        draft = replace(campaigns.begin_with(goal, DATASET), checks=checks)
        foreseen = campaigns.compute_outlook(store, draft)
        campaign = campaigns.open_campaign(store, goal, draft.choice, draft.design)
        campaigns.add_checks(store, campaign, draft.checks)
        assert store.campaigns.size(campaign.id)["pairs"] == foreseen.pairs
        asked = [check.role for check in store.checks.list_active(campaign.id)]
        assert len(asked) - asked.count("training") == foreseen.checks


def test_the_pace_is_of_answers_that_still_count(store: Store) -> None:
    """The median of 10 and 20 seconds; the 60 of the third answer were taken back."""
    fill(store)
    assert store.progress.pace(DATASET) is None
    campaign = campaigns.open_campaign(store, "timed", ALL, Design())
    campaigns.enrol(store, "Ada")
    for seconds in (10.0, 20.0, 60.0):
        shown = campaigns.present(store, campaign, "Ada")
        assert isinstance(shown, Presentation)
        taken = campaigns.answer(store, "Ada", shown, Answer(Outcome.A, seconds=seconds))
    campaigns.undo(store, "Ada", taken)
    assert store.progress.pace(DATASET) == 15
    assert store.progress.pace(DATASET, ["Ada"]) is None
