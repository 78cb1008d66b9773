"""What servers do, through the command line: each scenario ends as its row says."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from core.store import Store
from tests.cli.asked import called, import_rows
from tests.server_scenarios import COMPARISONS, ROWS, SCENARIOS, Scenario

pytestmark = pytest.mark.usefixtures("nobody_waits")


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return import_rows(tmp_path_factory.mktemp("imported"), ROWS)


def frame(store: Path) -> pd.DataFrame:
    with Store(store) as opened:
        columns = "comparison, failure, prob_a, context_cut"
        rows = opened.connection.rows(f"SELECT {columns} FROM judgements ORDER BY comparison")
    return pd.DataFrame(rows, columns=columns.split(", "))


def test_it_ends_as_its_row_says(
    imported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    for scenario in SCENARIOS.values():
        with subtests.test(scenario=scenario):
            store = tmp_path / "store.sqlite3"
            store.write_bytes(imported.read_bytes())
            with scenario.server() as server:
                asked = (
                    "judge",
                    "--judge",
                    "openai:fake",
                    "--base-url",
                    server.url,
                    *scenario.words,
                )
                status, out, err = called(capsys, store, *asked, "--json")
                assert (status, scenario.said in err) == (scenario.status, True), err
                if status:
                    continue
                run = json.loads(out)
                assert (run["done"], run["failed"]) == (COMPARISONS, scenario.failed)
                assert f"|{scenario.mode}|" in run["judge"]
                before = len(server.seen)
                again = json.loads(called(capsys, store, *asked, "--json")[1])
                assert again["already_there"] == COMPARISONS
                assert len(server.seen) - before <= 20, "a repeat asks for nothing but what it can"
            answers = frame(store)
            answered = answers[answers["failure"] == ""]
            assert (answered["context_cut"] > 0).all() == scenario.is_cut
            if scenario.mode == "classifier":
                assert answered["prob_a"].between(0, 1, inclusive="neither").all()


@pytest.mark.parametrize(
    "name",
    ["tokens without spaces", "tokens in a vocabulary's marks",
     "tokens of thoughts before the text", "only streams"],
)  # fmt: skip
def test_probabilities_are_those_of_plain_tokens(
    name: str, imported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = []
    for number, scenario in enumerate((Scenario("plain"), SCENARIOS[name])):
        store = tmp_path / f"{number}.sqlite3"
        store.write_bytes(imported.read_bytes())
        with scenario.server() as server:
            asked = ("judge", "--judge", "openai:fake", "--base-url", server.url)
            assert called(capsys, store, *asked)[0] == 0
        found.append(frame(store)["prob_a"].tolist())
    assert found[0] == pytest.approx(found[1])
