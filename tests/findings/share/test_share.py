"""Work shared between judges and people, on studies counted by hand; simulated annotators."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta

from core import campaigns
from core.__main__ import main
from core.campaigns import Design, Presentation, enrol, open_campaign
from core.findings.agreement import agreement
from core.findings.combine import CombineSettings, EstimateSettings, combine, load_answered
from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, leaderboard
from core.findings.share import ShareSettings, SimulationSettings, share, simulate_annotators
from core.judging import fill as fill_prompt
from core.judging import make
from core.models import Options
from core.pairing import REST, Choice
from core.records import Answer, Attribute, Kind, Outcome, Question, TandemError
from core.statistics import acceptance
from core.store import Campaign, Store
from tests.findings.combine.studies import add, vote, vote_all
from tests.findings.share.studies import ITEMS, ONE, OTHER, begin, differ, drawn, judged, voted
from tests.sentence_facts import find_sentences, list_figures
from tests.server import Server
from tests.study import DATASET, fill

ALL = Selection(DATASET)
PLAIN = ShareSettings()
BOTH, TURNED = [(ONE, OTHER)], [(OTHER, ONE)]


@pytest.fixture
def shared(store: Store) -> Store:
    return begin(store)


def test_a_judge_answers_down_to_where_too_many_differ(shared: Store) -> None:
    """Items in the order of how sure it is, so that the accepted are the first so many."""
    result = share(shared, ALL, PLAIN)
    facts = result.facts
    accepted = facts["accepted"]
    assert 100 <= accepted < 160
    given = drawn(120)
    there = [item for item in given if item < accepted]
    wrong = sum(map(differ, there))
    starts = len(acceptance.list_starts(np.arange(2, ITEMS + 1, 2) / ITEMS, 120, 0.1, 0.05))
    bound = beta.ppf(1 - 0.05 / starts, wrong + 1, len(there) - wrong)
    assert facts["error"] == pytest.approx(wrong / len(there))
    assert facts["bound"] == pytest.approx(bound)
    assert facts["bound"] <= 0.1
    more = [item for item in given if item < accepted + 2]
    wrong = sum(map(differ, more))
    too_many = beta.ppf(1 - 0.05 / starts, wrong + 1, len(more) - wrong) > 0.1
    assert too_many or len(more) == len(there)
    judge, people = result.rows.to_dict("records")
    assert (judge["who"], judge["pairs"], people["pairs"]) == ("model", accepted, ITEMS - accepted)
    voted_rest = sum(item >= accepted for item in given)
    assert (facts["by_people"], facts["left"]) == (voted_rest, ITEMS - accepted - voted_rest)
    figures = list_figures(facts["sentences"][0])
    assert {float(ITEMS), float(accepted), float(ITEMS - accepted)} <= set(map(float, figures))


def test_who_answers_each_pair_and_that_nothing_is_answered_twice(shared: Store) -> None:
    result = share(shared, ALL, PLAIN)
    answers = result.tables["answers"].set_index("item")
    assert len(answers) == ITEMS
    given = {f"i{item}" for item in drawn(120)}
    assert set(answers.index[answers["by"] == "people"]) >= given
    open_ = answers[answers["points"].isna()]
    assert len(open_) == result.facts["left"]
    alone = answers[answers["by"] == "model"]
    assert (alone["points"] == 1.0).all()
    assert set(alone.index) == {f"i{item}" for item in range(result.facts["accepted"])} - given
    for item in drawn(120):
        assert answers.loc[f"i{item}", "points"] == (0.0 if differ(item) else 1.0)


def test_too_few_votes_say_how_many_would_do_and_a_bad_judge_that_none_would(store: Store) -> None:
    begin(store, votes=30)
    facts = share(store, ALL, PLAIN).facts
    assert facts["accepted"] == 0
    assert 40 < facts["needed"] < 200
    assert find_sentences(facts["sentences"], r"\bvotes on 30 pairs\b")
    vote_all(store, "Ben", range(60), TURNED, 1.0)
    facts = share(store, ALL, ShareSettings(people=("Ben",))).facts
    assert (facts["accepted"], facts["needed"]) == (0, None)
    assert facts["least_error"] == 1.0


def test_a_tie_of_a_judge_is_never_accepted_and_one_of_people_counts_half(shared: Store) -> None:
    vote_all(shared, "undecided", range(ITEMS), BOTH, 0.5, Kind.LLM)
    facts = share(shared, Selection(DATASET, judges=("undecided",)), PLAIN).facts
    assert (facts["accepted"], facts["left"] + facts["by_people"]) == (0, ITEMS)
    everything = ShareSettings(accept_error=0.5, confidence=0.5)
    before = share(shared, ALL, everything).facts
    vote_all(shared, "Ben", drawn(10), TURNED, lambda item: not differ(item))
    tied = share(shared, ALL, everything).facts
    assert before["accepted"] == tied["accepted"] == ITEMS
    more = (5 - sum(map(differ, drawn(10)))) / 120
    assert tied["error"] == pytest.approx(before["error"] + more, abs=0.05)


def test_a_person_drawn_at_random_counts_by_how_many_differ(shared: Store) -> None:
    for person in ("Ben", "Cy"):
        voted(shared, drawn(120), person)
    alike = [item for item in drawn(120) if not differ(item)]
    vote_all(shared, "Dee", alike, TURNED, 1.0)
    one = share(shared, ALL, ShareSettings(accept_error=0.5, against="person")).facts
    most = share(shared, ALL, ShareSettings(accept_error=0.5)).facts
    assert most["error"] == pytest.approx(1 - len(alike) / 120)
    assert one["error"] == pytest.approx(1 - 0.75 * len(alike) / 120)


def test_a_judge_that_is_sure_answers_and_the_next_is_asked_about_the_rest(shared: Store) -> None:
    judged(shared, "timid", less=0.2)
    result = share(shared, Selection(DATASET, judges=("timid", "model")), PLAIN)
    timid, model, people = result.rows.to_dict("records")
    assert [one["who"] for one in (timid, model, people)] == ["timid", "model", "people"]
    assert timid["pairs"] + model["pairs"] == result.facts["accepted"]
    alone = share(shared, Selection(DATASET, judges=("model",)), PLAIN)
    assert result.facts["accepted"] == alone.facts["accepted"], "the timid one is never surer"
    assert 0 < timid["pairs"] < model["pairs"] + timid["pairs"]
    assert set(result.tables["frontier"]["way"]) == {"timid", "model", "one after the other"}
    assert result.tables["frontier"]["is_chosen"].sum() == 1


@pytest.mark.parametrize("signal", ["repeats", "judges", "learned"])
def test_other_signals_order_pairs(shared: Store, signal: str) -> None:
    judged(shared, "timid", less=0.2)
    result = share(shared, ALL, ShareSettings(signal=signal, accept_error=0.25))
    assert result.facts["signal"] == signal
    assert result.facts["accepted"] > 0
    assert result.rows["pairs"].sum() == ITEMS


def test_what_cannot_be_shared_is_said(shared: Store) -> None:
    for settings in (ShareSettings(signal="judges"), ShareSettings(signal="separability")):
        with pytest.raises(TandemError):
            share(shared, ALL, settings)
    wrong = {"accept_error": (0.0, 0.7), "confidence": (1.0,), "signal": ("mood",)}
    for name, values in wrong.items():
        for value in values:
            with pytest.raises(TandemError):
                ShareSettings(**{name: value})
    with pytest.raises(TandemError):
        share(shared, Selection(DATASET, judges=("Ada",)), PLAIN)


def test_at_every_look_fewer_are_accepted_and_a_look_keeps_what_it_found(shared: Store) -> None:
    one = share(shared, ALL, PLAIN).facts["accepted"]
    every = ShareSettings(looks="every")
    at_100 = share(shared, ALL, every).facts
    assert at_100["looks"] == 8
    assert at_100["used"] in (0, 50, 100)
    assert at_100["accepted"] <= one
    voted(shared, [item for item in range(ITEMS) if item not in drawn(120)][:10])
    later = share(shared, ALL, every).facts
    assert later["accepted"] == at_100["accepted"], "the next look is at 200 votes"


def test_looks_do_not_hang_on_a_campaign_being_open(shared: Store) -> None:
    choice = Choice(dataset=DATASET, attributes=("coherence",))
    campaign = open_campaign(shared, "some", choice, Design())
    answer_all(shared, campaign, most=1)
    for status in ("open", "closed"):
        shared.campaigns.set_status(campaign.id, status)
        assert share(shared, ALL, PLAIN).facts["looks"] == 8


def test_the_order_of_rows_does_not_matter(store: Store) -> None:
    fill(store, items=ITEMS, systems=(ONE, OTHER))
    voted(store, drawn(120)[::-1])
    judged(store, items=range(ITEMS - 1, -1, -1))
    turned = share(store, ALL, PLAIN).facts
    assert turned["accepted"] >= 100


def rest(store: Store, name: str = "rest", **more: Any) -> Campaign:
    choice = Choice(dataset=DATASET, attributes=("coherence",), way=REST, judges=("model",), **more)
    return open_campaign(store, name, choice, Design())


def answer_all(store: Store, campaign: Campaign, most: int = ITEMS) -> None:
    """A person prefers what is on the left until nothing is left to ask, or so often."""
    enrol(store, "Eve")
    while most and isinstance(shown := campaigns.present(store, campaign, "Eve"), Presentation):
        campaigns.answer(store, "Eve", shown, Answer(Outcome.A))
        most -= 1


def test_the_rest_goes_to_people_and_its_votes_move_no_threshold(shared: Store) -> None:
    before = share(shared, ALL, PLAIN).facts
    campaign = rest(shared)
    assert shared.campaigns.size(campaign.id)["pairs"] == before["left"]
    answer_all(shared, campaign)
    after = share(shared, ALL, PLAIN).facts
    assert after["left"] == 0
    same = ("accepted", "threshold", "error", "bound", "sampled")
    assert [after[name] for name in same] == [before[name] for name in same]
    assert after["by_people"] == ITEMS - after["accepted"]
    with pytest.raises(TandemError):
        rest(shared)  # nothing is left


def test_each_part_counts_for_as_many_pairs_as_it_has(shared: Store) -> None:
    before = share(shared, ALL, PLAIN).facts
    answer_all(shared, rest(shared))
    pairs = load_answered(shared, ALL, EstimateSettings()).pairs
    there = pairs[pairs["voted"].notna()]
    trusted = there["item"].str[1:].astype(int) < before["accepted"]
    weight = 1 / there["inclusion"]
    assert weight[trusted].sum() == pytest.approx(before["accepted"])
    assert weight[~trusted].to_numpy() == pytest.approx(np.ones(ITEMS - before["accepted"]))
    assert weight[trusted].to_numpy() == pytest.approx(before["accepted"] / trusted.sum())
    result = combine(shared, ALL, CombineSettings())
    assert result.facts["unsampled"] == 0
    assert find_sentences(result.notes, rf"\b{before['left']} votes\b.*\bcounts\b")
    # A leaderboard counts them so, too.
    accepted = before["accepted"]
    by_hand = accepted * there.loc[trusted, "voted"].mean() + there.loc[~trusted, "voted"].sum()
    result = leaderboard(shared, ALL, RankSettings("win-ratio", bootstrap=200))
    rate = result.rows.set_index("system")["rating"]
    assert rate[ONE] == pytest.approx(by_hand / ITEMS)
    assert rate[ONE] != pytest.approx(there["voted"].mean())
    assert "parts:weighed" in result.signature
    first = leaderboard(shared, ALL, RankSettings("elo", bootstrap=200, k=4))
    assert first.judgements == 120, "what cannot weigh votes keeps to the random ones"


def test_two_campaigns_split_the_pairs_into_as_many_parts_as_they_tell_apart(shared: Store) -> None:
    """The second trusts the judge with more, after some of the first's pairs have votes."""
    answer_all(shared, rest(shared), most=10)
    first = share(shared, ALL, PLAIN).facts["accepted"]
    rest(shared, "less", accept_error=0.2)
    second = share(shared, ALL, ShareSettings(0.2)).facts["accepted"]
    assert first < second < ITEMS
    pairs = load_answered(shared, ALL, EstimateSettings()).pairs
    there = pairs[pairs["voted"].notna()]
    item, weight = there["item"].str[1:].astype(int), 1 / there["inclusion"]
    for low, high in ((0, first), (first, second), (second, ITEMS)):
        assert weight[(item >= low) & (item < high)].sum() == pytest.approx(high - low)


