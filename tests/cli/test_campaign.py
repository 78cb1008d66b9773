"""The command about campaigns: created, listed, changed, paused, closed, with what it refuses."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from core.campaigns import NoQuestionReason, current, enrol, present
from core.pairing import open_default
from core.records import Answer, Kind, Outcome
from core.store import Store
from tests.cli.asked import Call, Run, document, import_rows, refusal
from tests.study import DATASET, fill, judge
from tests.votes import Vote, add_votes


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Four items of three systems, about coherence and fluency: 12 pairs for each."""
    path = tmp_path / "store.sqlite3"
    with Store(path) as store:
        fill(store, items=4, attributes=("coherence", "fluency"))
        open_default(store, DATASET)
    return path


@pytest.fixture
def campaign(path: Path, call_on: Call) -> Run:
    return partial(document, call_on, path, "campaign")


def test_one_is_created_with_pairs_of_its_own_and_the_untouched_one_pauses(
    path: Path, campaign
) -> None:
    made = campaign("create", "pilot", "--budget", "6", "--overlap", "2", "--attributes", "fluency")
    assert [made[name] for name in ("pairs", "wanted", "given", "status")] == [6, 12, 0, "open"]
    stands = {"all pairs": "paused", "pilot": "open"}
    assert {one["campaign"]: one["status"] for one in campaign("list")} == stands
    for verb, hold in (("pause", NoQuestionReason.PAUSED), ("close", NoQuestionReason.CLOSED)):
        assert campaign(verb, "pilot")["status"] == hold.value
        with Store(path) as store:
            enrol(store, "Ada")
            assert present(store, current(store, DATASET, "pilot"), "Ada") is hold
    assert campaign("resume", "pilot")["status"] == "open"


def test_an_edit_keeps_the_rest_of_the_design(campaign) -> None:
    def design(name: str) -> list[object]:
        kept = campaign("show", name)["design"]
        return [kept[each] for each in ("overlap", "strength", "tie", "quota", "reasons")]

    reasons = ["clear", "short"]
    words = ("--strength", "--no-tie", "--quota", "3", "--reasons", *reasons)
    campaign("create", "pilot", "--budget", "4", *words)
    assert campaign("edit", "pilot", "--budget", "9", "--overlap", "3")["pairs"] == 18
    shown = campaign("show", "pilot")
    assert (shown["choice"]["budget"], shown["wanted"]) == (9, 18 * 3)
    campaign("edit", "pilot", "--rename", "main", "--quota", "7")
    assert design("main") == [3, True, False, 7, reasons]
    campaign("edit", "main", "--tie", "--quota", "0", "--no-strength")
    assert design("main") == [3, False, True, None, reasons]


def test_only_the_pairs_of_systems_that_are_named_also_of_one_made_like_it(
    path: Path, campaign
) -> None:
    words = ("--pair", "alpha", "gamma", "--pair", "beta", "alpha", "--attributes", "fluency")
    assert campaign("create", "pilot", *words, "--quota", "7", "--no-tie")["pairs"] == 2 * 4
    assert campaign("create", "other", "--against", "beta")["pairs"] == 2 * 2 * 4
    made = campaign("create", "second", "--like", "pilot", "--overlap", "2")
    assert (made["pairs"], made["wanted"]) == (8, 16)
    shown = campaign("show", "second")
    assert (shown["design"]["quota"], shown["design"]["tie"]) == (7, False)
    assert campaign("edit", "pilot", "--budget", "8")["pairs"] == 8
    for name in ("pilot", "second"):
        pairs = campaign("show", name)["choice"]["pairs"]
        assert pairs == [["alpha", "gamma"], ["beta", "alpha"]]


def test_known_answers_and_attention_checks_come_from_a_table(
    path: Path, campaign, tmp_path: Path
) -> None:
    known, feedback = tmp_path / "known.csv", "shorter is better"
    known.write_text(
        "item,better,worse,role,feedback,attribute,tie\n"
        f"i0,alpha,beta,training,{feedback},,\n"
        "i1,beta,gamma,,,fluency,true\n"
    )
    with Store(path) as store:
        store.connection.execute("UPDATE generations SET text = 'one two three four five six seven '"
                                 " || 'eight nine ' || id")  # fmt: skip
    campaign("create", "pilot", "--known", str(known), "--attention", "3")
    assert campaign("show", "pilot")["checks"] == {"training": 2, "gold": 1, "attention": 3}
    with Store(path) as store:
        checks = store.checks.list_active(current(store, DATASET, "pilot").id)
    assert [check.feedback for check in checks[:2]] == [feedback] * 2
    assert checks[2].expected == "tie"


def test_gold_pairs_come_from_gold_labels_and_are_asked_but_once(path: Path, campaign) -> None:
    with Store(path) as store:
        judge(store, "expert", Kind.GOLD)
        votes = [
            Vote("i0", "alpha", "beta", "expert", Answer(Outcome.B), Kind.GOLD, "fluency"),
            Vote("i0", "beta", "alpha", "expert", Answer(Outcome.A), Kind.GOLD, "fluency"),
            Vote("i1", "gamma", "alpha", "expert", Answer(Outcome.TIE), Kind.GOLD, "fluency"),
        ]
        add_votes(store, DATASET, votes)
    made = campaign("create", "pilot", "--gold", "2")
    assert campaign("show", "pilot")["checks"]["gold"] == 2
    assert made["pairs"] == 2 * 12 - 2
    with Store(path) as store:
        checks = store.checks.list_active(current(store, DATASET, "pilot").id)
        [better] = {
            (check.generation_1, check.generation_2)[int(check.expected) - 1]
            for check in checks
            if check.expected != "tie"
        }
        assert better == store.texts.generation_id(DATASET, "i0", "beta")


