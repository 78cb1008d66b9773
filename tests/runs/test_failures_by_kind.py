"""Failures by kind: each says what to do, and can be asked again by itself."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from core.__main__ import main
from core.judging import make
from core.models import Options
from core.pairing import Request, planning
from core.records import Answer, Outcome
from core.runs import execution
from core.store import Store
from tests.server import Server
from tests.study import DATASET, fill

LONG = "The first is clear, and"
UNDECIDED = "I cannot tell them apart."
SAID = ("Summary A", LONG, UNDECIDED)


def share(prompt: str) -> str:
    """What the model says to a prompt: a third of them each."""
    return SAID[int(sha256(prompt.encode()).hexdigest(), 16) % 3]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "store.sqlite3"
    with Store(path) as store:
        fill(store, items=6)
    return path


def test_a_run_says_how_many_of_each_kind_and_asks_one_kind_again(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    prompts: list[str] = []

    def reply(prompt: str) -> str:
        if "The context of item" in prompt:  # not when it is asked what it can
            prompts.append(prompt)
        return share(prompt)

    with Server(
        reply=reply, ends=lambda prompt: "length" if share(prompt) == LONG else ""
    ) as server:
        judge = ["--store", str(path), "judge", "--judge=openai:fake", "--mode=generate",
                 f"--base-url={server.url}"]  # fmt: skip
        assert main(judge) == 0
        said = capsys.readouterr().out
        asked = [share(prompt) for prompt in prompts]
        cut, undecided = asked.count(LONG), asked.count(UNDECIDED)
        assert min(cut, undecided) > 0
        assert f"{cut} cut-off: " in said
        assert f"{undecided} unparsed: " in said
        assert "--max-tokens" in said
        assert main(["--store", str(path), "runs"]) == 0
        listed = capsys.readouterr().out
        assert f"{cut} cut-off" in listed
        assert f"{undecided} unparsed" in listed
        assert "--form" in listed
        prompts.clear()
        assert main([*judge, "--retry-failed", "unparsed"]) == 0
        assert {share(prompt) for prompt in prompts} == {UNDECIDED}
        assert len(prompts) == undecided
        prompts.clear()
        assert main([*judge, "--retry-failed"]) == 0
        assert len(prompts) == cut + undecided
        assert main([*judge, "--retry-failed", "unprased"]) == 2
        assert "unparsed" in capsys.readouterr().err


def test_texts_that_did_not_come_say_what_to_do(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with Server(ends=lambda prompt: "length" if "item 1" in prompt else "") as server:
        command = ["--store", str(path), "generate", "--system=new", "--model=openai:fake",
                   "--instruction=Sum up: {context}", "--samples=1", "--temperature=0",
                   f"--base-url={server.url}"]  # fmt: skip
        assert main(command) == 0
        said = capsys.readouterr().out
        assert "1 cut-off: " in said
        assert "--max-tokens" in said
        assert count_texts(server) == 6
        assert main([*command, "--retry-failed", "empty"]) == 0
        assert count_texts(server) == 6
        assert main([*command, "--retry-failed", "cut-off"]) == 0
        assert count_texts(server) == 7


def count_texts(server: Server) -> int:
    """How many texts the server was asked for, apart from trials of what it can."""
    return sum("Sum up" in request["messages"][-1]["content"] for request in server.seen)


def test_all_errors_are_one_kind(path: Path) -> None:
    """An error says more than its kind; none of another kind is asked again with it."""
    failures = ("error: HTTP 400: no", "error: HTTP 418: tea", "too-long", "")
    with Store(path) as store:
        judge = make("baseline:longer", Options())
        run = planning.enqueue(store, judge.spec, planning.check_request(store, Request(DATASET)))
        execution.execute(store, run, limit=0)
        judge_id = store.judges.id_of(judge.spec.name)
        pending = store.runs.list_pending(run, len(failures))
        answers = [
            Answer(failure=why, raw=json.dumps({})) if why else Answer(Outcome.A)
            for why in failures
        ]
        pairs = zip((question.comparison for question in pending), answers, strict=True)
        store.judgements.add_answers(run, judge_id, 0, pairs)
        assert execution.retry(store, run, "no-label") == 0
        assert execution.retry(store, run, "error") == 2
        assert execution.failures(store, run) == {"too-long": 1}
        assert execution.retry(store, run) == 1
