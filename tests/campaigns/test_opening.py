"""Which pairs a campaign asks about, in each way to choose them, and in which order."""

from collections import Counter, defaultdict
from dataclasses import fields
from itertools import combinations, groupby
from typing import Any

import numpy as np
import pytest

from core import campaigns
from core.campaigns import CampaignDraft, Design, Presentation
from core.campaigns.asking import answer
from core.pairing import Choice
from core.records import Answer, JudgeSpec, Kind, Outcome, TandemError
from core.similarity import make_metric
from core.store import Campaign, ChosenGenerations, Store
from core.store.campaigns import CHOICE
from tests.study import DATASET, SYSTEMS, fill, ids, measure
from tests.votes import Vote, add_votes

PAIRS = list(combinations(SYSTEMS, 2))


def planned(store: Store, campaign: Campaign) -> list[tuple[Any, ...]]:
    """(item, system, system, sample, priority, probability, bundle) of each pair in order."""
    return store.connection.rows(
        """SELECT i.key, min(s1.name, s2.name), max(s1.name, s2.name), g1.sample, q.priority,
            q.probability, q.bundle
        FROM campaign_attributes p JOIN campaign_pairs q ON q.campaign_attribute = p.id
        JOIN generations g1 ON g1.id = q.generation_1 JOIN generations g2 ON g2.id = q.generation_2
        JOIN items i ON i.id = g1.item JOIN systems s1 ON s1.id = g1.system
        JOIN systems s2 ON s2.id = g2.system AND g2.sample = g1.sample
        WHERE p.campaign = ? ORDER BY p.id, q.priority, q.id""",
        (campaign.id,),
    )


def opened(store: Store, name: str = "c", design: Design | None = None, **choice: Any) -> Campaign:
    asked = Choice(dataset=DATASET, **choice)
    return campaigns.open_campaign(store, name, asked, design or Design())


def answer_all(store: Store, campaign: Campaign, name: str = "Ada") -> list[str]:
    """The items that somebody is asked about until nothing is left."""
    items = []
    campaigns.enrol(store, name)
    while isinstance(shown := campaigns.present(store, campaign, name), Presentation):
        items.append(shown.item)
        assert answer(store, name, shown, Answer(Outcome.A))
    return items


class TestAtRandom:
    def test_all_pairs_are_those_of_two_systems_on_an_item(self, store: Store) -> None:
        fill(store, items=4)
        rows = planned(store, opened(store))
        assert {row[:3] for row in rows} == {(f"i{i}", *pair) for i in range(4) for pair in PAIRS}
        assert [row[5] for row in rows] == [1.0] * 12

    def test_a_budget_is_spread_evenly_over_the_pairs_of_systems(self, store: Store) -> None:
        fill(store, items=20)
        rows = planned(store, opened(store, budget=10))
        counts = Counter(row[1:3] for row in rows)
        assert sorted(counts.values()) == [3, 3, 4]
        assert [row[5] for row in rows] == [counts[row[1:3]] / 20 for row in rows]
        draft = CampaignDraft(Choice(dataset=DATASET, budget=10), Design())
        assert campaigns.compute_outlook(store, draft).pairs == 10

    def test_each_item_is_drawn_as_often_as_its_probability_says(self, store: Store) -> None:
        """160 seeds, 2 of 8 pairs: each item within 4 standard errors of a quarter."""
        fill(store, items=8, systems=("alpha", "beta"))
        drawn = Counter()
        for seed in range(160):
            rows = planned(store, opened(store, f"c{seed}", budget=2, seed=seed))
            drawn.update(row[0] for row in rows)
            assert {row[5] for row in rows} == {0.25}
        assert all(abs(count - 40) < 4 * (160 * 0.25 * 0.75) ** 0.5 for count in drawn.values())
        assert len(drawn) == 8

    def test_more_are_added_to_those_there_are_and_fewer_refused(self, store: Store) -> None:
        fill(store, items=6)
        campaign = opened(store, budget=5)
        before = planned(store, campaign)
        assert campaigns.extend(store, campaign, 9) == 4
        campaign = store.campaigns.get(campaign.id)
        assert {row[:5] for row in before} < {row[:5] for row in planned(store, campaign)}
        with pytest.raises(TandemError, match="asks about 9 pairs for each attribute already"):
            campaigns.extend(store, campaign, 3)
        assert campaigns.extend(store, campaign, None) == 9
        with pytest.raises(TandemError, match="asks about 18 pairs"):
            campaigns.extend(store, store.campaigns.get(campaign.id), 4)

    def test_only_against_one_system_or_some_systems_or_pairs_of_them(self, store: Store) -> None:
        fill(store, items=2)
        for choice, pairs in (
            ({"against": "beta"}, {("alpha", "beta"), ("beta", "gamma")}),
            ({"systems": ("alpha", "gamma")}, {("alpha", "gamma")}),
            ({"pairs": (("gamma", "beta"),)}, {("beta", "gamma")}),
        ):
            rows = planned(store, opened(store, str(choice), **choice))
            assert {row[1:3] for row in rows} == pairs

    def test_samples_meet_in_sets_that_stay_together(self, store: Store) -> None:
        fill(store, items=3, samples=2)
        sets = defaultdict(list)
        for row in planned(store, opened(store, samples=2, budget=4)):
            sets[row[6]].append(row)
        assert len(sets) == 4
        for members in sets.values():
            assert [row[3] for row in members] == [0, 1]
            assert len({row[:3] for row in members}) == 1