def test_pairs_that_a_campaign_did_not_split_count_as_votes_at_random_say(store: Store) -> None:
    """The judge answered 150 of 200 items; 100 votes at random are on all."""
    fill(store, items=ITEMS, systems=(ONE, OTHER))
    judged(store, items=range(150))
    voted(store, drawn(100))
    answer_all(store, rest(store))
    result = leaderboard(store, ALL, RankSettings("win-ratio", bootstrap=200))
    accepted = share(store, ALL, PLAIN).facts["accepted"]
    given = [item for item in drawn(100) if item < accepted]
    beyond = [item for item in drawn(100) if item >= 150]
    alike = 1 - np.mean([differ(item) for item in given])
    rest_won = sum(not differ(item) for item in drawn(100) if accepted <= item < 150)
    asked = set(range(accepted, 150)) - set(drawn(100))
    first = load_answered(store, ALL, EstimateSettings()).pairs.set_index("item")["voted"]
    rest_won += sum(first[f"i{item}"] for item in asked)
    outside = len(beyond) * 150 / (100 - len(beyond))
    won = accepted * alike + rest_won + outside * (1 - np.mean([differ(item) for item in beyond]))
    rate = result.rows.set_index("system")["rating"][ONE]
    assert rate == pytest.approx(won / (150 + outside))


