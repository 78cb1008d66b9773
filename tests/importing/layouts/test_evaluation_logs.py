"""Logs of evaluations, written by the tools themselves: `tests/importing/logs` holds those of
lm-evaluation-harness 0.4.13 (`lm_eval run --model dummy --log_samples`, tasks of our own) and of
inspect_ai 0.3.285 (`mockllm`, two epochs, scorers match and includes).
"""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from core.records import TandemError
from core.scratch import scratch
from core.store import Store
from tests.published import Study

LOGS = Path(__file__).parents[1] / "logs"
RECOVERY = "inspect log recover"  # the command of Inspect that mends a log


@pytest.fixture
def published(store: Store, tmp_path: Path) -> Study:
    return Study(store, tmp_path)


def copied(published: Study, *names: str) -> None:
    for name in names:
        source = LOGS / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, published.folder / name)


def test_a_folder_a_model_becomes_a_system_a_model(published: Study) -> None:
    copied(published, "small-one", "org__large-one")
    report = published.load()
    assert set(report.layouts.values()) == {"lm-eval"}
    # The results name the models; they hold no samples.
    assert all("results_" in file["file"] for file in report.left_out)
    assert sorted(published.store.datasets.systems("d")) == ["org/large-one", "small-one"]
    # Of options the text is the likeliest one: exp(-0.24) and exp(-0.08) in the first file.
    small = [row for row in published.texts() if row[1] == "small-one"]
    assert small == [
        ["capital_choices/0", "small-one", "Oslo"],
        ["capital_choices/1", "small-one", "Lima"],
        ["capitals/0", "small-one", "lol"],
        ["capitals/1", "small-one", "lol"],
    ]
    assert [row[3:] for row in published.scores() if row[1] == "small-one"] == [
        ["acc", 1.0], ["acc", 0.0], ["exact_match", 0.0], ["exact_match", 0.0],
    ]  # fmt: skip
    items = published.store.datasets.items("d")
    question = "What is the capital of Norway?"
    assert items["context"].tolist()[0] == question
    assert set(items["subset"]) == {"capitals", "capital_choices"}


def test_without_results_the_folder_names_the_model(published: Study) -> None:
    copied(published, "org__large-one")
    next((published.folder / "org__large-one").glob("results_*")).unlink()
    published.load()
    assert published.store.datasets.systems("d") == ["org/large-one"]


def test_a_file_without_its_folder_wants_the_model(published: Study) -> None:
    """As it is uploaded: beside nothing, in a folder for a while."""
    [log] = (LOGS / "small-one").glob("samples_capitals_*")
    with scratch() as folder:
        path = Path(shutil.copy(log, folder))
        with pytest.raises(TandemError, match=r"samples_capitals_.*model.* system name"):
            published.load(path)
        published.load(path, systems=["small-one"])
    assert published.store.datasets.systems("d") == ["small-one"]


def row(**more: Any) -> dict[str, Any]:
    return {
        "doc_id": 7, "doc": {"question": "Q"}, "target": "4", "resps": [["It is 4", "5"]],
        "arguments": {"gen_args_0": {"arg_0": "Q", "arg_1": {"until": []}}},
        "filtered_resps": ["4"], "filter": "strict-match", "metrics": ["exact_match"],
        "exact_match": 1.0, **more,
    }  # fmt: skip


def test_an_eval_of_inspect_is_read(published: Study) -> None:
    log = LOGS / "capitals.eval"
    copied(published, log.name)
    with zipfile.ZipFile(log) as archive:
        assert {one.compress_type for one in archive.infolist()} == {93}  # zstd, as it writes now
    report = published.load()
    assert (report.skipped, report.rows) == ([], 4)
    frame = published.store.texts.generations("d")
    told = frame[["item", "system", "sample", "text"]].to_numpy().tolist()
    # The model answers in the order in which it was asked, so what it says is what the log says.
    assert {tuple(one[:3]) for one in told} == {
        (f"capitals/{item}", "mockllm/careful", sample)
        for item in ("chile", "norway")
        for sample in (0, 1)
    }
    answers = {"Oslo", "It is Oslo", "Santiago"}
    assert {one[3] for one in told} <= answers
    assert len(published.scores()) == 8
    assert {one[3] for one in published.scores()} == {"match", "includes"}


def inspect_log(*samples: dict[str, Any], model: str = "openai/gpt-4o") -> dict[str, Any]:
    """As tests/log/test_eval_log/log_formats.json of UKGovernmentBEIS/inspect_ai, commit 0e6318fa
    (MIT), with fewer fields.
    """
    return {
        "version": 2, "status": "success", "eval": {"model": model, "task": "popularity"},
        "plan": {"steps": [{"solver": "generate"}]}, "samples": list(samples),
        "reductions": [{"scorer": "match", "samples": []}],
    }  # fmt: skip


def sample(text: str | None, grade: Any, **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "id": 1, "epoch": 1, "input": "Yes or no?", "target": " Yes",
        "output": {"choices": [{"message": message}]}, "scores": {"match": {"value": grade}}, **more,
    }  # fmt: skip


def test_an_eval_of_earlier_versions_is_deflated(published: Study) -> None:
    log = inspect_log(sample("No", "I"))
    with zipfile.ZipFile(published.folder / "a.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("samples/1_epoch_1.json", json.dumps(log.pop("samples")[0]))
        archive.writestr("header.json", json.dumps(log))
    published.load()
    assert published.texts() == [["popularity/1", "openai/gpt-4o", "No"]]


def test_a_header_that_names_a_value_twice_is_refused(published: Study) -> None:
    with zipfile.ZipFile(published.folder / "a.eval", "w") as archive:
        archive.writestr("header.json", '{"version": 2, "version": 2, "eval": {}}')
    with pytest.raises(TandemError, match=r"header\.json in 'a\.eval'.*each.*once"):
        published.load()


def test_a_log_that_is_cut_off_is_refused_in_a_sentence(published: Study) -> None:
    log = LOGS / "capitals.eval"
    (published.folder / "cut.eval").write_bytes(log.read_bytes()[:5000])
    with pytest.raises(TandemError, match=r"'cut\.eval'.*damaged.*Inspect.*fetch"):
        published.load("cut.eval")
    with zipfile.ZipFile(published.folder / "open.eval", "w") as archive:
        archive.writestr("_journal/start.json", "{}")
    with pytest.raises(TandemError, match=rf"'open\.eval'.*header.*`{RECOVERY}`"):
        published.load("open.eval")
