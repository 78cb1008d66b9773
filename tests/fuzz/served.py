"""What servers send, in batches and answers, becomes an answer or a reason, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from random import Random

import httpx2
import openai

from core.judging.judges.served_judge import ServedJudge
from core.models import Options
from core.models.served import BatchService, Endpoint
from core.models.served.rate_limits import Limits
from core.pairing import Request
from core.records import Answer, Attribute, Question
from core.runs import batch
from core.store import Store
from tests.clock import jumping
from tests.fuzz.mutation import mutate
from tests.fuzz.promises import BrokenPromiseError, check_message, one_message
from tests.server import Server, results
from tests.study import DATASET, fill

URL = "http://127.0.0.1:9/v1"  # nobody listens
ENDED = b"\n"
WAYS = (("classifier", True), ("generate", True), ("sample", True), ("sample", False))
QUESTION = Question(1, "A context.", "One text.", "Another text.", Attribute("overall", "good"))
STATUSES = (200, 200, 200, 200, 400, 401, 403, 404, 422, 429, 500, 503, 302)
REFUSALS = [
    {"error": {"message": "This model's maximum context length is 10 tokens.", "code": "x"}},
    {"detail": [{"msg": "field required", "loc": ["body"]}]},
    {"error": "model 'fake' not found"},
    {"error": {"code": 400, "message": "too long", "n_prompt_tokens": 9, "n_ctx": 5}},
]
BATCHES = [
    {"id": "b", "object": "batch", "status": "completed", "endpoint": "", "created_at": 0,
     "input_file_id": "f", "completion_window": "24h", "output_file_id": "o", "error_file_id": "e",
     "request_counts": {"total": 3, "completed": 2, "failed": 1}},
    {"id": "b", "object": "batch", "status": "failed", "endpoint": "", "created_at": 0,
     "input_file_id": "f", "completion_window": "24h",
     "errors": {"object": "list", "data": [{"code": "x", "message": "no model", "line": 1}]}},
]  # fmt: skip


def _judge(mode: str, *, several: bool = True) -> ServedJudge:
    """It is taken to have been asked what the server can."""
    judge = ServedJudge("fake", Options(base_url=URL, mode=mode, votes=3), backoff=0.0)
    judge.__dict__["_server_mode"] = mode, 20 if mode == "classifier" else 0
    judge.endpoint.habits.several = several
    return judge


def _bytes(document: object) -> bytes:
    return json.dumps(document).encode()


def check_answer(answer: Answer) -> None:
    """Raises BrokenPromiseError for what is neither an answer nor a reason."""
    if bool(answer.failure) == (answer.outcome is not None):
        raise BrokenPromiseError(f"an answer and a failure, or neither: {answer}")
    if answer.prob_a is not None and not 0 <= answer.prob_a <= 1:
        raise BrokenPromiseError(f"a probability of {answer.prob_a}")
    if min(answer.tokens, answer.completion_tokens) < 0:
        raise BrokenPromiseError(f"{answer.tokens} tokens, of which {answer.completion_tokens}")
    if answer.failure:
        check_message(answer.failure)
    if answer.raw:
        json.loads(answer.raw)


class _UndoneError(Exception):
    """Takes back what was stored."""


class BatchResults:
    """Files of results of submitted runs: what they answer is stored, and all else is counted."""

    def __init__(self, folder: Path) -> None:
        self.store = Store(folder / "batches.sqlite3")
        fill(self.store, items=1)
        self.runs = [self._submitted(folder, number) for number in range(len(WAYS))]
        self.others = [data for _, _, data in self.runs]

    def _submitted(self, folder: Path, number: int) -> tuple[int, ServedJudge, bytes]:
        mode, several = WAYS[number]
        judge = _judge(mode, several=several)
        run = batch.begin(self.store, judge, Request(DATASET, seed=number), {})
        file = folder / f"requests-{number}.jsonl"
        batch.submit(self.store, run, judge, to=file, asked=True, limit=None)
        requests = [json.loads(line) for line in file.read_text().splitlines()]
        faults = dict(
            zip((each["custom_id"] for each in requests), ("expired", "400"), strict=False)
        )
        lines = results(requests, Server(), lambda name: faults.get(name, ""))
        return run, judge, ENDED.join(map(_bytes, lines)) + ENDED

    def __call__(self, draw: Random) -> None:
        run, judge, data = draw.choice(self.runs)
        told = mutate(data, draw, self.others).decode("utf-8", "replace")
        with suppress(_UndoneError), self.store.transaction(), one_message():
            self._collected(run, judge, told.splitlines())
            raise _UndoneError

    def _collected(self, run: int, judge: ServedJudge, lines: Iterable[str]) -> None:
        before = self.store.batches.count_waiting(run)[run]
        done = batch.collect(self.store, run, judge, lines)
        check_message(str(done))
        if done.answered + done.expired + done.waiting != before:
            raise BrokenPromiseError(f"of {before} that waited: {done}")
        answers = self.store.run_counts.answers(run)
        if len(answers) != done.answered:
            raise BrokenPromiseError(f"{len(answers)} answers are stored: {done}")
        for row in answers.itertuples():
            if row.prob_a is not None and row.prob_a == row.prob_a and not 0 <= row.prob_a <= 1:
                raise BrokenPromiseError(f"a probability of {row.prob_a}")
            if row.failure:
                check_message(row.failure)


class ServerAnswers:
    """A server that answers, but not always what the protocol says."""

    def __init__(self) -> None:
        self.clock = jumping()
        server, judges = Server(), [_judge(mode, several=several) for mode, several in WAYS]
        bodies = [judge.bodies(QUESTION, asked=True)[0] for judge in judges]
        said = [server._answer(body, body["messages"][-1]["content"]) for body in bodies]
        self.seeds = [*map(_bytes, said)]
        self.refusals, self.batches = [*map(_bytes, REFUSALS)], [*map(_bytes, BATCHES)]
        self.others = [*self.seeds, *self.refusals, *self.batches]

    def judged(self, draw: Random) -> None:
        """A comparison is answered, or there is a reason why not."""
        mode, several = draw.choice(WAYS)
        judge = _judge(mode, several=several)
        if draw.random() < 0.1:  # it is asked first what it can
            del judge.__dict__["_server_mode"]
        self._serve(judge.endpoint, self.seeds, draw)
        with one_message():
            [answer] = judge.answers([QUESTION])
            check_answer(answer)

    def batch(self, draw: Random) -> None:
        """How far a batch is, in words, or a reason why nobody knows."""
        judge = _judge("generate")
        self._serve(judge.endpoint, self.batches, draw)
        with one_message():
            progress = BatchService(judge.endpoint).progress("b")
            check_message(f"{progress.state}, {progress.completed:,} of {progress.total:,}")
            check_message(f"({progress.error})")
            if not all(isinstance(file, str) for file in progress.files):
                raise BrokenPromiseError(f"files {progress.files!r}")

    def _serve(self, endpoint: Endpoint, seeds: list[bytes], draw: Random) -> None:
        """Have the endpoint hear mutated answers, each request another one."""

        def answer(request: httpx2.Request) -> httpx2.Response:
            status = draw.choice(STATUSES)
            good = draw.choice(seeds if status < 300 else self.refusals)
            data = mutate(good, draw, self.others) if draw.random() < 0.8 else good
            kind = draw.choice(("application/json", "application/json", "text/html"))
            return httpx2.Response(status, content=data, headers={"content-type": kind})

        endpoint._limits = Limits(self.clock)
        endpoint.connection.sdks[endpoint.connection.key] = openai.AsyncOpenAI(
            api_key="none",
            base_url=URL,
            max_retries=0,
            http_client=openai.DefaultAsyncHttpxClient(transport=httpx2.MockTransport(answer)),
        )