def test_votes_on_the_rest_alone_speak_for_the_rest(shared: Store) -> None:
    answer_all(shared, rest(shared))
    eve = Selection(DATASET, judges=("Eve",))
    result = leaderboard(shared, eve, RankSettings("win-ratio", bootstrap=200))
    assert find_sentences(result.notes, r"\bthese alone\b")
    assert "parts:" not in result.signature
    both = combine(shared, ALL, CombineSettings(people=("Eve",)))
    assert find_sentences(both.notes, r"\bthese alone\b")


def test_labels_keep_calibrating_when_people_answer_the_rest(store: Store) -> None:
    fill(store, items=ITEMS, systems=(ONE, OTHER))
    judged(store)
    vote_all(store, "g", drawn(120), BOTH, lambda item: not differ(item), Kind.GOLD)
    before = share(store, ALL, PLAIN).facts
    answer_all(store, rest(store))
    after = share(store, ALL, PLAIN).facts
    assert after["accepted"] == before["accepted"] > 0


def test_votes_on_the_rest_are_no_sample_of_all_and_leave_agreement_as_it_was(
    shared: Store,
) -> None:
    both = Selection(DATASET, judges=("human", "model"))
    before = agreement(shared, both)
    answer_all(shared, rest(shared))
    after = agreement(shared, both)
    assert after.rows.equals(before.rows)
    assert find_sentences(after.notes, r"\bLeft out\b.*\bvotes\b")


