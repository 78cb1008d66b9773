"""Requests handed over as files, and results read whenever and however they come."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from core.__main__ import main
from core.judging import make
from core.judging.prompts import PROMPTS
from core.models import KEY, Options
from core.models.served import batches, read_result
from core.models.served.batches import BatchLineResult
from core.models.served.connection import MALFORMED
from core.models.served.endpoint import UNTOLD
from core.pairing import Request
from core.records import Status, TandemError
from core.runs import batch, execution
from core.store import Store
from tests.server import WRONG_KEY, Batches, Server, results
from tests.study import DATASET, fill

SECRET = "sk-test-3f7a1c9e5b2d4860"
URL = "http://127.0.0.1:9/v1"  # nobody listens


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(KEY, SECRET)


def judge_of(url=URL, mode="classifier", **options):
    return make("openai:fake", Options(base_url=url, mode=mode, **options))


def submitted(store, file=None, judge=None, *, limit=None, asked=False, **how):
    """What is handed over of a run: to a file, or to the judge's server."""
    judge = judge or judge_of()
    run = batch.begin(store, judge, Request(DATASET), {}, **how)
    return batch.submit(store, run, judge, to=file, asked=asked, limit=limit)


@pytest.fixture
def said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Of a command on the store in this folder: its status, its document, and what it says beside."""

    def run(*words):
        code = main(["--store", str(tmp_path / "store.sqlite3"), *words])
        out, err = capsys.readouterr()
        return code, json.loads(out) if out.startswith(("{", "[")) else {}, err

    return run


def requests_of(*files):
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def lines_for(file, faults=lambda custom_id: "", **server):
    return [json.dumps(one) for one in results(requests_of(file), Server(**server), faults)]


def as_text(requests):
    return sorted(json.dumps(request, sort_keys=True) for request in requests)


def answers(store):
    frame = store.judgement_frames.load_all(DATASET).sort_values("comparison")
    return frame[["comparison", "outcome", "prob_a", "failure"]].to_json()


@pytest.mark.parametrize(
    ("mode", "options"), [("classifier", {}), ("generate", {}), ("sample", {"votes": 3})]
)
def test_results_make_the_judgements_that_asking_makes(tmp_path: Path, mode, options) -> None:
    """The same judge, the same outcomes, probabilities and tokens."""
    with Server(reply=(lambda prompt: "votes") if mode == "sample" else None) as server:
        judge, file = judge_of(server.url, mode, **options), tmp_path / "requests.jsonl"
        stores = []
        for how in ("live", "batch"):
            with Store(tmp_path / f"{how}.sqlite3") as store:
                fill(store, items=3)
                if how == "live":
                    run = batch.planning.enqueue(store, judge.spec, Request(DATASET))
                    execution.execute(store, run, by=judge)
                    asked = [one for one in server.seen if "article" in str(one).lower()]
                else:
                    done = submitted(store, file, judge)
                    assert (done.comparisons, done.requests, done.waiting) == (18, 18, 18)
                    lines = lines_for(file, reply=server.reply)
                    batch.collect(store, done.run, judge, reversed(lines))
                    assert store.runs.get(done.run).status == "done"
                stores.append((answers(store), store.run_counts.tokens(1), store.runs.get(1).judge))
    assert stores[0] == stores[1]
    assert as_text(request["body"] for request in requests_of(file)) == as_text(asked)


def test_a_file_has_what_the_protocol_wants_and_no_secret(study: Store, tmp_path: Path) -> None:
    file = tmp_path / "requests.jsonl"
    submitted(study, file)
    assert SECRET not in file.read_text()
    for request in requests_of(file):
        assert set(request) == {"custom_id", "method", "url", "body"}
        assert (request["method"], request["url"]) == ("POST", "/v1/chat/completions")
        assert len(request["custom_id"]) <= 64
        assert request["body"]["model"] == "fake"
    ids = [request["custom_id"] for request in requests_of(file)]
    assert len(set(ids)) == len(ids) == 18
    with study.connection.uprooting():
        study.dataset_changes.delete(DATASET)
    assert study.datasets.names() == []


def test_without_its_reference_a_comparison_is_not_handed_over(
    study: Store, tmp_path: Path
) -> None:
    judge = judge_of(mode="generate", prompt=PROMPTS["reference-guided"])
    done = submitted(study, tmp_path / "requests.jsonl", judge)
    assert (done.comparisons, done.requests) == (0, 0)
    failures = study.judgement_frames.load_all(DATASET).failure
    assert list(failures) == ["no-reference"] * 18


def test_nothing_is_submitted_twice_and_new_items_are_all_that_follows(
    study: Store, tmp_path: Path
) -> None:
    first, second, third = (tmp_path / f"{name}.jsonl" for name in "abc")
    submitted(study, first, limit=5)
    again = submitted(study, second)
    assert (again.comparisons, again.waiting) == (13, 18)
    assert submitted(study, third).comparisons == 0
    assert not third.exists()
    ids = [request["custom_id"] for request in requests_of(first, second)]
    assert len(set(ids)) == 18
    (tmp_path / "requests.jsonl").write_text("mine")
    batch.give_up(study, again.run, None)
    with pytest.raises(TandemError, match=r"requests\.jsonl\b.*\balready\b.*\bnew file\b"):
        submitted(study, tmp_path / "requests.jsonl")
    assert (tmp_path / "requests.jsonl").read_text() == "mine"


def test_while_a_run_waits_nobody_else_asks_it(study: Store, tmp_path: Path) -> None:
    run = submitted(study, tmp_path / "a.jsonl").run
    for ask in (lambda: execution.execute(study, run), lambda: execution.resume(study, run)):
        with pytest.raises(
            TandemError, match=rf"^run {run} .*\b18 answers\b.*\bcollect\b.*\bcancel\b"
        ):
            ask()
    batch.planning.enqueue(study, judge_of().spec, Request(DATASET))  # the same, live
    assert study.runs.get(run).status == Status.CANCELLED
    study.runs.set_status(run, Status.QUEUED)
    assert study.run_counts.list_unfinished() == []
    assert batch.give_up(study, run, None).comparisons == 18
    assert study.run_counts.list_unfinished() == [run]


def test_results_come_in_part_out_of_order_twice_failed_expired_and_from_elsewhere(
    study: Store, tmp_path: Path
) -> None:
    """Each is counted, what was answered is stored as it comes, and the rest can be asked again."""
    file, judge = tmp_path / "requests.jsonl", judge_of()
    run = submitted(study, file, judge).run
    ids = [request["custom_id"] for request in requests_of(file)]
    fault = {ids[0]: "expired", ids[1]: "missing", ids[2]: "500", ids[3]: "404"}
    lines = lines_for(file, lambda custom_id: fault.get(custom_id, ""))
    stranger = json.dumps({**json.loads(lines[-1]), "custom_id": "request-1"})
    other_prompt = json.dumps({**json.loads(lines[-1]), "custom_id": ids[1][:-12] + "0" * 12})
    messy = [*reversed(lines), lines[-1], "", "no json", '{"custom_id": 3}', stranger, other_prompt]
    done = batch.collect(study, run, judge, messy)
    counts = (done.answered, done.failed, done.expired, done.repeated, done.foreign)
    assert counts == (16, 2, 1, 1, 2)
    assert (done.unreadable, done.incomplete, done.waiting) == (2, 0, 1)
    assert study.run_counts.failures(run) == {"error: HTTP 500": 1, "error: HTTP 404": 1}
    assert re.fullmatch(
        r"16 answers\b.*, 2 of\b.*\bunanswered\b.*; 1 expired; 1 repeated; 2 of\b.*; 2 unreadable; 1 .*wait",
        str(done),
    )
    again = batch.collect(study, run, judge, lines)
    assert (again.answered, again.repeated, again.expired) == (0, 16, 1)
    # the expired one is submitted anew; the missing one still waits
    second = tmp_path / "second.jsonl"
    assert submitted(study, second, judge).comparisons == 1
    assert [request["custom_id"] for request in requests_of(second)] == [ids[0]]
    third = tmp_path / "third.jsonl"
    submitted(study, third, judge, retry=True)
    assert {request["custom_id"] for request in requests_of(third)} == {ids[2], ids[3]}
    batch.collect(study, run, judge, [*lines_for(second), *lines_for(third), *lines_for(file)])
    assert study.run_counts.failures(run) == {}
    assert study.runs.get(run).status == "done"
    assert study.connection.check()["ok"]


def test_fewer_votes_than_were_asked_for_are_no_answer(study: Store, tmp_path: Path) -> None:
    judge = judge_of(mode="sample", votes=3)
    run = submitted(study, tmp_path / "a.jsonl", judge).run
    batch.collect(study, run, judge, lines_for(tmp_path / "a.jsonl", several=False))
    [(failure, count)] = study.run_counts.failures(run).items()
    assert failure.startswith("error: 1 of 3 votes")
    assert count == 18


def test_files_are_split_at_the_limits_and_votes_stay_together(
    study: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "MOST_REQUESTS", 5)
    done = submitted(study, tmp_path / "all.jsonl")
    assert [
        len(requests_of(tmp_path / name)) for name in ("all.jsonl", "all-2.jsonl", "all-4.jsonl")
    ] == [5, 5, 3]
    assert len(done.names) == 4
    batch.give_up(study, done.run, None)
    monkeypatch.setattr(batch, "MOST_BYTES", 1500)
    submitted(study, tmp_path / "small.jsonl")
    sizes = [file.stat().st_size for file in tmp_path.glob("small*.jsonl")]
    assert len(sizes) > 3
    assert max(sizes) <= 1500
    assert (batches.MOST_REQUESTS, batches.MOST_BYTES) == (50_000, 200_000_000)


def test_what_cannot_be_handed_over_is_said() -> None:
    for judge, request, says in [
        (judge_of(), Request(DATASET, "pairs-greedy"), r"\bpairs-greedy\b.*\beach comparison\b"),
        (make("baseline:longer"), Request(DATASET), r"\bbatch\b.*\bopenai:MODEL\b"),
    ]:
        with pytest.raises(TandemError, match=says):
            batch.check_batchable(judge, request)


# Lines as the documentation of OpenAI's Batch API and of `vllm run-batch` show them
# (platform.openai.com/docs/guides/batch; vllm examples/offline_inference/openai_batch/README.md).
OPENAI_GOOD = """{"id": "batch_req_123", "custom_id": "request-2", "response": {"status_code": 200,
 "request_id": "req_123", "body": {"id": "chatcmpl-123", "object": "chat.completion", "created":
 1711652795, "model": "gpt-3.5-turbo-0125", "choices": [{"index": 0, "message": {"role": "assistant",
 "content": "Hello."}, "logprobs": null, "finish_reason": "stop"}], "usage": {"prompt_tokens": 22,
 "completion_tokens": 2, "total_tokens": 24}, "system_fingerprint": "fp_123"}}, "error": null}"""
OPENAI_EXPIRED = """{"id": "batch_req_123", "custom_id": "request-3", "response": null, "error":
 {"code": "batch_expired", "message": "This request could not be executed before the completion window
 expired."}}"""
VLLM_OLD = """{"id":"vllm-383d1c59835645aeb2e07d004d62a826","custom_id":"request-1","response":{"id":
"cmpl-61c020e54b964d5a98fa7527bfcdd378","object":"chat.completion","created":1715633336,"model":
"meta-llama/Meta-Llama-3-8B-Instruct","choices":[{"index":0,"message":{"role":"assistant","content":
"Hello! It's great to meet you!"},"logprobs":null,"finish_reason":"stop","stop_reason":null}],"usage":
{"prompt_tokens":25,"total_tokens":56,"completion_tokens":31}},"error":null}"""
VLLM_WRONG = """{"id":"vllm-1","custom_id":"request-9","response":{"status_code":400,"request_id":
"vllm-batch-1","body":null},"error":{"object":"error","message":"Only /v1/chat/completions is supported",
"type":"BadRequestError","code":400}}"""
UNSUPPORTED = json.loads(VLLM_WRONG)["error"]["message"]


def completion(status, body, messages=()):
    return judge_of().endpoint.completion(list(messages), status, body)


def test_lines_of_results_as_they_are_documented() -> None:
    for line, text, tokens in (
        (OPENAI_GOOD, "Hello.", (22, 2)),
        (VLLM_OLD, "Hello! It's great to meet you!", (25, 31)),
    ):
        result = read_result(line.replace("\n", ""))
        found = completion(result.status, result.body, [{"role": "user", "content": "x"}])
        assert [choice.text for choice in found.choices] == [text]
        assert (found.prompt_tokens, found.completion_tokens) == tokens
    unasked = BatchLineResult("request-3", unasked=True)
    assert read_result(OPENAI_EXPIRED.replace("\n", "")) == unasked
    wrong = read_result(VLLM_WRONG.replace("\n", ""))
    [choice] = completion(wrong.status, wrong.body).choices
    assert choice.failure == f"error: HTTP 400: {UNSUPPORTED}"


def test_lines_that_are_odd_or_none() -> None:
    """A failure without a status is not given one."""
    response = '{{"custom_id": "x", "response": {{"status_code": {}, "body": "oops"}}}}'
    for line in (
        '{"custom_id": "x", "error": "oops"}',
        '{"custom_id": "x", "response": {"message": "oops"}}',
        *(response.format(odd) for odd in ('"?"', "true", "1e3", "[]", "1" + "0" * 30)),
    ):
        result = read_result(line)
        [choice] = completion(result.status, result.body).choices
        assert (choice.failure, choice.detail) == (UNTOLD, "oops")
    for line in ("", "[]", "3", "null", '{"custom_id": null}', "{" * 9999, '{"custom_id": "x"}'):
        assert read_result(line) is None
    for body in (None, [], "x", *({"choices": odd} for odd in (None, [None], [{"message": 3}]))):
        assert completion(200, body).choices[0].failure == MALFORMED
    # a reason is one line that a terminal can show
    body = {"error": {"message": "no\x1b[2J such\n\n\u202emodel"}}
    assert completion(400, body).choices[0].failure == "error: HTTP 400: no [2J such model"
    assert not re.search(r"\d", UNTOLD)


def test_half_a_character_and_counts_that_are_none_are_an_answer_all_the_same() -> None:
    """JSON may hold the one half of a surrogate pair, which no store takes."""
    message = {"role": "assistant", "content": "Summary A \ud83d"}
    body = {"choices": [{"finish_reason": "stop", "message": message}]}
    for count, tokens in ((0.5, 7), (-1, 7), (10**400, 7), ("x", 7), ("9", 16), (9.0, 16)):
        usage = {"prompt_tokens": count, "completion_tokens": 7}
        found = completion(200, body | {"usage": usage})
        assert (found.choices[0].text, found.tokens) == ("Summary A \ufffd", tokens)


def test_a_batch_of_which_nobody_can_tell_is_a_sentence(study: Store) -> None:
    batches = Batches()
    with Server(batches=batches) as server:
        judge = judge_of(server.url)
        run = handed_over(study, judge)
        counts = {"completed": "x", "total": 1}
        for odd in ("no object", {"status": "in_progress", "request_counts": counts}):
            batches._done = lambda name, server, odd=odd: odd
            with pytest.raises(TandemError, match=rf"\b127\.0\.0\.1:{server.port} .*\bbatch_1 \("):
                batch.collect_at_server(study, run, judge)


def command(server, *more):
    return ["judge", "--judge", "openai:fake", "--base-url", server.url, "--json", *more]


def test_at_a_server_from_the_command_line(study: Store, said: Callable[..., Any]) -> None:
    """Submitted, looked at while it is on its way, collected; each said, and the same again harmless."""
    batches = Batches(runs=False)
    with Server(batches=batches, key="") as server:

        def ask(*words):
            return said(*command(server, *words))[:2]

        code, done = ask("--batch", "submit")
        assert (code, done["names"]) == (0, ["batch_1"])
        assert done["comparisons"] == done["waiting"] == 18
        assert batches.created[0]["endpoint"] == "/v1/chat/completions"
        assert len(batches.files["file-0"].splitlines()) == 18
        assert ask("--batch", "submit")[1]["comparisons"] == 0
        assert said("runs", "--json")[1][0]["batched"] == 18
        code, done = ask("--batch", "collect")
        assert (code, done["answered"], done["states"]) == (0, 0, ["batch_1: in_progress, 1 of 18"])
        assert ask()[0] == 1
        batches.runs = True
        batches.faults = lambda name: "expired" if name.startswith("c1-") else ""
        code, done = ask("--batch", "collect", "--price-in", "1", "--price-out", "2")
        assert (done["answered"], done["expired"], done["waiting"]) == (17, 1, 0)
        assert done["cost"] > 0
        code, done = ask("--batch", "submit")
        assert (done["comparisons"], done["names"]) == (1, ["batch_2"])
        code, done = ask("--batch", "cancel")
        assert (done["given_up"], batches.cancelled) == (1, ["batch_2"])
        code, _, error = said(*command(server, "--batch", "collect"))
        assert code == 2
        assert re.search(r"\bnothing of openai:fake .*--batch submit\b", error)
        assert ask()[1]["done"] == 18  # the last one live
    assert SECRET.encode() not in study.path.read_bytes()


def test_results_are_read_again_once_nothing_waits_any_more(
    study: Store, said: Callable[..., Any], tmp_path: Path
) -> None:
    requests, came = tmp_path / "requests.jsonl", tmp_path / "results.jsonl"
    words = [*command(SimpleNamespace(url=URL)), "--mode", "classifier", "--batch"]
    assert said(*words, "submit", "--requests", str(requests))[0] == 0
    came.write_text("\n".join(lines_for(requests)))
    for answered in (18, 0):
        code, done, _ = said(*words, "collect", "--results", str(came))
        assert (code, done["answered"]) == (0, answered)
    code, _, error = said(*words, "cancel")
    assert code == 2
    assert re.search(r"\bnothing of openai:fake .*--batch submit\b", error)


def test_a_probe_is_not_submitted_and_a_server_without_batches_says_the_way_out(
    study: Store, said: Callable[..., Any]
) -> None:
    with Server() as server:
        words = command(server, "--batch", "submit")
        code, _, error = said(*words, "--probe", "choose-me")
        assert code == 2
        assert not server.seen
        assert re.search(r"\blive: .*--batch\b.*--probe$", error.strip())
        code, _, error = said(*words)
    assert code == 2
    way_out = r"--requests\b.*--results\b"
    assert re.search(rf"\b127\.0\.0\.1:{server.port} .*\bno batch \(.*{way_out}", error)
    assert len(error.strip().splitlines()) == 1


class TestVotesInSeveralFiles:
    """Of a server that writes one text to a request, each vote is a line of its own."""

    @pytest.fixture
    def server(self):
        with Server(several=False, logprobs=False, reply=lambda prompt: "votes") as server:
            server.batches = Batches()
            yield server

    @pytest.fixture
    def judge(self, server):
        judge = judge_of(server.url, "sample", votes=3)
        judge.load()
        return judge

    def upload(self, study, judge):
        return submitted(study, None, judge, limit=3, asked=True)

    def test_a_failed_vote_in_the_error_file_keeps_no_comparison_from_its_answer(
        self, study: Store, server, judge, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """OpenAI writes requests that failed into a file of their own."""
        done = Batches._done

        def split(self, name, server):
            answer = done(self, name, server)
            lines = (self.files[f"out-{name}"] + self.files[f"err-{name}"]).splitlines(True)
            for file, bad in (("out", False), ("err", True)):
                self.files[f"{file}-{name}"] = b"".join(
                    line for line in lines if (b'"status_code": 400' in line) == bad
                )
            return answer

        monkeypatch.setattr(Batches, "_done", split)
        server.batches.faults = lambda name: "400" if "-v2-2-" in name else ""
        run = self.upload(study, judge).run
        collected = batch.collect_at_server(study, run, judge)
        assert (collected.answered, collected.incomplete, collected.waiting) == (3, 0, 0)

    def test_only_what_is_missing_is_asked_again(self, study: Store, server, judge) -> None:
        server.batches.faults = lambda name: {"1": "missing", "2": "expired"}.get(
            name.split("-v")[1][0], ""
        )
        run = self.upload(study, judge).run
        first = batch.collect_at_server(study, run, judge)
        assert (first.answered, first.expired, first.waiting) == (0, 3, 0)
        server.batches.faults = lambda name: ""
        again = self.upload(study, judge)
        assert (again.comparisons, again.requests) == (3, 6)
        second = batch.collect_at_server(study, run, judge)
        assert (second.answered, second.failed, second.incomplete) == (3, 0, 0)
        assert study.batches.kept_votes(run) == {}

    def test_files_that_are_collected_one_after_the_other_are_joined(
        self, tmp_path: Path, judge
    ) -> None:
        """Also where the second has the votes of the first again."""
        for name in ("halves", "again"):
            with Store(tmp_path / f"{name}.sqlite3") as study:
                fill(study)
                file = tmp_path / f"{name}.jsonl"
                done = submitted(study, file, judge, asked=True)
                assert (done.comparisons, done.requests) == (18, 54)
                lines = lines_for(file, reply=lambda prompt: "Summary A")
                halves = name == "halves"
                parts = (lines[::2], lines[1::2]) if halves else (lines[1::2], lines)
                partly, whole = (batch.collect(study, done.run, judge, part) for part in parts)
                assert (partly.answered, partly.incomplete, partly.waiting) == (0, 18, 18)
                assert (whole.answered, whole.incomplete, whole.waiting) == (18, 0, 0)
                assert whole.repeated == (0 if halves else 27)
                assert set(study.run_counts.answers(done.run)["votes"]) == {3}

    def test_what_came_before_a_file_broke_off_is_kept(
        self, study: Store, judge, tmp_path: Path
    ) -> None:
        file = tmp_path / "requests.jsonl"
        run = submitted(study, file, judge, asked=True).run
        lines = lines_for(file, reply=lambda prompt: "Summary A")
        unreadable = TandemError("it cannot be read")

        def broken():
            yield from lines[:2]
            raise unreadable

        with pytest.raises(TandemError, match=str(unreadable)):
            batch.collect(study, run, judge, broken())
        assert batch.collect(study, run, judge, lines[2:]).answered == 18


class Forgetful(Batches):
    """It has some batches no more, or not for this key: what is asked about them gets a status."""

    gone = "/v1/batches/batch_1"

    def response(self, path, body, server):
        return None if path.startswith(self.gone) else super().response(path, body, server)


def handed_over(study, judge):
    """Two batches of a run, of 5 and of 13 comparisons."""
    submitted(study, None, judge, limit=5)
    return submitted(study, None, judge).run


@pytest.mark.parametrize("gone", ["/v1/batches/batch_1", "/v1/files/out-batch_1/content"])
def test_a_batch_that_the_server_does_not_show_stays_open_and_keeps_nothing_from_the_others(
    study: Store, gone, tmp_path: Path
) -> None:
    """It may be there for another key; nothing of it is asked again before somebody says so."""
    batches = Forgetful()
    with Server(batches=batches) as server:
        judge = judge_of(server.url)
        run = handed_over(study, judge)
        batches.gone = gone
        done = batch.collect_at_server(study, run, judge)
        assert (done.answered, done.unknown, done.waiting) == (13, 1, 5)
        missing = rf"batch_1: .*\b127\.0\.0\.1:{server.port} "
        assert any(re.match(missing, state) for state in done.states)
        assert submitted(study, tmp_path / "a", judge).comparisons == 0
        batches.gone = "nothing"  # with the key of the submit
        done = batch.collect_at_server(study, run, judge)
        assert (done.answered, done.unknown, done.waiting) == (5, 0, 0)


def test_with_a_key_that_the_server_refuses_nothing_ends(
    study: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Server(batches=Batches(), key=SECRET) as server:
        run = handed_over(study, judge_of(server.url))
        monkeypatch.setenv(KEY, "sk-of-another-project")
        with pytest.raises(TandemError, match=rf"\bbatch_1 \(HTTP 401: {WRONG_KEY}\)$"):
            batch.collect_at_server(study, run, judge_of(server.url))
        assert study.batches.count_waiting(run) == {run: 18}


def test_cancel_and_collect_need_no_server_to_know_the_mode(
    study: Store, said: Callable[..., Any]
) -> None:
    """The mode is that of the submit, which found it by asking; the server is gone since."""
    with Server(batches=Batches(), key="") as server:
        assert said(*command(server, "--batch", "submit"))[0] == 0
    code, _, error = said(*command(server, "--batch", "collect"))
    lost = r"\bbatch_1 \(Connection error\.\)"
    assert code == 2
    assert re.search(rf"\b127\.0\.0\.1:{server.port} .*{lost}", error)
    code, done, error = said(*command(server, "--batch", "cancel"))
    assert (code, done["given_up"]) == (0, 18)
    assert re.search(rf"\bnot stop\b.*{lost}: .*\bgo on\b", error)
    assert batch.STOP_THERE in error
    assert study.batches.count_waiting() == {}


def test_a_judge_that_waits_in_two_modes_is_asked_for_one(
    study: Store, said: Callable[..., Any], tmp_path: Path
) -> None:
    for mode in ("classifier", "generate"):
        submitted(study, tmp_path / f"{mode}.jsonl", judge_of(mode=mode))
    words = [*command(SimpleNamespace(url=URL)), "--batch", "cancel"]
    code, _, error = said(*words)
    assert code == 2
    assert re.search(r"\bopenai:fake .*\bclassifier\b.*\bgenerate: .*--mode\b", error)
    assert said(*words, "--mode", "generate")[0] == 0


def test_giving_up_reaches_every_batch_and_says_which_may_go_on(study: Store) -> None:
    for there in (True, False):
        with Server(batches=Forgetful()) as server:
            judge = judge_of(server.url)
            run = handed_over(study, judge)
            if there:
                given_up = batch.give_up(study, run, judge)
                assert server.batches.cancelled == ["batch_2"]
        if not there:
            given_up = batch.give_up(study, run, judge)
        assert given_up.comparisons == 18
        assert len(given_up.not_stopped) == (1 if there else 2)
        assert re.search(r"\bnot stop\b.*\bbatch_1 \(", given_up.not_stopped[0])
        assert study.batches.count_waiting(run) == {}
