"""Replies in other shapes and counts, as public issues describe them, through every command."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from core.models.served.chat_request import OPEN_QUESTION
from core.store import Store
from tests.cli.asked import Call, called, import_rows
from tests.server import Batches, Server

pytestmark = pytest.mark.usefixtures("nobody_waits")

ANSWERS = {"judge": 6, "batch": 6, "score": 3, "generate": 3}
ROWS = [
    {"item": "i", "context": "An article.", "system": system, "text": f"Summary by {system}.",
     "score:coherence": 1}
    for system in "xyz"
]  # fmt: skip
COMMANDS = {
    "judge": ("judge", "--judge", "openai:fake", "--mode", "generate"),
    "score": ("judge", "--judge", "openai:fake", "--mode", "score"),
    "generate": ("generate", "--system", "s", "--model", "openai:fake", "--samples", "3",
                 "--instruction", "Say A."),
    "batch": ("judge", "--judge", "openai:fake", "--mode", "generate", "--batch"),
}  # fmt: skip
KEPT = {
    "judge": ("SELECT outcome FROM judgements", "a"),
    "score": ("SELECT value FROM scores WHERE run IS NOT NULL", 7.0),
    "generate": ("SELECT text FROM generations WHERE run IS NOT NULL", "A text."),
}
LIVE = ("judge", "score", "generate")
PRICES = ("--price-in", "1", "--price-out", "10")
REPLIES = {"judge": "Summary A", "score": "7", "generate": "A text.", "batch": "Summary A"}

Body = Callable[[str, int, dict[str, Any]], tuple[int, Any]]


@dataclass(frozen=True)
class Reply:
    """A way in which a server answers the questions of a study: HTTP status and body, by what it would
    write, its turn and the request. With it the commands end with answers, or with `failed` ones
    alone. Each takes so many `requests`, all of them so many more (`once`), and an answer costs
    so many millionths (`cost`) at prices of 1 and 10 a million.
    """

    source: str
    body: Body
    commands: tuple[str, ...] = (*LIVE, "batch")
    failed: str = ""
    requests: int = 1
    once: int = 0
    cost: float | None = None
    words: tuple[str, ...] = ()
    said: str = ""


def _choice(content: Any, ended: str | None = "stop", **more: Any) -> dict[str, Any]:
    return {"index": 0, "message": {"content": content}, "finish_reason": ended, **more}


def _usage(**numbers: Any) -> Body:
    return lambda text, turn, request: (200, {"choices": [_choice(text)], "usage": numbers})


def _ends(reason: str) -> Body:
    return lambda text, turn, request: (200, {"choices": [_choice(text, reason)]})


def _around(words: str) -> Body:
    return lambda text, turn, request: (200, {"choices": [_choice(words.format(text))]})


def _at_first(status: int, body: Any, usage: Any = None) -> Body:
    return lambda text, turn, request: (
        (200, {"choices": [_choice(text)], "usage": usage}) if turn else (status, body)
    )


def _two(text: str, turn: int, request: dict[str, Any]) -> tuple[int, Any]:
    """The first is empty, the second counts, and both are paid."""
    choices = [_choice(""), _choice(text), _choice(text)]
    return 200, {"choices": choices, "usage": {"prompt_tokens": 50, "completion_tokens": 4}}


def _thinks_in_a_shape(text: str, turn: int, request: dict[str, Any]) -> tuple[int, Any]:
    if "response_format" in request:
        message = {"content": "", "reasoning_content": '{"verdict": "Summary A"}'}
        return 200, {"choices": [{"message": message, "finish_reason": "stop"}]}
    return 200, {"choices": [_choice('{"verdict": "Summary A"}')]}


def _over_a_minute(text: str, turn: int, request: dict[str, Any]) -> tuple[int, Any]:
    most = request.get("max_completion_tokens") or request["max_tokens"]
    if most + 50 <= 700:
        return 200, {"choices": [_choice(text)]}
    words = f"Request too large (TPM): Limit 700, Requested {most + 50}, please reduce"
    return 413, {"error": {"message": words, "code": "rate_limit_exceeded"}}


PAGE = b"<!doctype html><title>Attention Required! | Cloudflare</title>"
BROKE = {"choices": [_choice(None, native_finish_reason="network_error")]}

REPLIED = (
    # Tokens
    Reply("inspect_ai#5528: reasoning stands outside", _usage(
        prompt_tokens=50, completion_tokens=2, total_tokens=371,
        completion_tokens_details={"reasoning_tokens": 319}), cost=50 + 3210),
    # Shapes
    Reply("langchain4j#4931: several choices to n=1", _two, cost=90),
    Reply("pi#8511: broken behind a router", _at_first(200, BROKE), LIVE, requests=2),
    Reply("what broke was paid, too", _at_first(
        200, {"choices": [_choice("Summ", "error")],
              "usage": {"prompt_tokens": 50, "completion_tokens": 1}},
        {"prompt_tokens": 50, "completion_tokens": 2}), LIVE, requests=2, cost=130),
    Reply("Gemini: a choice without a message", lambda text, turn, request: (
        200, {"choices": [{"index": 0, "finish_reason": "content_filter"}]}), failed="refused"),
    Reply("vercel/ai#19165: COMPLETE", _ends("COMPLETE"), ("judge", "score", "batch")),
    Reply("vercel/ai#19165: unknown", _ends("unknown"), ("judge", "score", "batch")),
    Reply("an unknown end of more than a label", lambda text, turn, request: (
        200, {"choices": [_choice(f"So {text} is", "done")]}),
        failed="error: finish_reason done"),
    Reply("oh-my-pi#9609: [DONE] and no finish_reason", lambda text, turn, request: (
        200, {"choices": [_choice(text, None)], "usage": None}), LIVE, words=("--stream",)),
    Reply("mlx-lm PR 1867: harmony's channels", _around(
        "<|channel|>analysis<|message|>Summary B, 3?<|end|><|channel|>final<|message|>{}")),
    Reply("llama.cpp#16158: a seed's thoughts", _around("<seed:think>Summary B, 3?</seed:think>{}")),
    Reply("lighteval#869: it thinks and writes nothing", _around("<think>Summary A, 7?</think>"),
          failed="empty"),
    Reply("alpaca_eval#442: no text", _around(""), failed="empty"),
    Reply("vllm#13125: cut at the limit", lambda text, turn, request: (
        200, {"choices": [_choice("I think that", "length")]}), failed="cut-off"),
    Reply("lmstudio#1698: JSON among the thoughts", _thinks_in_a_shape, ("judge",), once=1,
          words=("--form", "json", "--concurrency", "1"), said="without the shape of an answer"),
    # Errors
    Reply("langchain-google#945: wait in the body", _at_first(429, {"error": {
        "message": "Please try again in 8s"}}), LIVE, requests=2),
    Reply("openclaw PR 130275: too much for a minute", _over_a_minute, ("judge", "score"), requests=2,
          said="fewer tokens"),
    Reply("inspect_ai PR 2267: one text", lambda text, turn, request: (403, {
        "code": "The caller does not have permission", "error": "Content violates usage "
        "guidelines. Failed check: SAFETY_CHECK_TYPE_BIO"}), LIVE, failed="refused"),
    Reply("a firewall's page", lambda text, turn, request: (403, PAGE), LIVE,
          failed="error: HTTP 403: Attention Required! | Cloudflare"),
)  # fmt: skip

DAILY = "Requests per day per user. Please retry in 8s"
ENDED = (
    ("CLIProxyAPI PR 3859", 400, "Your credit balance is too low", "no credit left"),
    ("anthropic-sdk-python#1646", 400, "billing_hard_limit_reached", "no credit left"),
    ("gemini-cli#10925", 429, DAILY, "quota at .* used up"),
)


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return import_rows(tmp_path_factory.mktemp("imported"), ROWS)


def of_study(request: dict[str, Any]) -> bool:
    """Whether it asks a question of the study: the server is asked other things before."""
    prompt = request["messages"][-1]["content"]
    return not prompt.startswith("Which letter") and prompt != OPEN_QUESTION[0]["content"]


def ask(
    capsys: pytest.CaptureFixture[str], store: Path, server: Server, command: str, *words: str
) -> tuple[int, dict[str, Any], str]:
    """Status, document and errors of a command; of a batch those of its second half."""
    asked = (*COMMANDS[command], *(("submit",) if command == "batch" else ()))
    options = ("--base-url", server.url, *words, "--json")
    status, out, err = called(capsys, store, *asked, *options)
    if command == "batch":
        assert status == 0, err
        asked = (*COMMANDS[command], "collect")
        status, out, err = called(capsys, store, *asked, *options, *PRICES)
    return status, json.loads(out) if out.strip() else {}, err


def failures(store: Path) -> set[str]:
    with Store(store) as opened:
        rows = (
            opened.connection.rows(f"SELECT failure FROM {table}")
            for table in ("judgements", "scores", "generations")
        )
        return {failure for of_table in rows for (failure,) in of_table if failure}


def test_each_reply_is_what_its_row_says(
    imported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    for reply in REPLIED:
        for command in reply.commands:
            with subtests.test(source=reply.source, command=command):
                store = tmp_path / "store.sqlite3"
                store.write_bytes(imported.read_bytes())

                turns = Counter[str]()

                def responds(request, turn=0, reply=reply, command=command, turns=turns):
                    if not of_study(request):
                        return None
                    turns[json.dumps(request)] += 1
                    return reply.body(REPLIES[command], turns[json.dumps(request)] - 1, request)

                batches = AnsweredBatches(responds) if command == "batch" else None
                with Server(responds=responds, batches=batches) as server:
                    prices = () if command == "batch" else PRICES
                    words = (*reply.words, *prices)
                    status, done, err = ask(capsys, store, server, command, *words)
                    asked = sum(map(of_study, server.seen))
                assert status == 0, err
                assert failures(store) == ({reply.failed} if reply.failed else set())
                query, answer = KEPT[command.replace("batch", "judge")]
                with Store(store) as opened:
                    kept = {value for (value,) in opened.connection.rows(query)} - {None, ""}
                assert kept == (set() if reply.failed else {answer})
                assert reply.said in err
                if command != "batch":
                    assert asked == reply.requests * ANSWERS[command] + reply.once
                if reply.cost is not None:
                    cost = reply.cost * ANSWERS[command] / 1e6
                    assert done["cost"] == pytest.approx(cost, abs=5e-7)


def test_steps_are_written_from_the_same_replies(
    imported: Path, tmp_path: Path, call_on: Call, subtests: pytest.Subtests
) -> None:
    words = ("steps", "--model", "openai:fake", "--attribute", "coherence", "--json")
    for reply in (one for one in REPLIED if "generate" in one.commands):
        with subtests.test(source=reply.source):
            store, turns = tmp_path / "store.sqlite3", Counter[str]()
            store.write_bytes(imported.read_bytes())

            def responds(request, turn=0, reply=reply, turns=turns):
                turns["asked"] += 1
                return reply.body("1. Read both texts.", turns["asked"] - 1, request)

            with Server(responds=responds) as server:
                at = ("--base-url", server.url, *reply.words)
                status, out, err = call_on(store, *words, *at)
            assert (status == 0) == (not reply.failed), err
            assert reply.failed or "1. Read both texts." in json.loads(out)["template"]
            assert "Traceback" not in err


class AnsweredBatches(Batches):
    """Batches whose requests get the answer that the same request would get at once."""

    def __init__(self, answered: Callable[[dict[str, Any]], tuple[int, Any]]) -> None:
        super().__init__()
        self._answered = answered

    def _done(self, name: str, server: Server) -> dict[str, Any]:
        requests = [json.loads(line) for line in self.files[self.inputs[name]].splitlines()]
        lines = []
        for request in requests:
            status, body = self._answered(request["body"])
            response = {"status_code": status, "request_id": "r", "body": body}
            lines.append({"custom_id": request["custom_id"], "response": response, "error": None})
        self.files[f"out-{name}"] = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
        counts = {"total": len(lines), "completed": len(lines), "failed": 0}
        return self._batch(name, "completed", request_counts=counts, output_file_id=f"out-{name}")


def test_a_run_ends_without_credit_and_goes_on_with_it(
    imported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    """The first answer is kept; of those that follow none is asked in vain more than once."""
    for source, status, message, sentence in ENDED:
        for command in LIVE:
            with subtests.test(source=source, command=command):
                store = tmp_path / "store.sqlite3"
                store.write_bytes(imported.read_bytes())
                answered: list[dict[str, Any]] = []
                refusal = status, {"error": {"message": message}}

                def responds(request, turn, command=command, refusal=refusal, answered=answered):
                    if not of_study(request):
                        return None
                    if len(answered) == 1:
                        return refusal
                    answered.append(request)
                    return 200, {"choices": [_choice(REPLIES[command])]}

                with Server(responds=responds) as server:
                    options = ("--concurrency", "1")
                    code, _, err = ask(capsys, store, server, command, *options)
                    assert (code, sum(map(of_study, server.seen))) == (1, 2)
                    assert re.search(sentence, err), err
                    answered.clear()
                    answered.extend([{}, {}])
                    code, done, err = ask(capsys, store, server, command, *options)
                    assert (code, done["planned"], len(answered)) == (
                        0, ANSWERS[command], ANSWERS[command] + 1), err  # fmt: skip
                assert not failures(store)


def test_labels_that_differ_in_case_only_are_told_apart(
    imported: Path, tmp_path: Path, call_on: Call, subtests: pytest.Subtests
) -> None:
    """alpaca_eval#263, #336: the judge says M or m for the text of the earlier system each time."""

    def said(prompt: str) -> str:
        if not of_study({"messages": [{"content": prompt}]}):
            return "m"
        return "m" if re.search(r"by \w", prompt)[0] < re.findall(r"by \w", prompt)[1] else "M"

    for mode in ("generate", "classifier"):
        with subtests.test(mode=mode):
            store = tmp_path / "store.sqlite3"
            store.write_bytes(imported.read_bytes())
            likely = lambda prompt: {said(prompt): 0.9, said(prompt).swapcase(): 0.1}  # noqa: E731
            with Server(reply=said, chances=likely) as server:
                words = ("judge", "--judge", "openai:fake", "--mode", mode, "--labels", "m", "M")
                words += ("--pairs", "symmetric", "--base-url", server.url, "--json")
                status, _, err = call_on(store, *words)
                assert status == 0, err
            with Store(store) as opened:
                rows = opened.connection.rows("SELECT outcome, failure, prob_a FROM judgements")
            outcomes = [outcome for outcome, _, _ in rows]
            assert sorted(outcomes) == ["a", "a", "a", "b", "b", "b"]
            if mode == "classifier":
                assert [p for *_, p in rows] == pytest.approx(
                    [0.9 if outcome == "a" else 0.1 for outcome in outcomes]
                )
    with Server() as server:
        words = ("judge", "--judge", "openai:fake", "--labels", "A", "A.", "--base-url", server.url)
        status, _, err = call_on(imported, *words)
        assert (status, "two different words" in err, server.seen) == (2, True, [])
