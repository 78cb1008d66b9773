"""Sessions whose files are taken: of those who may, for as long as they are there."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from streamlit.runtime import Runtime

from pages.components.shared import gate


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
