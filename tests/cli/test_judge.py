"""Commands about runs: judge, runs, worker."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from core.cli import follow_run
from core.judging.judges import baselines
from core.judging.registry import make
from core.pairing import planning
from core.records import Status
from core.runs import execution, locks
from core.store import Store
from tests.cli.asked import Run, called, has, measure

OUT_OF_MEMORY = "CUDA out of memory"


def test_judge_and_again(run: Run) -> None:
    words = "judge --judge baseline:random --pairs full --attribute coherence --seed 3"
    first = run(words, "--limit", "10")
    names = "run judge planned done failed already_there seconds comparisons_per_second tokens cost"
    assert has(first, names)
    counts = ("planned", "done", "already_there")
    assert [first[name] for name in (*counts, "failed")] == [36, 10, 0, {}]
    second = run(words)
    assert [second[name] for name in ("run", *counts)] == [first["run"], 36, 36, 10]
    assert [run(words)[name] for name in counts] == [36, 36, 36]


def test_what_another_run_asked_is_already_there(run: Run) -> None:
    """The fixture's run asked both orders of two pairs of each item."""
    document = run("judge", "--judge", "baseline:longer", "--pairs", "full")
    assert [document[name] for name in ("planned", "done", "already_there")] == [36, 36, 24]


def test_runs(run: Run) -> None:
    document = run("runs")
    assert {one["kind"] for one in document} == {"run", "campaign"}
    assert all(has(one, "run", "kind", "status", "planned", "done", "failed") for one in document)
    (of_judge,) = [one for one in document if one["kind"] == "run"]
    counts = [of_judge[name] for name in ("status", "planned", "done", "failed")]
    assert counts == ["done", 24, 24, 0]


def test_judge_items_by_separability(
    run: Run, target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    measure(target)
    judge = "judge --judge baseline:random"
    proportional = f"{judge} --items-by proportional"
    words = f"{proportional} --separability rouge1 --items 2"
    document = run(words)
    assert document["planned"] == document["done"] == 2 * 6  # 3 systems: 6 ordered pairs an item
    assert run(words)["already_there"] == 12
    for wrong, said in (
        (proportional, "--items-by needs --separability METRIC"),
        (f"{proportional} --separability rouge1", "say how many"),
        (f"{judge} --from 0.5", "--from 0.5 belongs to --items-by order|range|"),
        (words.replace("rouge1", "bleu"), "no bleu similarities of 'd' have been measured"),
        (f"{words} --from 0.9", "nothing has a separability from 0.9 to 1"),
    ):
        status, out, err = called(capsys, target, wrong)
        assert (status, out) == (2, "")
        assert said in err


def test_worker(run: Run) -> None:
    assert run("worker", "--once") == {}


def test_a_judge_that_does_not_load_is_a_wrong_request(
    target: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    before = target.read_bytes()
    status, out, err = called(capsys, target, "judge", "--judge", f"hf:{tmp_path}/none", "--json")
    assert (status, out) == (2, "")
    assert "cannot load" in err
    assert "continues" not in err
    assert target.read_bytes() == before


def test_a_second_judge_command_follows_the_first(
    target: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    subtests: pytest.Subtests,
) -> None:
    """Another connection holds the run's lock, as another process would, while this sleeps."""
    for other in ["ends", "stops", "dies", "breaks"]:
        with subtests.test(other=other):
            words = ("judge", "--judge", "baseline:longer", "--pairs", "full", "--limit", "30")
            longer, path = make("baseline:longer"), tmp_path / other
            shutil.copy(target, path)
            with Store(path) as store:
                request = planning.check_request(store, planning.Request("d"))
                number = planning.enqueue(store, longer.spec, request)
                store.runs.set_status(number, Status.RUNNING)
                holder = locks.claim(path, f"run-{number}")
                holder.__enter__()
                slept = []

                def sleep(
                    seconds: float,
                    holder=holder,
                    longer=longer,
                    number=number,
                    other=other,
                    slept=slept,
                ) -> None:
                    slept.append(seconds)
                    if len(slept) < 3:
                        return
                    holder.__exit__(None, None, None)
                    if other == "ends":
                        execution.execute(store, number, by=longer)
                    elif other == "stops":
                        execution.execute(store, number, by=longer, limit=5)
                    elif other == "breaks":
                        store.runs.set_status(number, Status.FAILED, error=OUT_OF_MEMORY)

                monkeypatch.setattr(follow_run.time, "sleep", sleep)
                status, out, err = called(capsys, path, *words, "--json")
                assert slept == [follow_run.FOLLOWING_SECONDS] * 3
            if other == "breaks":
                assert (status, out) == (1, "")
                assert OUT_OF_MEMORY in err
                continue
            if other == "stops":
                assert (status, out) == (1, "")
                assert re.search(rf"\brun {number} .*\bstopped\b.*\b29 of 36\b", err)
                continue
            document = json.loads(out)
            assert (status, document["run"], document["done"]) == (0, number, 36)
            assert document["done"] - document["already_there"] == (12 if other == "dies" else 0)


def test_a_judge_that_breaks_keeps_what_it_answered(
    target: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:

    answers = baselines.Longer.answers

    def breaks(self: baselines.Longer, questions: Any) -> Any:
        breaks.calls += 1  # type: ignore[attr-defined]
        if breaks.calls > 1:  # type: ignore[attr-defined]
            raise RuntimeError(OUT_OF_MEMORY)
        return answers(self, questions)

    breaks.calls = 0  # type: ignore[attr-defined]
    monkeypatch.setattr(baselines.Longer, "answers", breaks)
    status, out, err = called(capsys, target, "judge --judge baseline:longer --pairs full --json")
    assert (status, out) == (1, "")
    assert re.fullmatch(rf"tandem: {OUT_OF_MEMORY}; .*\bkept\b.*\bsame command\b.*\n", err)
    monkeypatch.undo()
    document = run("judge", "--judge", "baseline:longer", "--pairs", "full")
    assert document["done"] == document["planned"] == 36
    assert 24 < document["already_there"] < 36
