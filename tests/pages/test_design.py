"""What an annotator meets where a campaign's design says so, told with a clock that the test turns;
and whether Bob and bob are one person, which the page asks once.
"""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core import access
from core.campaigns import Design, enrol, open_campaign
from core.pairing import Choice, open_default
from core.records import Role
from core.store import Check, Store
from tests import study
from tests.pages.clock import Clock
from tests.pages.clock import clock as clock  # a fixture
from tests.pages.drawn import draw, find, labels, press, words
from tests.pages.sentences import find_sentence, read_figures

REWORDED = "Published, with names."


@pytest.fixture
def filled(store: Store) -> Store:
    study.fill(store, attributes=("coherence", "fluency"))
    open_default(store, study.DATASET)
    return store


def designed(store: Store, **design: Any) -> int:
    """The number of the campaign, of that design from now on."""
    campaign = store.campaigns.default(study.DATASET)
    store.campaigns.edit(
        campaign.id, name=campaign.name, design=Design(**design).to_stored(), overlap=1
    )
    return campaign.id


def opened() -> AppTest:
    return draw("annotate", annotator="Ada")


def asks(app: AppTest) -> bool:
    """Whether there is a question to answer."""
    return "A is better" in labels(app.button)


def answer(app: AppTest, clock: Clock, label: str) -> None:
    """After three seconds."""
    clock.now += 3
    press(app, label)


def said(app: AppTest) -> str:
    return unescape(words(app))


def rows(store: Store, *columns: str) -> list[tuple[Any, ...]]:
    return store.connection.rows(f"SELECT {', '.join(columns)} FROM judgements ORDER BY id")


def texts(app: AppTest) -> list[str]:
    return re.findall(r'class="tandem-text" dir="auto">(.*?)</div>', said(app))


def consents(store: Store) -> list[str]:
    """The wordings that were agreed to."""
    return [text for (text,) in store.connection.rows("SELECT text FROM consents")]


def test_answers_that_are_not_offered_leave_their_place_empty(filled: Store) -> None:
    designed(filled, tie=False, confidence=False, comment=False)
    app = opened()
    there = {"A is better", "Tie", "B is better"} & set(labels(app.button))
    assert there == {"A is better", "B is better"}
    pressed = json.loads(said(app).split('data-actions="')[1].split('"></div>')[0])
    keys = [(each["name"], each["key"]) for each in pressed[:3]]
    assert keys == [("vote-a", "1"), ("vote-b", "3"), ("vote-both_bad", "4")]
    assert not app.text_input
    assert not app.get("button_group")
    assert len(app.columns) == 10  # undo, four places, skip; four of remarks


def test_five_steps_reasons_and_undo(filled: Store, clock: Clock) -> None:
    designed(filled, strength=True, reasons=("says more", "*no* mistakes"))
    app = opened()
    why = app.get("button_group")[0]
    why.set_value(["*no* mistakes"]).run()
    answer(app, clock, "B much better")
    assert rows(filled, "outcome", "strength", "reasons") == [("b", 1.0, '["*no* mistakes"]')]
    assert "B much better · saved" in said(app)
    press(app, "Undo")
    assert "answered “B much better”" in said(app)
    assert app.get("button_group")[0].value == ["*no* mistakes"]
    answer(app, clock, "A slightly better")
    assert rows(filled, "outcome", "strength")[1] == ("a", 0.5)


def test_consent_comes_first_and_is_kept(filled: Store) -> None:
    consent = "Your answers are **published**."
    designed(filled, consent=consent, instructions="Read *both*.")
    app = opened()
    assert "agree" in app.title[0].value
    assert app.markdown[0].value == consent
    assert not asks(app)
    press(app, "I agree")
    assert consents(filled) == [consent]
    assert "agree" not in app.title[0].value
    assert app.markdown[0].value == "Read *both*."
    press(app, "Start")
    assert asks(app)
    assert not asks(opened()), "instructions again for whoever has not begun"


def test_reworded_consent_is_asked_again_and_the_pair_comes_again(
    filled: Store, clock: Clock
) -> None:
    designed(filled, consent="Published.")
    app = opened()
    press(app, "I agree")
    seen = texts(app)
    assert len(seen) == 2
    designed(filled, consent=REWORDED)
    answer(app, clock, "A is better")
    assert re.search("changed.*still agree", app.title[0].value)
    assert find_sentence(said(app), "Not saved", "consent", "'all pairs'")
    assert app.markdown[0].value == REWORDED
    assert rows(filled, "id") == []
    press(app, "I agree")
    assert texts(app) == seen
    answer(app, clock, "A is better")
    assert rows(filled, "outcome") == [("a",)]


def test_one_agrees_to_the_wording_one_has_read(filled: Store) -> None:
    designed(filled, consent="Published.")
    app = opened()
    designed(filled, consent=REWORDED)
    press(app, "I agree")
    assert consents(filled) == ["Published."]
    assert app.markdown[0].value == REWORDED
    assert find_sentence(said(app), "just changed")
    assert find_sentence(said(app), "read it again")


