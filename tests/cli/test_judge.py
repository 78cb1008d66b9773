"""Commands about runs: judge, runs, worker, try, and a researcher's way on published data."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from core.cli import output as module
from core.cli import runs
from core.cli.output import ProgressLine
from core.cli.respondent_options import RespondentRequest
from core.cli.runs import REPLY_SHOWN, answer_line, explain_failure, reply_line
from core.failures import FAILURES
from core.judging import StoredReply
from core.judging.judges import baselines
from core.judging.registry import make
from core.models import KEY, Options
from core.pairing import planning
from core.records import Status, render_options
from core.runs import execution
from core.settings import list_settings
from core.store import Store
from tests.cli.asked import Call, Run, has, measure, refusal
from tests.server import Server

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
    # The fixture's run asked both orders of two pairs of each item.
    found = run("judge", "--judge", "baseline:longer", "--pairs", "full")
    assert [found[name] for name in counts] == [36, 36, 24]


def test_runs(run: Run) -> None:
    found = run("runs")
    assert {one["kind"] for one in found} == {"run", "campaign"}
    assert all(has(one, "run", "kind", "status", "planned", "done", "failed") for one in found)
    (of_judge,) = [one for one in found if one["kind"] == "run"]
    counts = [of_judge[name] for name in ("status", "planned", "done", "failed")]
    assert counts == ["done", 24, 24, 0]
    assert run("worker", "--once") == {}


def test_judge_items_by_separability(run: Run, call: Call, target: Path) -> None:
    measure(target)
    rouge = "judge --judge baseline:random --items-by proportional --separability rouge1"
    words = f"{rouge} --items 2"
    found = run(words)
    assert found["planned"] == found["done"] == 2 * 6  # 3 systems: 6 ordered pairs an item
    assert run(words)["already_there"] == 12
    for wrong, said in (
        (rouge, "say how many"),
        (words.replace("rouge1", "bleu"), "no bleu similarities of 'd' have been measured"),
        (f"{words} --from 0.9", "nothing has a separability from 0.9 to 1"),
    ):
        assert said in refusal(call, wrong)


def test_a_judge_that_does_not_load_is_a_wrong_request(
    call: Call, target: Path, tmp_path: Path
) -> None:
    before = target.read_bytes()
    err = refusal(call, "judge", "--judge", f"hf:{tmp_path}/none", "--json")
    assert "cannot load" in err
    assert "continues" not in err
    assert target.read_bytes() == before


@pytest.mark.parametrize("other", ["ends", "stops", "dies", "breaks"])
def test_a_second_judge_command_follows_the_first(
    other: str, call: Call, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another connection holds the run's lock, as another process would, while this sleeps."""
    longer, slept = make("baseline:longer"), []
    with Store(target) as store:
        request = planning.check_request(store, planning.Request("d"))
        number = planning.enqueue(store, longer.spec, request)
        store.runs.set_status(number, Status.RUNNING)
        holder = execution.claim(target, f"run-{number}")
        holder.__enter__()

        def sleep(seconds: float) -> None:
            slept.append(seconds)
            if len(slept) < 3:
                return
            holder.__exit__(None, None, None)
            if other in ("ends", "stops"):
                limit = 5 if other == "stops" else None
                execution.execute(store, number, by=longer, limit=limit)
            elif other == "breaks":
                store.runs.set_status(number, Status.FAILED, error=OUT_OF_MEMORY)

        monkeypatch.setattr(runs.time, "sleep", sleep)
        status, out, err = call("judge --judge baseline:longer --pairs full --limit 30 --json")
    assert slept == [runs.FOLLOWING_SECONDS] * 3
    if other in ("breaks", "stops"):
        assert (status, out) == (1, "")
        stopped = rf"\brun {number} .*\bstopped\b.*\b29 of 36\b"
        assert re.search(OUT_OF_MEMORY if other == "breaks" else stopped, err)
        return
    found = json.loads(out)
    assert (status, found["run"], found["done"]) == (0, number, 36)
    assert found["done"] - found["already_there"] == (12 if other == "dies" else 0)


def test_a_judge_that_breaks_keeps_what_it_answered(
    call: Call, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    answers, calls = baselines.Longer.answers, count()

    def breaks(self: baselines.Longer, questions: Any) -> Any:
        if next(calls):
            raise RuntimeError(OUT_OF_MEMORY)
        return answers(self, questions)

    monkeypatch.setattr(baselines.Longer, "answers", breaks)
    status, out, err = call("judge --judge baseline:longer --pairs full --json")
    assert (status, out) == (1, "")
    assert re.fullmatch(rf"tandem: {OUT_OF_MEMORY}; .*\bkept\b.*\bsame command\b.*\n", err)
    monkeypatch.undo()
    found = run("judge", "--judge", "baseline:longer", "--pairs", "full")
    assert found["done"] == found["planned"] == 36
    assert 24 < found["already_there"] < 36


# ---- A server as the judge of a command: how far --limit counts, and what `try` shows of a reply


REPLY = "Summary A\n\nIt says\tmore,\x1b[31m and it is \u202eclear."
REPLY_IN_A_LINE = r"Summary A» It says more,\u001b[31m and it is \u202eclear."


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY, raising=False)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(reply=lambda prompt: REPLY) as server:
        yield server


