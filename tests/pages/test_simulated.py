"""Simulated voters: called so on every page and at the command line, and gone with one press."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from core import sample_study
from core.store import Store
from tests.cli.asked import called
from tests.pages.drawn import draw, labels, press, words

NEWS = "sample-news"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("simulated") / "store.sqlite3"
    with Store(path) as store:
        sample_study.load(store)
    return path


@pytest.fixture
def loaded(sample: Path, tmp_path: Path) -> Store:
    return Store(Path(shutil.copyfile(sample, tmp_path / "store.sqlite3")))


def test_pages_call_simulated_annotators_so_until_one_press_withdraws_them(loaded: Store) -> None:
    for page in ("", "leaderboard", "together", "agreement"):
        said = words(draw(page, dataset=NEWS))
        assert "simulated" in said.lower(), page
        assert "human vote" not in said, page
        assert "People agree" not in said, page
        assert ("4 of 4 combined intervals" in said) == (page == "together"), "the known truth"
    before = loaded.connection.value("SELECT count(*) FROM judgements")
    app = press(draw(dataset=NEWS), "Withdraw simulated votes")
    assert "1,864 simulated" in words(app)  # 1,576 votes and 288 known truths, as counted below
    assert not [label for label in labels(app.button) if "Withdraw" in label]
    assert "simulated" not in set(loaded.judgement_frames.judges(NEWS)["kind"])
    assert "simulated" in set(loaded.judgement_frames.judges("sample-dialogues")["kind"])
    assert loaded.connection.value("SELECT count(*) FROM judgements") == before


def test_the_command_line_names_them_and_keeps_their_kind(
    loaded: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, said, _ = called(capsys, loaded.path, "rank", "--dataset", NEWS, "--json")
    assert status != 0, "nobody asked for simulated voters"
    ask = ("--dataset", NEWS, "--judges", "simulated")
    _, said, _ = called(capsys, loaded.path, "rank", *ask, "--json")
    assert json.loads(said)["kinds"] == ["simulated"]
    file, again = tmp_path / "votes.csv", tmp_path / "again.sqlite3"
    to = ("--what", "judgements", "--to", str(file))
    assert called(capsys, loaded.path, "export", *ask, *to)[0] == 0
    assert called(capsys, again, "import", str(file), "--dataset", NEWS)[0] == 0
    with Store(again) as store:
        judges = store.judges.load_all().set_index("judge")["kind"]
        assert judges.to_dict() == dict.fromkeys(sample_study.ANNOTATORS, "simulated")
    status, said, _ = called(capsys, loaded.path, "dataset", "withdraw-simulated", NEWS, "--json")
    # 1,576 votes, and the truth about 24 items x 3 attributes x 4 systems
    assert (status, json.loads(said)) == (0, {"withdrawn": 1576 + 24 * 3 * 4})
