"""The server of the pages: pages drawn in turn, no garbage collected by force, headers and uploads."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit.runtime import Runtime

from pages.components.shared import drawing_turns, visitor
from pages.components.shared.drawing_turns import LEAST, LONGEST, REST, DrawingTurns
from pages.components.shared.headers import HEADERS, PROTECTED
from tests.paths import ROOT
from tests.study import wait_for

# ---- Pages of figures are drawn in turn: one at a time, first come first served, and none for
# long


class Clock:
    """A clock that stands still until it is moved."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_twenty_pages_are_drawn_one_at_a_time_in_the_order_they_came() -> None:
    turns, drawn, at_once, order = DrawingTurns(Clock()), [], [], []
    may_end = threading.Event()

    def draw(place: int) -> None:
        with turns.turn():
            drawn.append(place)
            at_once.append(len(drawn) - len(order))
            may_end.wait(30)
            order.append(place)

    with ThreadPoolExecutor(20) as pool:
        for place in range(20):
            pool.submit(draw, place)
            wait_for(lambda place=place: len(turns._waiting) + len(drawn) == place + 1)
        assert drawn == [0]
        may_end.set()
    assert order == list(range(20))
    assert set(at_once) == {1}


def test_a_page_that_takes_long_keeps_nobody_waiting_for_long(clock: Clock) -> None:
    """As one on which a file is imported."""
    turns, began = DrawingTurns(clock), threading.Event()

    def draw() -> None:
        with turns.turn():
            began.set()

    with turns.turn():
        other = threading.Thread(target=draw)
        other.start()
        time.sleep(0.05)
        assert not began.is_set()
        clock.now += LONGEST
        assert began.wait(30)
        other.join(30)


def test_a_page_that_breaks_passes_its_turn_on() -> None:
    turns = DrawingTurns()
    with pytest.raises(ZeroDivisionError), turns.turn():
        1 / 0  # noqa: B018
    with turns.turn():
        pass


def test_a_page_that_waits_for_something_lets_others_draw_meanwhile(clock: Clock) -> None:
    turns, drawn = DrawingTurns(clock), []

    def draw() -> None:
        with turns.turn():
            clock.now += 0.4
            drawn.append(turns._drawing)

    with turns.turn():
        mine = turns._drawing
        with turns.interlude():
            other = threading.Thread(target=draw)
            other.start()
            other.join(30)
        assert (turns._drawing, len(drawn)) == (mine, 1)
        clock.now += 0.2
    assert turns._took == pytest.approx(0.2)  # what it drew itself
    with turns.interlude():  # a part of a page has no turn to give away
        assert turns._drawing is None


def test_a_page_of_figures_gives_way_to_votes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing_turns, "YIELD", 30.0)
    turns, parts = DrawingTurns(), []

    def draw() -> None:
        with turns.turn():
            turns.give_way()
            parts.append("drawn")

    with turns.vote():
        reader = threading.Thread(target=draw)
        reader.start()
        wait_for(lambda: turns._drawing is not None)
        turns.give_way()  # of the vote's own page
        assert parts == []
    reader.join(30)
    assert parts == ["drawn"]
    monkeypatch.setattr(drawing_turns, "YIELD", 0.0)
    with turns.vote():  # that takes for ever
        draw()
    assert parts == ["drawn"] * 2


def test_open_pages_that_get_new_figures_are_drawn_anew_one_by_one(clock: Clock) -> None:
    turns = DrawingTurns(clock)
    assert [turns.claim_redraw() for _ in range(20)] == [True] + [False] * 19
    clock.now += REST * LEAST
    with turns.turn():
        assert not turns.claim_redraw()  # somebody's page is being drawn
        clock.now += 0.5
    clock.now += REST * 0.5 - 0.01
    assert not turns.claim_redraw()  # the server rests four times as long as that took
    clock.now += 0.02
    assert turns.claim_redraw()


def test_a_page_without_figures_comes_first_and_none_waits_for_minutes(clock: Clock) -> None:
    turns = DrawingTurns(clock)
    with turns.turn():
        clock.now += 0.5
    clock.now += 0.51
    assert not turns.claim_redraw()
    assert turns.claim_redraw(urgent=True)
    assert not turns.claim_redraw(urgent=True)
    turns = DrawingTurns(clock)
    with turns.turn():
        clock.now += 300
    clock.now += REST * LONGEST + 0.01
    assert turns.claim_redraw()


# ---- Garbage is not collected by force after every script run, however the app is started


AS_STARTED = """
import sys
from streamlit import config
from streamlit.web import bootstrap
config._main_script_path = sys.argv[1]
bootstrap.load_config_options({})
print(config.get_option("runner.postScriptGC"))
"""


def test_a_vote_waits_for_no_forced_collection(tmp_path: Path) -> None:
    for folder in (ROOT, tmp_path):
        command = [sys.executable, "-c", AS_STARTED, str(ROOT / "app.py")]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "False"


# ---- What answers tell a browser that it may do, and whose files the server takes


def test_no_other_server_and_no_unknown_script() -> None:
    rules = dict(rule.split(" ", 1) for rule in HEADERS["Content-Security-Policy"].split("; "))
    assert rules["default-src"] == "'self'"
    assert rules["frame-ancestors"] == rules["object-src"] == rules["base-uri"] == "'none'"
    for name, sources in rules.items():
        assert not [word for word in ("http", "*", "'unsafe-eval'") if word in sources], name
    assert "unsafe-inline" not in rules["script-src"]
    assert "nosniff" in HEADERS.values()
    assert HEADERS["Referrer-Policy"] == "no-referrer"


def test_what_an_answer_says_by_itself_is_replaced() -> None:
    async def framed(request: object) -> PlainTextResponse:
        return PlainTextResponse("x", headers={"X-Frame-Options": "ALLOWALL"})

    app = Starlette(routes=[Route("/", framed)], middleware=list(PROTECTED))
    answer = TestClient(app).get("/")
    assert answer.headers.get_list("X-Frame-Options") == ["DENY"]


def test_sessions_that_have_ended_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    present, page = {"one", "two"}, SimpleNamespace(session_id="one")
    runtime = SimpleNamespace(is_active_session=present.__contains__)
    monkeypatch.setattr(visitor, "_uploaders", set())
    monkeypatch.setattr(visitor, "get_script_run_ctx", lambda: page)
    monkeypatch.setattr(Runtime, "exists", lambda: True)
    monkeypatch.setattr(Runtime, "instance", lambda: runtime)
    visitor.let_upload(True)
    page.session_id = "two"
    visitor.let_upload(True)
    assert visitor._uploaders == {"one", "two"}
    present.remove("one")
    visitor.let_upload(True)
    assert visitor._uploaders == {"two"}
    visitor.let_upload(False)
    assert visitor._uploaders == set()