def words(command: str, server: Server) -> tuple[str, ...]:
    return command, "--judge", "openai:fake", "--base-url", server.url, "--mode", "generate"


def test_progress_counts_to_the_limit(call: Call, server: Server) -> None:
    for done, there in ((8, 0), (16, 8)):
        status, out, err = call(*words("judge", server), "--limit", "8")
        assert status == 0, err
        counts = rf"{there} were\b.*; {done} of {done} done, 0 unanswered; 36 are planned\b"
        assert re.search(rf": 8 comparisons\b.*, {counts}.*\bsame command\b", out)
        assert "of 36 done" not in out + err
    status, out, _ = call(*words("judge", server), "--limit", "100")
    assert "36 of 36 done" in out
    assert "are planned" not in out


def test_try_shows_what_was_written_in_one_line(call: Call, server: Server, run: Run) -> None:
    before = run("describe")
    status, out, err = call(*words("try", server), "--limit", "2")
    assert status == 0, err
    lines = out.splitlines()
    assert len(lines) == 3
    for line in lines[:2]:
        assert line.startswith("coherence: a")
        assert f"| «{REPLY_IN_A_LINE} |" in line
    assert "36 comparisons" in lines[2]
    assert run("describe") == before


def test_try_shows_why_there_is_no_answer_and_what_was_written(call: Call) -> None:
    with Server(reply=lambda prompt: "I cannot say.") as server:
        status, out, err = call(*words("try", server), "--limit", "1")
    assert status == 0, err
    assert out.startswith("coherence: unparsed: ")
    assert "I cannot say." in out.splitlines()[0]


# ---- A trial's answers in lines: the part that was read is marked, a failure says what to do


def answered(**raw: Any) -> dict[str, Any]:
    return {"attribute": "coherence", "failure": "", "outcome": "b", "prob_a": None, "tokens": 90,
            "seconds": 0.25, "raw": json.dumps(raw)}  # fmt: skip


def test_a_trial_s_answer_has_the_read_part_the_effort_and_what_helps_a_failure() -> None:
    text = "Verdict: Summary B"
    given = answered(text=text, read=[[9, 18]], kept_by="json_schema") | {"prob_a": 0.25}
    verdict, read, kept_by, effort = answer_line(given).split(" | ")
    assert (verdict, read) == ("coherence: b (p 0.250)", "Verdict: «Summary B»")
    assert (kept_by.split()[-1], effort) == ("json_schema", "90 tokens in 0.25 s")
    failed = answered(text="Well\x1b[31m", detail="it ends while thinking")
    line = answer_line(failed | {"failure": "cut-off", "outcome": None})
    assert "--max-tokens" in line
    assert "\x1b" not in line
    assert line.endswith("| it ends while thinking | 90 tokens in 0.25 s")


def test_a_long_reply_is_cut_but_never_the_part_that_was_read() -> None:
    for place in [0, 500, 1990]:
        text = "x" * place + "VERDICT" + "y" * (2000 - place)
        line = reply_line(StoredReply(text, (place, place + 7)))
        assert "«VERDICT»" in line
        assert len(line) < REPLY_SHOWN + 20


def test_every_kind_has_a_remedy_that_names_options_which_exist() -> None:
    requests = (Options, RespondentRequest)
    options = {one.option or name for each in requests for name, one in list_settings(each).items()}
    for kind in FAILURES:
        named: list[str] = []
        render_options(FAILURES[kind].remedy, lambda name, named=named: named.append(name) or name)
        assert set(named) <= {*options, "retry_failed"}, kind
        assert "⟦" not in explain_failure(kind)


# ---- How long it takes still: by the pace of the stage that is at work


def test_the_time_left_is_by_the_pace_of_its_own_stage(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Twenty minutes of checking and 2,000 of 1e6 rows a minute: 8.3 hours are left, not weeks."""
    clock = SimpleNamespace(now=1000.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(module, "time", clock)
    progress = ProgressLine()
    for rows in range(1000, 1_000_001, 1000):
        progress("checking", rows, 0)
        clock.now += 1.2
    capsys.readouterr()
    for rows in range(1000, 4001, 1000):
        progress("importing", rows, 1_000_000)
        clock.now += 30
    *_, last = capsys.readouterr().err.splitlines()
    assert last == "importing 4,000 of 1,000,000 (0%), about 8.3 h left"
