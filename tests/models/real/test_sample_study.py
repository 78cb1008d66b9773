"""The small model's recorded answers come again, and its position bias is shown and corrected."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from core.__main__ import main
from core.models.local import loading, small_model
from core.runs import worker
from core.store import Store
from tests.record_small_model import COLUMNS, STUDY, ask, read_recorded
from tests.study import fill

JUDGE = ("--judges", "llm", "--dataset", "sample-news", "--attribute", "coherence")


def document(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    capsys.readouterr()
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def key(row: dict[str, str]) -> tuple[str, ...]:
    return tuple(row[column] for column in COLUMNS[:-1])


def test_the_recorded_answers_are_those_of_every_ordered_pair() -> None:
    """source: n (n - 1) ordered pairs of four systems, for each item and attribute of the study."""
    rows = read_recorded()
    study = json.loads(STUDY.read_text(encoding="utf-8"))
    expected = {
        name: 12 * len((STUDY.parent / about["items"]).read_text("utf-8").splitlines())
        * len(about["attributes"])
        for name, about in study.items()
    }  # fmt: skip
    assert Counter(row["dataset"] for row in rows) == expected
    assert len({key(row) for row in rows}) == len(rows)
    assert all(0 < float(row["prob_a"]) < 1 for row in rows)
    assert rows == sorted(rows, key=lambda row: [row[column] for column in COLUMNS])


def test_the_command_gives_what_is_recorded(
    smollm2: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        worker, "run_worker", lambda path, once: None
    )  # the other judges of the study
    recorded = {key(row): float(row["prob_a"]) for row in read_recorded()}
    again = ask(tmp_path, limit=2)
    assert len(again) == 4
    for row in again:
        assert float(row["prob_a"]) == pytest.approx(recorded[key(row)], abs=1e-3)


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, str]]]:
    """The recorded answers about the coherence of news, imported as somebody brings their own."""
    folder = tmp_path_factory.mktemp("answered")
    store = folder / "store.sqlite3"
    rows = [row for row in read_recorded() if key(row)[0::2][:2] == ("sample-news", "coherence")]
    with (folder / "votes.csv").open("w", newline="", encoding="utf-8") as lines:
        columns = ("item", "attribute", "system_a", "system_b", "judge", "prob_a", "winner")
        writer = csv.DictWriter(lines, columns, extrasaction="ignore")
        writer.writeheader()
        for row in rows:
            winner = "a" if float(row["prob_a"]) > 0.5 else "b"
            writer.writerow({**row, "judge": "smollm2", "winner": winner})
    votes = str(folder / "votes.csv")
    words = ["import", votes, "--dataset", "sample-news", "--kind", "llm"]
    assert main(["--store", str(store), *words]) == 0
    return store, rows


def test_its_bias_shows_and_both_corrections_take_it_away(
    answered: tuple[Path, list[dict[str, str]]], capsys: pytest.CaptureFixture[str]
) -> None:
    """source: counted here from the recorded probabilities, by the definitions of docs/."""
    store, rows = answered
    p = {key(row)[1:]: float(row["prob_a"]) for row in rows}
    bias = ("--store", str(store), "bias", *JUDGE)
    [found] = document(capsys, *bias)["rows"]
    first = sum(value > 0.5 for value in p.values()) / len(p)
    assert found["p_first"] == pytest.approx(first)
    assert first > 0.58, "it prefers what it reads first"
    assert found["threshold"] == pytest.approx(median(p.values()), abs=1e-6)
    pairs = {(item, about, a, b) for item, about, a, b in p if a < b}
    agreed = sum((p[i, c, a, b] > 0.5) == (p[i, c, b, a] < 0.5) for i, c, a, b in pairs)
    assert (found["pairs_both_orders"], found["consistent_both_orders"]) == (len(pairs), agreed)


def test_ranks_by_swapped_answers_count_each_pair_once(
    answered: tuple[Path, list[dict[str, str]]], capsys: pytest.CaptureFixture[str]
) -> None:
    """source: win ratios counted here; a pair in both orders is the mean of p and 1 - p."""
    store, rows = answered
    p = {key(row)[1:]: float(row["prob_a"]) for row in rows}
    rank = ("--store", str(store), "rank", *JUDGE, "--method", "win-ratio")
    for correction in ("none", "swap", "threshold"):
        wins, games = Counter[str](), Counter[str]()
        tau = median(p.values())
        for (item, about, a, b), value in p.items():
            if correction == "swap":
                value = (value + 1 - p[item, about, b, a]) / 2
            bar = tau if correction == "threshold" else 0.5
            wins[a if value > bar else b] += 1
            games.update((a, b))
        found = document(capsys, *rank, "--debias", correction)["rows"]
        ratings = {row["system"]: row["rating"] for row in found}
        assert ratings == pytest.approx({one: wins[one] / games[one] for one in games}, abs=1e-6)


def test_where_the_precision_is_chosen_the_command_says_so_once(
    weights_folder: Path, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    models = tmp_path / "models"
    models.mkdir()
    name = small_model.model_folder().name
    (models / name).symlink_to(weights_folder / name)
    monkeypatch.setenv("TANDEM_MODELS", str(models))
    monkeypatch.setattr(loading, "fast_bf16", lambda device: True)
    fill(store)
    judge = ["--store", str(store.path), "judge", "--judge", small_model.SPEC, "--limit", "1"]
    for said in (True, False):
        capsys.readouterr()
        assert main(judge) == 0
        errors = capsys.readouterr().err
        assert bool(re.search("precision .*local:smollm2", errors)) == said