def test_item_by_item_all_pairs_of_an_item_come_in_a_row(store: Store) -> None:
    fill(store, items=12, samples=2)
    for choice in ({}, {"budget": 20}, {"samples": 2}):
        campaign = opened(store, str(choice), design=Design(order="item"), **choice)
        items = [row[0] for row in planned(store, campaign)]
        runs = [item for item, _ in groupby(items)]
        assert len(runs) == len(set(items)) > 5
        assert runs != sorted(runs)
    fill(store, items=3, dataset="small")
    campaign = campaigns.open_campaign(store, "s", Choice(dataset="small"), Design(order="item"))
    seen = answer_all(store, campaign)
    assert seen == [row[0] for row in planned(store, campaign)]
    assert [len(list(run)) for _, run in groupby(seen)] == [3, 3, 3]


class TestUncertain:
    def test_pairs_are_those_near_one_half_by_the_mean_of_both_orders(self, store: Store) -> None:
        """Means by hand: i0 (0.9 + 0.3) / 2 = 0.6; i1 0.75; i2 a tie, which is one half; i3 0.61."""
        fill(store, items=4, systems=("alpha", "beta"))
        store.judges.add([JudgeSpec("m", Kind.LLM)])
        rows = [("i0", "alpha", "beta", 0.9), ("i0", "beta", "alpha", 0.7),
                ("i1", "alpha", "beta", 0.75), ("i3", "beta", "alpha", 0.39)]  # fmt: skip
        votes = [Vote(item, a, b, "m", Answer.from_probability(p), attribute="coherence")
                 for item, a, b, p in rows]  # fmt: skip
        votes += [Vote("i2", "alpha", "beta", "m", Answer(Outcome.TIE), attribute="coherence")]
        add_votes(store, DATASET, votes)
        for gap, items in ((0.1, {"i0", "i2"}), (0.12, {"i0", "i2", "i3"}), (0.0, {"i2"})):
            rows = planned(store, opened(store, f"c{gap}", way="uncertain", judge="m", gap=gap))
            assert {row[0] for row in rows} == items

    def test_a_judge_that_is_sure_or_silent_is_a_sentence(self, store: Store) -> None:
        fill(store, systems=("alpha", "beta"))
        store.judges.add([JudgeSpec("m", Kind.LLM)])
        with pytest.raises(TandemError, match="has answered nothing about coherence"):
            opened(store, way="uncertain", judge="m")
        sure = Answer.from_probability(0.99)
        add_votes(store, DATASET, [Vote("i0", "alpha", "beta", "m", sure, attribute="coherence")])
        with pytest.raises(TandemError, match=r"nowhere within 0\.1 of one half"):
            opened(store, way="uncertain", judge="m")
        assert store.campaigns.list_all(DATASET) == []


class TestBySeparability:
    def test_each_pair_is_drawn_as_often_as_its_probability_says(self, store: Store) -> None:
        """150 seeds, 6 of 18 pairs: shares are stored probabilities within 4 standard errors."""
        fill(store, items=6, samples=2)
        metric = make_metric("rouge1")
        measure(store, ChosenGenerations(DATASET, samples=2), metric)
        drawn, chances = Counter(), {}
        for seed in range(150):
            how = {"way": "separability", "separability": "rouge1", "budget": 6, "seed": seed}
            rows = planned(store, opened(store, f"c{seed}", **how))
            assert [row[4] for row in rows] == list(range(6))
            for row in rows:
                drawn[row[:3]] += 1
                assert chances.setdefault(row[:3], row[5]) == row[5]
        assert sum(chances.values()) == pytest.approx(6, abs=1e-6)
        for pair, p in chances.items():
            assert abs(drawn[pair] - 150 * p) <= 4 * np.sqrt(150 * p * (1 - p)) + 1e-9

    def test_a_pair_that_is_dropped_leaves_the_others_weights(self, store: Store) -> None:
        """A gold pair is asked of nobody as a real pair: the others were drawn all the same."""
        fill(store, items=6, samples=2)
        measure(store, ChosenGenerations(DATASET, samples=2), make_metric("rouge1"))
        campaign = opened(store, way="separability", separability="rouge1", budget=6)
        first, *others = planned(store, campaign)
        known = ids(store)
        pair = (known[first[0], first[1], 0], known[first[0], first[2], 0])
        attribute = store.datasets.attribute_id(DATASET, "coherence")
        store.campaigns.drop_pair(campaign.id, attribute, pair)
        campaigns.enrol(store, "Ada")
        for _ in range(5):
            shown = campaigns.present(store, campaign, "Ada")
            assert answer(store, "Ada", shown, Answer(Outcome.A))
        weights = store.inclusions.probabilities(DATASET)
        assert sorted(weights) == pytest.approx(sorted(row[5] for row in others if row[5] < 1))