def test_practice_says_what_is_right(filled: Store, clock: Clock) -> None:
    known = study.ids(filled)
    pair = known["i0", "alpha", 0], known["i0", "beta", 0]
    attribute = filled.datasets.attribute_id(study.DATASET, "coherence")
    filled.checks.add(
        designed(filled), [Check("training", attribute, *pair, "2", "it says <b>more</b>")]
    )
    app = opened()
    assert "practice 1 of 1" in said(app)
    answer(app, clock, "Both bad")
    assert "Not quite. Here" in said(app)
    assert "is better. it says <b>more</b>" in said(app)
    assert not asks(app)
    press(app, "Continue")
    assert "1 of 18" in said(app)
    assert rows(filled, "id") == []


def test_a_failed_check_is_said_where_the_campaign_warns(filled: Store, clock: Clock) -> None:
    known = study.ids(filled)
    attribute = filled.datasets.attribute_id(study.DATASET, "coherence")
    campaign = designed(filled, check_every=1, on_failure="stop", failures_allowed=0)
    check = Check("attention", attribute, known["i0", "gamma", 0], None, "1")
    filled.checks.add(campaign, [check])
    app = opened()
    for _ in range(2):
        answer(app, clock, "Both bad")
    assert "stop" in app.title[0].value
    assert find_sentence(said(app), "answers differ", "campaign allows")
    assert find_sentence(said(app), "Ask", "invited you")


def test_a_campaign_that_asks_nothing_leads_on(filled: Store) -> None:
    study.fill(filled, dataset="other")
    open_default(filled, "other")
    for status, title in (
        ("paused", "This campaign is paused"),
        ("closed", "This campaign is closed. Thank you!"),
    ):
        filled.campaigns.set_status(designed(filled), status)
        app = opened()
        app.sidebar.selectbox[0].set_value(study.DATASET).run()
        assert app.title[0].value == title
        assert find(app.main.selectbox, "Annotate something else").options == ["other · all pairs"]
        press(app, "Go on")
        assert app.query_params["dataset"] == "other"
        assert asks(app)


def test_who_has_done_their_share_is_thanked(filled: Store, clock: Clock) -> None:
    designed(filled, quota=2)
    app = opened()
    assert "1 of 2" in said(app)
    for _ in range(2):
        answer(app, clock, "Tie")
    assert "your share" in app.title[0].value
    assert read_figures(said(app), "You answered", "questions") == ["2"]
    press(app, "Undo the last answer")
    assert "2 of 2" in said(app)


def test_one_of_several_campaigns_is_chosen(filled: Store) -> None:
    first, choice = designed(filled), Choice(dataset=study.DATASET, attributes=("fluency",))
    open_campaign(filled, "second", choice, Design(tie=False))
    filled.campaigns.set_status(first, "open")  # it paused, as nobody had answered there
    app = opened()
    box = find(app.sidebar.selectbox, "Campaign")
    assert box.options == ["second", "all pairs"]
    assert "Tie" not in labels(app.button)
    box.set_value("all pairs").run()
    assert app.query_params["campaign"] == "all pairs"
    assert "question changes" in said(app)
    press(app, "Continue")
    assert "Tie" in labels(app.button)


def test_a_message_stands_beside_the_pair(filled: Store) -> None:
    campaign = designed(filled)
    enrol(filled, "Ada")
    enrol(filled, "Bea")
    filled.messages.send(campaign, "Thank you! <script>1</script>", by="Grace")
    to_bea = "For Bea alone"
    filled.messages.send(campaign, to_bea, by="Grace", judge="Bea")
    app = opened()
    assert "Thank you! &lt;script&gt;1&lt;/script&gt;" in words(app)
    assert to_bea not in words(app)


def test_time_left_does_not_flicker(filled: Store, clock: Clock) -> None:
    app = opened()
    told = []
    for seconds in (20, 20, 20, 26, 14, 26, 14, 200):
        clock.now += seconds
        press(app, "Tie")
        told += re.findall(r"about (\S+ \S+) left", said(app))
    assert told[0] == "5 min"  # 15 questions of 20 s each
    assert len(told) == 6
    assert len(set(told)) <= 4, told


def test_whoever_has_left_sees_no_pair_and_answers_none(filled: Store, clock: Clock) -> None:
    access.people.add(filled, "test", "Ada", Role.ANNOTATOR)
    app = opened()
    access.people.leave(filled, "test", "Ada")
    answer(app, clock, "A is better")
    assert find_sentence(said(app), "Not saved", "Ada", "no longer", "study")
    assert not rows(filled, "id")
    assert not asks(app)
    app = opened()
    assert find_sentence(said(app), "Ada", "no longer", "study")
    assert not asks(app)


def come_as(name: str) -> AppTest:
    app = draw("annotate", dataset=study.DATASET)
    app.text_input[0].set_value(name)
    return press(app, "Start")


def names(store: Store) -> list[str]:
    return sorted(store.judges.load_all()["judge"])


def test_who_says_yes_goes_on_under_the_name_there_is_and_who_says_no_is_another(
    filled: Store,
) -> None:
    study.judge(filled, "Bob")
    app = come_as("bob")
    assert "Bob already" in words(app)
    assert not asks(app)
    assert names(filled) == ["Bob"]
    app = press(app, "Yes, that is me")
    assert asks(app)
    assert app.query_params["annotator"] == "Bob"
    assert names(filled) == ["Bob"]
    app = press(come_as("BOB"), "No, I am somebody else")
    for seen in (app, come_as("BOB")):  # whom the page knows by now
        assert asks(seen)
    assert names(filled) == ["BOB", "Bob"]