def test_a_campaign_of_the_rest_says_what_it_lacks(store: Store) -> None:
    begin(store, votes=20)
    with pytest.raises(TandemError):
        rest(store)
    voted(store, drawn(120)[20:])
    with pytest.raises(TandemError):
        rest(store, samples=2)
    draft = campaigns.CampaignDraft(Choice(dataset=DATASET, way=REST, judges=("model",)), Design())
    assert campaigns.compute_outlook(store, draft).pairs > 0


def test_failed_answers_are_no_answers(shared: Store) -> None:
    failed = Answer(failure="unparsed")
    add(shared, [vote(item, ONE, OTHER, "moody", failed, Kind.LLM) for item in range(50)])
    vote_all(shared, "moody", range(50, ITEMS), BOTH, 1.0, Kind.LLM)
    result = share(shared, Selection(DATASET, judges=("moody",)), ShareSettings(accept_error=0.4))
    assert result.facts["pairs"] == ITEMS - 50
    assert result.unanswered == {"unparsed": 50}


def test_a_second_vote_does_not_change_what_an_old_look_found(shared: Store) -> None:
    every = ShareSettings(accept_error=0.2, looks="every")
    before = share(shared, ALL, every).facts
    assert before["used"] in (50, 100)
    vote_all(shared, "Ben", drawn(120)[:60], BOTH, 0.0)
    result = share(shared, ALL, every)
    after, frontier = result.facts, result.tables["frontier"]
    [(error, bound)] = frontier.loc[frontier["is_chosen"], ["error", "bound"]].to_numpy()
    assert (error, bound) == pytest.approx((after["error"], after["bound"])), "drawn at its look"
    assert (after["accepted"], after["threshold"]) == (before["accepted"], before["threshold"])
    assert share(shared, ALL, ShareSettings(0.2, looks="one")).facts["accepted"] == 0


GIVEN = SimulationSettings(4, 3)
SERVED = make("openai:fake", Options(mode="generate", base_url="http://127.0.0.1:1/v1")).spec
ASKED = "Answer with Summary A or Summary B.\nAnswer:"