STRATA = "SELECT generation_1 || '-' || generation_2, stratum FROM campaign_pairs"


class TestLeastCertain:
    def test_what_is_wanted_is_what_is_asked_for(self, store: Store) -> None:
        """A budget of 4 with two samples: 8 pairs of texts, 2 votes each, 16 for each attribute."""
        fill(store, items=9, samples=2, attributes=("coherence", "fluency"))
        campaign = opened(store, way="active", budget=4, samples=2, design=Design(overlap=2))
        assert store.campaigns.size(campaign.id)["wanted"] == 32
        missing = store.annotator_stats.count_missing
        assert missing(DATASET) == {"coherence": 16, "fluency": 16}
        assert store.annotator_stats.progress(DATASET, campaign.id)["wanted"].sum() == 0
        assert sum(len(answer_all(store, campaign, name)) for name in ("Ada", "Bo", "Cy")) == 32
        assert store.campaigns.size(campaign.id)["given"] == 32
        assert missing(DATASET) == {"coherence": 0, "fluency": 0}
        given = store.annotator_stats.count_given(DATASET, campaign.id)
        assert given[["answered", "skipped"]].sum().tolist() == [32, 0]
        attributes = store.judgement_frames.load_all(DATASET)["attribute"]
        assert attributes.value_counts().to_dict() == {"coherence": 16, "fluency": 16}

    def test_what_is_imported_later_is_asked_about_too(self, store: Store) -> None:
        """Systems that sort before those there are change nothing about which pair is whose."""
        fill(store, items=2)
        campaign = opened(store, way="active")
        before = dict(store.connection.rows(STRATA))
        fill(store, items=2, systems=("aaa", *SYSTEMS))
        assert campaigns.extend(store, campaign, None) == 6
        assert len(answer_all(store, campaign)) == 12
        after = dict(store.connection.rows(STRATA))
        assert {pair: after[pair] for pair in before} == before
        assert len({*after.values()}) == 6

    def test_the_next_pair_is_of_the_systems_whose_order_is_most_in_doubt(
        self, store: Store
    ) -> None:
        """alpha wins every time against both others, which are level: those two are asked about."""
        fill(store, items=40)
        campaign = opened(store, way="active")
        campaigns.enrol(store, "Ada")
        names = {row: name for name, row in store.datasets.system_ids(DATASET).items()}
        of = dict(store.connection.rows("SELECT id, system FROM generations"))
        seen = []
        for _ in range(60):
            shown = campaigns.present(store, campaign, "Ada")
            a, b = names[of[shown.generation_a]], names[of[shown.generation_b]]
            # By turns, whatever the sides: level after every second answer
            turn = seen.count({"beta", "gamma"}) % 2
            better = "alpha" if "alpha" in (a, b) else ("beta", "gamma")[turn]
            seen.append(frozenset((a, b)))
            outcome = Outcome.A if a == better else Outcome.B
            assert answer(store, "Ada", shown, Answer(outcome))
        assert Counter(seen[30:]).most_common(1)[0][0] == {"beta", "gamma"}


def test_a_name_that_is_taken_or_empty_is_refused(study: Store) -> None:
    campaign = opened(study, "one")
    other = opened(study, "two")
    for name, said in (("one", "has a campaign 'one' already"), (" ", "needs a name")):
        with pytest.raises(TandemError, match=said):
            opened(study, name)
        with pytest.raises(TandemError, match=said):
            study.campaigns.edit(other.id, name=name, design={}, overlap=1)
    study.campaigns.edit(campaign.id, name="one", design={}, overlap=2)
    assert study.campaigns.get(campaign.id).name == "one"


def test_every_field_of_a_choice_has_a_column(study: Store) -> None:
    """And comes back as it was."""
    choice = Choice(
        dataset=DATASET, attributes=("coherence",), systems=SYSTEMS, against="beta", pairs=(("alpha", "beta"),),
        subset="de", samples=2, way="uncertain", budget=3, seed=2**40, separability="rouge1", encoder="e",
        draw="stratified", low=-0.5, high=0.25, judge="Ada", gap=0.2, judges=("llm",), origin="before",
        item_set="hard", accept_error=0.2, certainty=0.9, signal="repeats", settled=((1, 2), (3, 4)), trusted=((1, 3),),
    )  # fmt: skip
    usual = Choice(dataset=DATASET, way="uncertain", judge="Ada")
    of = [field.name for field in fields(Choice)]
    same = {name for name in of if getattr(choice, name) == getattr(usual, name)}
    assert same == {"dataset", "way", "judge"}
    assert {*choice.to_stored()} == {*CHOICE}
    for name, each in (("all", choice), ("few", usual)):
        study.campaigns.add(DATASET, name, choice=each.to_stored())
        assert Choice.from_campaign(study.campaigns.find(DATASET, name)) == each
