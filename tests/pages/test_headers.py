"""What answers tell a browser that it may do, and whose files the server takes."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit.runtime import Runtime

from pages.components.shared import gate
from pages.components.shared.headers import HEADERS, PROTECTED


def test_no_other_server_and_no_unknown_script() -> None:
    rules = dict(rule.split(" ", 1) for rule in HEADERS["Content-Security-Policy"].split("; "))
    assert rules["default-src"] == "'self'"
    assert rules["frame-ancestors"] == rules["object-src"] == rules["base-uri"] == "'none'"
    for name, sources in rules.items():
        assert "http" not in sources, name
        assert "*" not in sources, name
        assert "'unsafe-eval'" not in sources, name
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
    monkeypatch.setattr(gate, "_uploaders", set())
    monkeypatch.setattr(gate, "get_script_run_ctx", lambda: page)
    monkeypatch.setattr(Runtime, "exists", lambda: True)
    monkeypatch.setattr(Runtime, "instance", lambda: runtime)
    gate.let_upload(True)
    page.session_id = "two"
    gate.let_upload(True)
    assert gate._uploaders == {"one", "two"}
    present.remove("one")
    gate.let_upload(True)
    assert gate._uploaders == {"two"}
    gate.let_upload(False)
    assert gate._uploaders == set()
