"""Commands about runs: judge, runs, worker."""

from __future__ import annotations

import json
import re
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
    words = (
        "judge",
        "--judge",
        "baseline:random",
        "--pairs",
        "full",
        "--attribute",
        "coherence",
        "--seed",
        "3",
    )
    first = run(*words, "--limit", "10")
    names = (
        "run",
        "judge",
        "planned",
        "done",
        "failed",
        "already_there",
        "seconds",
        "comparisons_per_second",
        "tokens",
        "cost",
    )
    assert has(first, *names)
    assert [first[name] for name in ("planned", "done", "failed", "already_there")] == [
        36,
        10,
        {},
        0,
    ]
    second = run(*words)
    assert [second[name] for name in ("run", "planned", "done", "already_there")] == [
        first["run"],
        36,
        36,
        10,
    ]
    third = run(*words)
    assert [third[name] for name in ("planned", "done", "already_there")] == [36, 36, 36]


def test_what_another_run_asked_is_already_there(run: Run) -> None:
    """The fixture's run asked both orders of two pairs of each item."""
    document = run("judge", "--judge", "baseline:longer", "--pairs", "full")
    assert [document[name] for name in ("planned", "done", "already_there")] == [36, 36, 24]


def test_runs(run: Run) -> None:
    document = run("runs")
    assert {one["kind"] for one in document} == {"run", "campaign"}
    assert all(has(one, "run", "kind", "status", "planned", "done", "failed") for one in document)
    (of_judge,) = [one for one in document if one["kind"] == "run"]
    assert [of_judge[name] for name in ("status", "planned", "done", "failed")] == [
        "done",
        24,
        24,
        0,
    ]


def test_judge_items_by_separability(
    run: Run, target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    measure(target)
    words = (
        "judge",
        "--judge",
        "baseline:random",
        "--items-by",
        "proportional",
        "--separability",
        "rouge1",
        "--items",
        "2",
    )
    document = run(*words)
    assert document["planned"] == document["done"] == 2 * 6  # 3 systems: 6 ordered pairs an item
    assert run(*words)["already_there"] == 12
    for wrong, said in (
        (words[:5], "--items-by needs --separability METRIC"),
        (words[:7], "say how many"),
        (
            ("judge", "--judge", "baseline:random", "--from", "0.5"),
            "--from 0.5 belongs to --items-by order|range|",
        ),
        ((*words[:6], "bleu", "--items", "2"), "no bleu similarities of 'd' have been measured"),
        ((*words, "--from", "0.9"), "nothing has a separability from 0.9 to 1"),
    ):
        status, out, err = called(capsys, target, *wrong)
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


@pytest.mark.parametrize("other", ["ends", "stops", "dies", "breaks"])
def test_a_second_judge_command_follows_the_first(
    target: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    """Another connection holds the run's lock, as another process would; what it does happens while
    this one sleeps.
    """
    words = ("judge", "--judge", "baseline:longer", "--pairs", "full", "--limit", "30")
    longer = make("baseline:longer")
    with Store(target) as store:
        request = planning.check_request(store, planning.Request("d"))
        number = planning.enqueue(store, longer.spec, request)
        store.runs.set_status(number, Status.RUNNING)
        holder = locks.claim(target, f"run-{number}")
        holder.__enter__()
        slept = []

        def sleep(seconds: float) -> None:
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
        status, out, err = called(capsys, target, *words, "--json")
        assert slept == [follow_run.FOLLOWING_SECONDS] * 3
    if other == "breaks":
        assert (status, out) == (1, "")
        assert OUT_OF_MEMORY in err
        return
    if other == "stops":
        assert (status, out) == (1, "")
        assert re.search(rf"\brun {number} .*\bstopped\b.*\b29 of 36\b", err)
        return
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
    status, out, err = called(
        capsys, target, "judge", "--judge", "baseline:longer", "--pairs", "full", "--json"
    )
    assert (status, out) == (1, "")
    assert re.fullmatch(rf"tandem: {OUT_OF_MEMORY}; .*\bkept\b.*\bsame command\b.*\n", err)
    monkeypatch.undo()
    document = run("judge", "--judge", "baseline:longer", "--pairs", "full")
    assert document["done"] == document["planned"] == 36
    assert 24 < document["already_there"] < 36
