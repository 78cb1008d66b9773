"""The small model on the page Judge: an owner fetches it by a press and judges with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core import access
from core.access import Access
from core.judging import make
from core.models.local import small_model
from core.records import Role
from core.store import Store
from pages.components.judge.judge_form import OFFER
from tests import inviting
from tests.pages.beginning import can_start, said
from tests.pages.drawn import choose, draw, find, labels, press
from tests.study import wait_for

STEP = "Converting it once ..."


@pytest.fixture(autouse=True)
def without_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TANDEM_MODELS", str(tmp_path / "models"))


@pytest.fixture
def judge_page(study: Store) -> AppTest:
    return choose(draw("judge"), "Judge", "hf")


def model(app: AppTest) -> str:
    return str(find(app.text_input, "Model").value)


def test_offline_it_says_why_not(judge_page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    assert OFFER in said(judge_page)
    assert "93 MB" in OFFER
    assert small_model.ADVICE in said(judge_page)
    app = press(judge_page, "Fetch it")
    wait_for(lambda: not small_model.read_fetch_state().is_running, seconds=120)
    app = app.run()
    assert "index cannot" in said(app)
    assert "Fetch it" in labels(app.button)
    assert model(app) == ""
    assert not app.exception


def test_while_it_comes_the_page_says_at_which_step(judge_page: AppTest, tmp_path: Path) -> None:
    from filelock import FileLock

    folder = tmp_path / "models"
    folder.mkdir()
    (folder / ".fetching.log").write_text(f"Fetching it ...\n{STEP}\n")
    with FileLock(folder / ".fetching.lock"):
        app = judge_page.run()
        assert STEP in said(app)
        assert "Fetch it" not in labels(app.button)
        (folder / small_model.model_folder().name).mkdir()
    app = app.run()
    assert model(app) == small_model.SPEC, "it has come, so it is chosen"


def test_what_is_fetched_is_chosen_by_a_press_and_makes_its_own_judge(
    judge_page: AppTest, study: Store, smollm2: str
) -> None:
    app = judge_page.run()
    assert "Fetch it" not in labels(app.button)
    app = press(app, "Use it")
    assert model(app) == smollm2
    assert small_model.ADVICE in said(app)
    assert can_start(app)
    app = press(app, "Start")
    [run] = study.runs.list_all(kind="run").to_dict("records")
    assert run["judge"] == make(smollm2).spec.name


def test_a_researcher_does_not_get_the_press(study: Store) -> None:
    owner = inviting.code(study.path, "Ada", Role.OWNER)
    access.people.set_access(study, "test", Access.MEMBERS)
    link = inviting.code(study.path, "Grace", Role.RESEARCHER)
    app = choose(draw("judge", invitation=link), "Judge", "hf")
    assert model(app) == ""
    assert "Fetch it" not in labels(app.button)
    app = choose(draw("judge", invitation=owner), "Judge", "hf")
    assert "Fetch it" in labels(app.button)