@pytest.fixture
def two_people(store: Store) -> Store:
    """Ada prefers the first system on the even of her items, Ben the second on all of his."""
    begin(store, votes=0)
    vote_all(store, "Ada", drawn(120)[:60], TURNED, lambda item: item % 2)
    vote_all(store, "Ben", drawn(120)[60:], BOTH, 0.0)
    return store


def test_each_has_votes_of_one_person_as_examples(two_people: Store) -> None:
    judge = make("baseline:random").spec
    with pytest.raises(TandemError):
        simulate_annotators(two_people, ALL, judge, GIVEN)
    prompts = simulate_annotators(two_people, ALL, SERVED, GIVEN)
    assert [one.version for one in prompts] == [1, 2, 3, 4]
    assert simulate_annotators(two_people, ALL, SERVED, GIVEN) == prompts
    of_whom = set()
    for prompt in prompts:
        assert SERVED.prompt
        assert prompt.template.endswith(SERVED.prompt.template)
        people = set()
        for example in prompt.template.split("The context of item ")[1:]:
            item = int(example.split(".")[0])
            first = example.split("Summary A:\n")[1]
            label = example.split(f"{ASKED} ")[1].split("\n")[0]
            person = "Ada" if first.startswith(OTHER) else "Ben"
            assert label == ("Summary A" if person == "Ada" and item % 2 else "Summary B")
            people.add(person)
        assert prompt.template.count(ASKED) == GIVEN.examples
        assert len(people) == 1
        of_whom |= people
    assert of_whom == {"Ada", "Ben"}
    with pytest.raises(TandemError):
        simulate_annotators(two_people, ALL, SERVED, SimulationSettings(1, 61))


def test_words_in_braces_are_read_as_they_are(two_people: Store) -> None:
    with closing(sqlite3.connect(two_people.path)) as file, file:
        file.execute("UPDATE generations SET text = text || ' {context} {b}'")
    [prompt] = simulate_annotators(two_people, ALL, SERVED, SimulationSettings(1, 3))
    asked = Question(0, "Nowhere else.", "one", "two", Attribute("coherence"))
    assert fill_prompt(prompt, asked).count("Nowhere else.") == 1


def test_from_examples_to_what_they_are_trusted_with(
    two_people: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    def chances(prompt: str) -> dict[str, float]:
        """For one system, and surer the more examples it has in which the second was chosen."""
        sure = 0.6 + 0.1 * prompt.count(f"{ASKED} Summary B")
        is_first = prompt.split("Summary A:\n")[-1].startswith(ONE)
        return {"BA"[is_first]: sure, "AB"[is_first]: 1 - sure}

    place = ["--store", str(two_people.path)]
    with Server(chances=chances) as server:
        asked = ["judge", "--dataset", DATASET, "--judge", "openai:fake", "--base-url", server.url,
                 "--pairs", "symmetric", "--annotators", "3", "--json"]  # fmt: skip
        assert main([*place, *asked, "--budget", str(2 * ITEMS)]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert [run["done"] for run in runs] == [2 * ITEMS] * 3
    names = [run["judge"] for run in runs]
    settings = ShareSettings(0.45, 0.6, signal="annotators")
    found = share(two_people, Selection(DATASET, judges=tuple(names)), settings)
    [judge, _] = found.rows["who"]
    assert judge not in names
    assert found.facts["judges"] == [judge]
    answers = found.tables["answers"].set_index("item")["sure"]
    with closing(sqlite3.connect(two_people.path)) as file:
        rows = pd.read_sql(
            "SELECT i.key AS item, j.name AS judge, g.text AS text, x.prob_a FROM judgements x "
            "JOIN judges j ON j.id = x.judge JOIN comparisons c ON c.id = x.comparison "
            "JOIN generations g ON g.id = c.generation_a JOIN items i ON i.id = g.item",
            file,
        )
    rows = rows[rows["judge"].isin(names)]
    p = np.where(rows["text"].str.startswith(ONE), rows["prob_a"], 1 - rows["prob_a"])
    sure = (rows.assign(p=p).groupby("item")["p"].mean() - 0.5).abs() + 0.5
    known = answers.dropna()
    assert known.to_numpy() == pytest.approx(sure[known.index].to_numpy())
    shown = {
        f"i{text.split('.')[0]}"
        for prompt in two_people.judges.prompts() if "annotator" in prompt.name
        for text in prompt.template.split("The context of item ")[1:]
    }  # fmt: skip
    assert set(answers[answers.isna()].index) == shown
    with pytest.raises(TandemError):
        share(two_people, Selection(DATASET, judges=("model",)), settings)
