"""A participant of a panel in front of the page: each step, and what nobody else may see."""

from __future__ import annotations

from datetime import timedelta

import pytest
from streamlit.testing.v1 import AppTest

from core import campaigns
from core.access import CrowdTerms
from core.store import Store
from tests.campaigns.panels import Panel
from tests.campaigns.test_crowd import ADA, BO, CY, Later, open_study, send, start, votes, work
from tests.campaigns.test_crowd import later as later  # a fixture
from tests.pages.beginning import said
from tests.pages.clock import Clock
from tests.pages.clock import clock as clock  # a fixture
from tests.pages.drawn import PAGES, draw, find, labels, press, write
from tests.pages.shown_links import list_destinations
from tests.study import DATASET

CONSENT = "We keep your answers."
AGE = "How *old* are you?"
INSTRUCTIONS = "Choose the better."
REMARK = "my private remark"
TERMS = CrowdTerms(
    code="DONE1",
    full_code="FULL1",
    places=1,
    before=(f"{AGE} | number 18 to 99", "Read news? | choice: daily; never"),
    after=("Anything to add? | text (optional)",),
)


@pytest.fixture
def panel(store: Store) -> Panel:
    _, panel = open_study(store, TERMS, consent=CONSENT, quota=2)
    return panel


def come(panel: Panel, page: str = "annotate", **values: str) -> AppTest:
    return draw(page, **panel.send(**values))


def vote(app: AppTest, clock: Clock) -> None:
    clock.now += 1.0
    press(app, "A is better")


def fill_in(app: AppTest, age: str) -> AppTest:
    app.text_input(key="before 0").set_value(age)
    app.radio(key="before 1").set_value("daily")
    return press(app, "Continue")


def begin(panel: Panel, identity: str = ADA) -> AppTest:
    return fill_in(press(come(panel, PROLIFIC_PID=identity), "I agree"), "30")


def test_from_the_link_to_the_code(store: Store, panel: Panel, clock: Clock) -> None:
    app = come(panel, PROLIFIC_PID=ADA, SESSION_ID="s")
    assert CONSENT in said(app)
    assert app.sidebar.children == {} or not app.sidebar.button
    app = fill_in(press(app, "I agree"), "7")
    assert f"“{AGE}”" in said(app)
    assert "18 to 99" in said(app)
    fill_in(app, "30")
    for _ in range(2):
        vote(app, clock)
    assert votes(store) == 2
    app.text_input(key="after 0").set_value("Fine.")
    press(app, "Finish")
    assert ">DONE1<" in said(app)
    [way] = app.get("link_button")
    assert way.proto.url == "https://app.prolific.com/submissions/complete?cc=DONE1"
    again = come(panel, PROLIFIC_PID=ADA)
    assert ">DONE1<" in said(again)
    assert "A is better" not in labels(again.button)


def test_an_invented_id_shows_nothing_of_others(store: Store, panel: Panel, clock: Clock) -> None:
    """A missing one asks nothing. After a reload they go on where they were."""
    assert labels(come(panel).button) == []
    assert store.connection.value("SELECT count(*) FROM participants") == 0
    app = begin(panel)
    early = come(panel, PROLIFIC_PID=ADA)  # and stays open meanwhile
    find(app.text_input, "Comment").set_value(REMARK)
    vote(app, clock)
    assert not find(app.button, "Undo").disabled
    assert REMARK in said(press(app, "Your answers"))
    again = come(panel, PROLIFIC_PID=ADA)
    assert "A is better" in labels(again.button)
    assert "2 of 2" in said(again)
    for forged in (again, early.run()):
        assert find(forged.button, "Undo").disabled
        press(forged, "Your answers")
        assert REMARK not in said(forged)
        assert "No answer" in said(forged)


def test_who_is_too_late_reads_what_the_payments_say(
    store: Store, panel: Panel, clock: Clock, later: Later
) -> None:
    """Somebody who answered and was away, and somebody new: each has a code, and a row of it."""
    vote(begin(panel), clock)
    later(timedelta(minutes=61))
    begin(panel, BO)  # has the one place now
    pages = {ADA: "You went through 1 question", CY: "You have not answered any question"}
    for identity, sentence in pages.items():
        app = come(panel, PROLIFIC_PID=identity)
        assert sentence in said(app)
        assert ">FULL1<" in said(app)
        assert labels(app.button) == []
    [campaign] = store.campaigns.list_all(DATASET)
    rows = campaigns.pay(store, campaign).set_index("participant")
    assert rows["questions"].to_dict() == {ADA: 1, BO: 0, CY: 0}
    assert rows["code"].to_dict() == {ADA: "FULL1", BO: "", CY: "FULL1"}
    late = {ADA: "came back", BO: "began", CY: "came too"}
    assert all(rows["state"][who].startswith(state) for who, state in late.items())
    assert rows["state"].str.endswith("late").to_dict() == {ADA: True, BO: False, CY: True}


def test_other_pages_are_not_theirs(store: Store, panel: Panel) -> None:
    for page in PAGES:
        if page != "annotate":
            app = come(panel, page, PROLIFIC_PID=ADA)
            assert list_destinations(app) == ["annotate"] or CONSENT in said(app), page
            assert "alpha" not in said(app)


def test_a_preview_shows_a_pair_and_takes_no_answer(store: Store) -> None:
    _, panel = open_study(store, CrowdTerms(platform="mturk"), instructions=INSTRUCTIONS)
    app = come(panel, assignmentId="ASSIGNMENT_ID_NOT_AVAILABLE")
    assert INSTRUCTIONS in said(app)
    assert "tandem-side-a" in said(app)
    assert labels(app.button) == []
    assert store.connection.value("SELECT count(*) FROM people") == 0


def test_the_owner_opens_a_crowd_and_takes_the_table(store: Store) -> None:
    campaign, panel = open_study(store, CrowdTerms(code="OLD"))
    work(store, start(store, panel, ADA))
    app = draw("campaigns")
    assert any("PROLIFIC_PID={{%PROLIFIC_PID%}}" in code.value for code in app.code)
    assert any(ADA in frame.value.to_string() for frame in app.dataframe)
    write(app, "toggle", "More terms", True)
    find(app.text_input, "Completion code").set_value("NEW")
    find(app.text_input, "Further parameters to keep").set_value("site wave")
    find(app.number_input, "Minutes away").set_value(30)
    find(app.toggle, "Keep only a hash of ids").set_value(True)
    press(app, "Save terms")
    changed = CrowdTerms(code="NEW", parameters=("site", "wave"), away=30, hash_ids=True)
    crowd = store.crowds.find_by_campaign(campaign.id)
    assert crowd
    assert CrowdTerms.from_stored(crowd.terms) == changed
    press(app, "Let nobody new in")
    crowd = store.crowds.find_by_campaign(campaign.id)
    assert crowd
    assert crowd.closed_at
    assert send(store, panel, BO).participant is None
