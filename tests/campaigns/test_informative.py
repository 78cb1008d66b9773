"""Campaigns that ask where votes tell most: how likely each pair is, and that rankings know."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from core.campaigns import Design, enrol, open_campaign, present
from core.campaigns.asking import answer
from core.findings.judgements import Selection
from core.findings.leaderboard import reweighting
from core.pairing import Choice, open_default
from core.records import Answer, JudgeSpec, Kind, Outcome, TandemError
from core.store import Store
from tests.cli.asked import Call, document, refusal
from tests.study import DATASET, SYSTEMS, fill
from tests.votes import Vote, add_votes

ITEMS = 8


@pytest.fixture
def study(store: Store):
    """Three judges who agree on the items 0 to 3, and of whom one differs on the others."""
    fill(store, items=ITEMS)
    store.judges.add([JudgeSpec(name, Kind.LLM) for name in ("m1", "m2", "m3")])
    add_votes(store, DATASET,
        [
            Vote(f"i{item}", one, other, judge,
                 Answer(Outcome.B if item > 3 and judge == "m3" else Outcome.A),
                 Kind.LLM, "coherence")
            for item in range(ITEMS)
            for one, other in (SYSTEMS[:2], SYSTEMS[1:], SYSTEMS[::2])
            for judge in ("m1", "m2", "m3")
        ],
    )  # fmt: skip
    return store


def planned(store, campaign):
    """item -> (times asked about, probability)."""
    rows = store.connection.rows(
        """SELECT i.key, q.probability FROM campaign_attributes p
        JOIN campaign_pairs q ON q.campaign_attribute = p.id JOIN generations g ON g.id = q.generation_1 JOIN items i ON i.id = g.item
        WHERE p.campaign = ?""",
        (campaign.id,),
    )
    return Counter(item for item, _ in rows), dict(rows)


def opened(store, name="c", **choice):
    choice = {"way": "informative", "budget": 6, **choice}
    return open_campaign(store, name, Choice(dataset=DATASET, **choice), Design())


def test_pairs_on_which_judges_disagree_are_likelier(study: Store) -> None:
    """By hand: 1/4 + 3/4 of the root of (4/25, 6/25) over its mean; 6 of 24 pairs."""
    roots = np.sqrt([4 / 25, 6 / 25])
    agreed, split = (1 / 4 + 3 / 4 * roots / roots.mean()) * 6 / 24
    for seed in range(5):
        counts, chances = planned(study, opened(study, f"c{seed}", seed=seed))
        assert sum(counts.values()) == 6
        for item, chance in chances.items():
            assert chance == pytest.approx(split if item > "i3" else agreed)


def test_what_judges_have_not_answered_is_not_drawn_and_what_is_missing_is_a_sentence(
    study: Store,
) -> None:
    fill(study, items=ITEMS + 4)
    counts, _ = planned(study, opened(study, budget=99))
    assert set(counts) == {f"i{item}" for item in range(ITEMS)}
    with pytest.raises(TandemError, match="draws some of the pairs: give budget"):
        opened(study, "d", budget=None)
    with pytest.raises(TandemError, match="no judgements by baseline here"):
        opened(study, "d", judges=("baseline",))
    study.connection.execute("UPDATE items SET subset = key")
    with pytest.raises(TandemError, match="no judge has answered one of these pairs"):
        opened(study, "d", subset="i9")


def give(store, campaign, votes):
    enrol(store, "Ada")
    for _ in range(votes):
        assert answer(store, "Ada", present(store, campaign, "Ada"), Answer(Outcome.A))


def weighed(store):
    """judgement -> what it weighs in rankings, and its plan."""
    frame = store.judgement_frames.load_all(DATASET)
    frame = frame[frame["kind"] == Kind.HUMAN]
    return reweighting.add_inclusion(store, DATASET, frame).set_index("judgement")


def test_an_order_counts_votes_from_before_it_and_asks_none_again(study: Store, call: Call) -> None:
    """After 6 votes in random order, 9 pairs without a vote come next. A pair is answered with
    probability p + (1 - p) * 6/24 (drawn, or among the random), whichever it was.
    """
    open_default(study, DATASET)
    campaign = study.campaigns.default(DATASET)
    give(study, campaign, 6)
    told = f"campaign order --dataset {DATASET} --pairs-by informative"
    assert "--number N" in refusal(call, told)
    said = document(call, f"{told} --number 9")
    assert said["pairs"] == 12  # 9 * 24 / 18
    new = said["pairs"] - said["answered"]
    give(study, campaign, new)
    assert sum(study.connection.rows("SELECT votes FROM campaign_pairs WHERE votes > 1"), ()) == ()
    chance = dict(study.connection.rows(
        """SELECT j.id, q.probability FROM judged_pairs o JOIN judgements j ON j.id = o.judgement
        JOIN campaign_pairs q ON q.id = o.pair"""
    ))  # fmt: skip
    others = (6 - said["answered"]) / (24 - said["pairs"])
    for judgement, inclusion in weighed(study)["inclusion"].items():
        p = chance[judgement]
        assert inclusion == pytest.approx(p + (1 - p) * others)


def test_each_of_several_campaigns_counts_as_much_as_it_has_votes(study: Store) -> None:
    """Weights of 6 votes at random and of 4 drawn: 1 each, and a mean of 1."""
    open_default(study, DATASET)
    give(study, study.campaigns.default(DATASET), 6)
    give(study, opened(study), 4)
    rows = weighed(study)
    drawn = rows["campaign"] == rows["campaign"].max()
    weight = 1 / rows["inclusion"]
    assert weight[~drawn].to_numpy() == pytest.approx(np.ones(6))
    assert weight[drawn].mean() == pytest.approx(1)
    chances = study.inclusions.probabilities(DATASET)
    ratio = weight[drawn] * chances.reindex(weight[drawn].index)
    assert np.ptp(ratio) == pytest.approx(0)
    assert reweighting.is_uneven(study, Selection(DATASET)) == (np.ptp(weight) > 0)