WRONG = (
    ("create x --gold 1", "0 pairs of the campaign"),
    ("create", "the campaign needs a name: `campaign create NAME`"),
    ("create x --against omega", "unknown system 'omega'; this data set has: alpha"),
    ("create x --systems alpha", "--systems names 'alpha' alone: name a second"),
    ("create x --by uncertain", "pairs where a model is unsure need --judge: name a model"),
    ("create x --by uncertain --judge m", "unknown judge 'm'"),
    ("create x --by separability", "needs --separability, such as bertscore-length"),
    ("create x --repeat-share 2", "--repeat-share is 2; it lies between 0 and 1"),
    ("create x --reasons a a", "two of the --reasons are the same"),
    ("create x --consent @none.md", "none.md cannot be read: "),
    ("create x --attention 99", "has 0 texts of 8 words or more"),
    ("create x --known none.csv", "none.csv cannot be read: "),
    ("create p --gold 3 --dry-run", "0 pairs of the campaign"),
)


def test_what_cannot_be_is_a_sentence_and_stores_nothing(path: Path, call_on: Call) -> None:
    taken = ("campaign create", "all pairs", "--dry-run")
    like = ("campaign create p --goal pilot --like", "all pairs")
    asked = ((f"campaign {words}", said) for words, said in WRONG)
    for *words, said in (*asked, (*taken, "'all pairs' already"), (*like, "--goal")):
        assert said in refusal(call_on, path, *words)
        with Store(path) as store:
            assert [one.name for one in store.campaigns.list_all(DATASET)] == ["all pairs"]


def test_of_identical_texts_there_is_no_campaign_and_it_is_said(
    tmp_path: Path, call_on: Call
) -> None:
    rows = [{"item": item, "system": system, "text": "same"} for item in "12" for system in "xy"]
    store = import_rows(tmp_path, rows)
    for words, said in (
        ("campaign create x", "in data set 'd' are of identical texts: nobody can say"),
        ("campaign show", "data set 'd' has no campaign: `campaign create NAME` opens one"),
    ):
        assert said in refusal(call_on, store, words)


def test_known_answers_that_are_wrong_are_refused(
    path: Path, tmp_path: Path, call_on: Call
) -> None:
    known = tmp_path / "k.csv"
    for rows, said in (
        ("i0,alpha,", "row 1 of the known answers has no worse"),
        ("i0,alpha,omega", "row 1: data set 'tiny' has no text of 'omega' on item 'i0'"),
        ("i77,alpha,beta", "row 1: data set 'tiny' has no text of 'alpha' on item 'i77'"),
        ("", "has no rows: it takes the columns item, better, worse"),
        ("i0,alpha,beta\ni0,beta,alpha", "two rows of the known answers contradict each other"),
    ):
        known.write_text(f"item,better,worse\n{rows}\n")
        assert said in refusal(call_on, path, "campaign create x --known", str(known))


def test_a_dry_run_says_what_it_comes_to_and_opens_nothing(path: Path, campaign) -> None:
    """12 pairs of fluency, three answers each: 36 votes, of which 6 people give 6 each, one of them
    having 10 questions at most: 24 votes to spare.
    """
    words = ("--attributes", "fluency", "--overlap", "3", "--people", "6", "--quota", "10")
    found = campaign("create", "p", *words, "--dry-run")
    assert (found["pairs"], found["votes"], found["people"]) == (12, 36, 6)
    assert (found["questions"], found["seconds"], found["minutes_each"]) == (6, 20.0, 2.0)
    assert found["spare"] == 6 * 10 - 36
    assert [one["campaign"] for one in campaign("list")] == ["all pairs"]
    assert campaign("list")[0]["status"] == "open", "what opening would pause goes on"


def test_a_goal_brings_its_settings_and_a_dry_run_counts_the_checks_that_can_be_made(
    path: Path, campaign: Run, call_on: Call
) -> None:
    """It wants three attention checks. No text of `fill` has more than 3 words or 30 characters,
    so none can be made: people get their share of pairs alone. What is given wins.
    """
    words = ("create", "p", "--goal", "crowd", "--attributes", "fluency")
    words += ("--people", "3", "--check-every", "1")
    found = campaign(*words, "--dry-run")
    assert found["checks"] == {"training": 0, "gold": 0, "attention": 0}
    assert found["questions"] == 12, "12 pairs, 3 answers each, of 3 people, and no check"
    status, _, err = call_on(path, "campaign", *words)
    assert (status, "0 of 3 attention checks" in err) == (0, True)
    shown = campaign("show", "p")
    assert shown["checks"] == found["checks"]
    assert (shown["design"]["overlap"], shown["design"]["check_every"]) == (3, 1)
