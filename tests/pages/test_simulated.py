"""Simulated annotators: called so on every page and at the command line, and gone with one press."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core import sample_study
from core.store import Store
from pages.components.shared import tour
from tests.cli.asked import called
from tests.pages.test_empty import Visit, words
from tests.pages.test_empty import visit as visit  # a fixture

NEWS = "sample-news"


@pytest.fixture
def loaded(store: Store) -> Store:
    sample_study.load(store)
    return store


def test_pages_open_with_simulated_annotators_and_call_them_so(visit: Visit, loaded: Store) -> None:
    for page in ("app.py", "pages/leaderboard.py", "pages/together.py", "pages/agreement.py"):
        app = visit(page, dataset=NEWS)
        assert not app.exception, page
        assert "simulated" in words(app).lower(), page
        assert "human vote" not in words(app), page
        assert "People agree" not in words(app), page


def test_the_known_truth_stands_beside_the_estimate(visit: Visit, loaded: Store) -> None:
    app = visit("pages/together.py", dataset=NEWS)
    assert "4 of 4 combined intervals" in words(app)


def test_one_press_withdraws_them_and_deletes_nothing(visit: Visit, loaded: Store) -> None:
    before = loaded.connection.value("SELECT count(*) FROM judgements")
    app = visit("app.py", dataset=NEWS)
    [button] = [button for button in app.button if button.label == "Withdraw simulated votes"]
    app = button.click().run()
    assert not app.exception
    assert "1,864 simulated" in words(app)  # 1,576 votes and 288 known truths, as counted below
    assert not [button for button in app.button if "Withdraw" in button.label]
    assert "simulated" not in set(loaded.judgement_frames.judges(NEWS)["kind"])
    assert "simulated" in set(loaded.judgement_frames.judges("sample-dialogues")["kind"])
    assert loaded.connection.value("SELECT count(*) FROM judgements") == before


def test_the_command_line_names_them_and_keeps_their_kind(
    loaded: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, said, _ = called(capsys, loaded.path, "rank", "--dataset", NEWS, "--json")
    assert status != 0, "nobody asked for simulated annotators"
    ask = ("--dataset", NEWS, "--judges", "simulated")
    status, said, _ = called(capsys, loaded.path, "rank", *ask, "--json")
    assert json.loads(said)["kinds"] == ["simulated"]
    file, again = tmp_path / "votes.csv", tmp_path / "again.sqlite3"
    assert (
        called(capsys, loaded.path, "export", *ask, "--what", "judgements", "--to", str(file))[0]
        == 0
    )
    assert called(capsys, again, "import", str(file), "--dataset", NEWS)[0] == 0
    with Store(again) as store:
        judges = store.judges.load_all().set_index("judge")["kind"]
        assert judges.to_dict() == dict.fromkeys(sample_study.ANNOTATORS, "simulated")
    status, said, _ = called(capsys, loaded.path, "dataset", "withdraw-simulated", NEWS, "--json")
    assert status == 0
    # 1,576 votes, and the truth about 24 items x 3 attributes x 4 systems
    assert json.loads(said) == {"withdrawn": 1576 + 24 * 3 * 4}
    status, _, errors = called(capsys, loaded.path, "dataset", "withdraw-simulated", NEWS)
    assert status != 0
    assert re.search(f"{NEWS}.*no votes", errors)


def test_the_tour_has_six_stops_can_be_left_and_comes_back(visit: Visit, loaded: Store) -> None:
    app = visit("pages/leaderboard.py", dataset=NEWS)
    assert "Stop " not in words(app)
    _press(app, tour.LABEL)
    for number, stop in enumerate(tour.STOPS, start=1):
        app.switch_page("app.py" if number == 1 else f"pages/{stop.page}.py").run()
        assert not app.exception
        assert f"Stop {number} of 6." in words(app)
    _press(app, "Leave the tour")
    assert "Stop " not in words(app)
    _press(app, tour.LABEL)
    assert "Stop 1 of 6." in words(app), "it begins where the study is summed up"


def _press(app: AppTest, label: str) -> None:
    [button] = [button for button in app.button if button.label == label]
    button.click().run()
