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
from tests.pages.clock import Clock
from tests.pages.clock import clock as clock  # a fixture
from tests.pages.drawn import PAGES, draw, press
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


def labels(app: AppTest) -> list[str]:
    return [button.label for button in app.button]


def read(app: AppTest) -> str:
    html = [element.proto.body for element in app.get("html")]
    return "\n".join(
        [*html, *(title.value for title in app.title), *(m.value for m in app.markdown)]
    )


def vote(app: AppTest, clock: Clock) -> None:
    clock.now += 1.0
    press(app, "A is better")


def begin(panel: Panel, identity: str = ADA) -> AppTest:
    app = press(come(panel, PROLIFIC_PID=identity), "I agree")
    app.text_input(key="before 0").set_value("30")
    app.radio(key="before 1").set_value("daily")
    return press(app, "Continue")


def test_from_the_link_to_the_code(store: Store, panel: Panel, clock: Clock) -> None:
    app = come(panel, PROLIFIC_PID=ADA, SESSION_ID="s")
    assert CONSENT in read(app)
    assert app.sidebar.children == {} or not app.sidebar.button
    press(app, "I agree")
    app.text_input(key="before 0").set_value("7")
    press(app, "Continue")
    assert f"“{AGE}”" in read(app)
    assert "18 to 99" in read(app)
    app.text_input(key="before 0").set_value("30")
    app.radio(key="before 1").set_value("daily")
    press(app, "Continue")
    for _ in range(2):
        vote(app, clock)
    assert votes(store) == 2
    app.text_input(key="after 0").set_value("Fine.")
    press(app, "Finish")
    assert ">DONE1<" in read(app)
    [way] = app.get("link_button")
    assert way.proto.url == "https://app.prolific.com/submissions/complete?cc=DONE1"
    again = come(panel, PROLIFIC_PID=ADA)
    assert ">DONE1<" in read(again)
    assert "A is better" not in labels(again)


def test_a_reload_goes_on_where_they_were_and_a_missing_id_asks_nothing(
    store: Store, panel: Panel, clock: Clock
) -> None:
    assert labels(come(panel)) == []
    assert store.connection.value("SELECT count(*) FROM participants") == 0
    vote(begin(panel), clock)
    app = come(panel, PROLIFIC_PID=ADA)
    assert "A is better" in labels(app)
    assert "2 of 2" in read(app)


def test_an_invented_id_shows_nothing_of_the_other(
    store: Store, panel: Panel, clock: Clock
) -> None:
    app = begin(panel)
    early = come(panel, PROLIFIC_PID=ADA)  # and stays open meanwhile
    comment = next(field for field in app.text_input if field.label == "Comment")
    comment.set_value(REMARK)
    vote(app, clock)
    assert any(label == "Undo" and not button.disabled for label, button in
               zip(labels(app), app.button, strict=True))  # fmt: skip
    press(app, "Your answers")
    assert REMARK in read(app)
    for forged in (come(panel, PROLIFIC_PID=ADA), early.run()):
        undo = next(button for button in forged.button if button.label == "Undo")
        assert undo.disabled
        press(forged, "Your answers")
        assert REMARK not in read(forged)
        assert "No answer" in read(forged)


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
        assert sentence in read(app)
        assert ">FULL1<" in read(app)
        assert labels(app) == []
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
            assert list_destinations(app) == ["annotate"] or CONSENT in read(app), page
            assert "alpha" not in read(app)


def test_a_preview_shows_a_pair_and_takes_no_answer(store: Store) -> None:
    _, panel = open_study(store, CrowdTerms(platform="mturk"), instructions=INSTRUCTIONS)
    app = come(panel, assignmentId="ASSIGNMENT_ID_NOT_AVAILABLE")
    assert INSTRUCTIONS in read(app)
    assert "tandem-side-a" in read(app)
    assert labels(app) == []
    assert store.connection.value("SELECT count(*) FROM people") == 0


def test_the_owner_opens_a_crowd_and_takes_the_table(store: Store) -> None:
    campaign, panel = open_study(store, CrowdTerms(code="OLD"))
    work(store, start(store, panel, ADA))
    app = draw("campaigns")
    assert any("PROLIFIC_PID={{%PROLIFIC_PID%}}" in code.value for code in app.code)
    assert any(ADA in frame.value.to_string() for frame in app.dataframe)
    next(one for one in app.toggle if one.label == "More terms").set_value(True).run()
    for label, value in {
        "Completion code": "NEW",
        "Further parameters to keep": "site wave",
    }.items():
        next(field for field in app.text_input if field.label == label).set_value(value)
    next(one for one in app.number_input if one.label == "Minutes away").set_value(30)
    next(one for one in app.toggle if one.label == "Keep only a hash of ids").set_value(True)
    press(app, "Save terms")
    crowd = store.crowds.find_by_campaign(campaign.id)
    assert crowd
    changed = CrowdTerms(code="NEW", parameters=("site", "wave"), away=30, hash_ids=True)
    assert CrowdTerms.from_stored(crowd.terms) == changed
    press(app, "Let nobody new in")
    closed = store.crowds.find_by_campaign(campaign.id)
    assert closed
    assert closed.closed_at
    assert send(store, panel, BO).participant is None
