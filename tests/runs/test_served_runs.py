"""Runs whose judge is behind a server that goes wrong in every way a server does: nothing lost,
nothing doubled, no key kept.

The commands and the worker are processes of their own; the server is this one.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from pathlib import Path

import pytest

from core.__main__ import main
from core.judging import add_server
from core.judging.registry import make
from core.models import KEY
from core.models.respondent import Options
from core.models.served import rate_limits
from core.models.served.chat_request import OPEN_QUESTION
from core.models.served.rate_limits import Limits
from core.pairing.planning import Request, enqueue
from core.records import Dataset, Item, Status, TandemError
from core.runs import execution, load_respondent
from core.runs.execution import cancel, execute, resume
from core.store import Store
from tests.asking import kill, kill_at_random
from tests.clock import jumping
from tests.paths import ROOT
from tests.processes import Command
from tests.server import FAULTS, Server
from tests.study import DATASET, asked, content, ends, fill, filled, tandem, wait_for

SECRET = "sk-test-7c2e90d14a5b8f63"
REPLIES = {
    "refusal": "refused",
    "filtered": "refused",
    "": "empty",
    "I cannot tell them apart.": "unparsed",
}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(KEY, SECRET)


def chance(prompt, what):
    """Between 0 and 99, the same for the same prompt, whatever else is drawn for it."""
    return int(sha256(f"{what} {prompt}".encode()).hexdigest(), 16) % 100


def faults(prompt):
    """A third of the prompts meets a fault or two first."""
    draw = chance(prompt, "fault")
    return [FAULTS[draw % 6], *([FAULTS[draw // 6 % 6]] if draw < 5 else [])] if draw < 33 else []


def reply(prompt):
    """One in ten prompts never gets an answer."""
    labels = ["Summary A", "Summary B"]
    draw = chance(prompt, "reply")
    return (
        list(REPLIES)[draw % 4] if draw < 10 and "article" in prompt.lower() else labels[draw % 2]
    )


@pytest.fixture
def server():
    with Server(
        faults=faults, reply=reply, key=SECRET, without=lambda prompt: chance(prompt, "without") < 4
    ) as running:
        yield running


def command(server, *more):
    """A time-out well above what a busy machine needs for an answer: only what is meant to time out
    does.
    """
    return ["judge", "--judge", "openai:fake", "--base-url", server.url, "--timeout", "3", "--concurrency", "16",
            "--json", *more]  # fmt: skip


def run(path, *arguments):
    """What a command ended with, its document and what it said beside it."""
    process = Command("--store", str(path), *arguments, apart=True)
    said, errors = process.communicate()
    return process.returncode, said, errors


def list_servers(store, *servers):
    """Put these on the list of the store, each with the key that is in the environment."""
    for server in servers:
        add_server(store, "test", server.url, server.url, key_variable=KEY)


def planned(store, server, strategy="full", mode="classifier", **execution):
    """A run by a judge behind a server that is on the store's list."""
    list_servers(store, server)
    judge = make("openai:fake", Options(base_url=server.url, mode=mode))
    return enqueue(store, judge.spec, Request(DATASET, strategy), execution)


def loud(path, *arguments, **environment):
    """The same, where the client's own log is on from the moment it is imported."""
    done = subprocess.run(
        [sys.executable, "-m", "core", "--store", str(path), *arguments],
        cwd=ROOT, env={**os.environ, "OPENAI_LOG": "debug", "TANDEM_TRACEBACK": "1", **environment},
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def test_every_comparison_ends_judged_or_failed_with_its_reason(server, tmp_path: Path) -> None:
    path = filled(tmp_path, items=20)
    status, said, errors = run(path, *command(server, "--price-in", "2", "--price-out", "10"))
    assert status == 0, errors
    document = json.loads(said)
    assert (document["planned"], document["done"], document["already_there"]) == (120, 120, 0)
    assert document["judge"] == f"openai:fake|comparative@1|classifier|at:127.0.0.1:{server.port}"
    prompts = {
        request["messages"][0]["content"]
        for request in server.seen
        if "article" in str(request).lower()
    }
    assert len(prompts) == 120
    expected = Counter(
        REPLIES.get(reply(prompt)) or ("no-label" if chance(prompt, "without") < 4 else "")
        for prompt in prompts
    )
    judged = expected.pop("")
    assert document["failed"] == dict(expected)
    assert len(expected) >= 3
    with Store(path) as store:
        found = store.judgement_frames.load_all("tiny")
        assert len(found) == len(set(found["comparison"])) == 120
        assert found["outcome"].notna().sum() == judged
        assert not store.connection.value(
            "SELECT count(*) FROM judgements WHERE raw = '' AND failure <> 'empty'"
        )
        tokens, written = store.run_counts.tokens(1)
    assert (document["tokens"], document["completion_tokens"]) == (tokens, written)
    assert document["cost"] == pytest.approx(((tokens - written) * 2 + written * 10) / 1e6)
    # Again asks nothing; what failed is asked again alone, and by now it meets no fault.
    before = len(server.seen)
    again = json.loads(run(path, *command(server))[1])
    assert (again["already_there"], again["tokens"]) == (120, 0)
    assert len(server.seen) == before + 1  # whether it still gives probabilities
    retried = json.loads(run(path, *command(server, "--retry-failed"))[1])
    assert (retried["already_there"], retried["failed"]) == (judged, document["failed"])
    assert len(server.seen) == before + 2 + sum(expected.values())


@pytest.mark.parametrize("kills", [3, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize("who", ["worker", "judge"])
def test_killed_at_random_it_ends_with_the_same_store(server, tmp_path: Path, who, kills) -> None:
    """Few requests leave a second, so that there is time to kill it in: in flight, between, while
    it writes. The undisturbed run is in no need of that.
    """
    path, other = tmp_path / "store.sqlite3", tmp_path / "undisturbed.sqlite3"
    at_once = command(server)
    asking = [*at_once, "--rpm", "1200" if kills < 10 else "600"]
    for name, words in ((path, asking), (other, at_once)):
        with Store(name) as store:
            fill(store, items=20 if kills < 10 else 80)
            list_servers(store, server)
        if who == "worker":  # planned, and one answer there
            ends(tandem(name, *words, "--limit", "1"))
            ends(tandem(name, "runs", "--resume", "1"))
    server.forget()
    again = asking if who == "judge" else ["worker", "--once"]
    ends(tandem(other, *(at_once if who == "judge" else again)))
    server.forget()
    halfway = kill_at_random(path, asked(other)[0], again, kills, most_pause=1.0)
    ends(tandem(path, *again))
    assert halfway >= kills - 1
    with Store(path) as store, Store(other) as undisturbed:
        assert content(store) == content(undisturbed)
        assert len(store.run_counts.failures(1)) >= 3


ASKING = {
    "judge": ["judge", "--judge", "openai:fake", "--mode", "sample", "--votes", "1"],
    "score": ["judge", "--judge", "openai:fake", "--mode", "score"],
    "generate": ["generate", "--model", "openai:fake", "--system", "new", "--samples", "12",
                 "--instruction", "Summarise: {context}"],
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("task", ASKING)
def test_killed_at_random_little_is_asked_again(tmp_path: Path, task) -> None:
    """What was in flight, and what landed just before; whether the server samples is asked once."""
    path, kills, dice = tmp_path / "store.sqlite3", 4, random.Random(task)
    with Store(path) as store:
        fill(store, items=60)
    with Server(delay=0.1, reply=lambda prompt: "7" if task == "score" else "Summary A") as server:
        words = [*ASKING[task], "--base-url", server.url]
        for _ in range(kills):
            kept = kept_answers(path)
            process = tandem(path, *words)
            wait_for(lambda kept=kept: kept_answers(path) > kept)
            time.sleep(dice.random())
            kill(process)
        ends(tandem(path, *words))
        prompts = [request["messages"][-1]["content"] for request in server.seen]
        opening = OPEN_QUESTION[0]["content"]
        assert prompts.count(opening) == (task != "score")
        trifles = sum("comes first in the alphabet" in prompt for prompt in prompts)
        asked_once = kept_answers(path)
        assert len(prompts) - trifles - prompts.count(opening) - asked_once <= kills * 3 * 8


def kept_answers(path):
    """Judgements, marks and texts of models in a store."""
    with closing(sqlite3.connect(path, timeout=30)) as db:
        return sum(
            db.execute(f"SELECT count(*) FROM {table} WHERE run IS NOT NULL").fetchone()[0]
            for table in ("judgements", "scores", "generations")
        )


def test_how_a_server_samples_is_asked_once_a_day(tmp_path: Path) -> None:
    day = datetime(2026, 11, 1, tzinfo=UTC)
    with Store(tmp_path / "store.sqlite3") as store, Server(logprobs=False) as server:

        def opening_requests(mode, hours):
            server.forget()
            judge = make("openai:fake", Options(base_url=server.url, mode=mode, timeout=5.0))
            with suppress(TandemError):
                load_respondent(store, judge, clock=lambda: day + timedelta(hours=hours))
            assert judge.spec.mode == (mode or ("sample" if server.draws_by else "generate"))
            return [request["messages"] for request in server.seen].count(OPEN_QUESTION)

        assert [opening_requests(mode, 0) for mode in ("sample", "sample", "")] == [1, 0, 0]
        assert [opening_requests("sample", hours) for hours in (23, 25, 26)] == [0, 1, 0]
        server.draws_by = ""
        assert opening_requests("", 60) > 1
        assert opening_requests("", 61) == 0
        assert opening_requests("sample", 61) > 1, "somebody may have mended it"


def test_the_key_is_kept_nowhere(tmp_path: Path) -> None:
    """Not even when the server repeats it in an error, or someone turns the client's own log on."""
    with Server(
        key=SECRET,
        faults=lambda prompt: (
            ["echo"] if chance(prompt, "fault") < 30 and "article" in prompt.lower() else []
        ),
        reply=lambda prompt: (
            f"Summary A, says {SECRET}." if chance(prompt, "reply") < 30 else "Summary B"
        ),
    ) as server:
        path = filled(tmp_path, items=5)
        status, said, errors = loud(path, *command(server))
        assert status == 0, errors
        assert json.loads(said)["failed"].get("error: HTTP 400: cannot read Bearer [key]")
        wrong = loud(path, *command(server), **{KEY: f"{SECRET}-no-more"})
        assert wrong[0] == 2
        assert re.fullmatch(
            rf"(?s).*\b127\.0\.0\.1:\d+ refuses\b.*\b{KEY} \(HTTP 401: .*", wrong[2]
        )
        everything = [said, errors, *wrong[1:], run(path, "runs", "--json")[1]]
        with Store(path) as store:
            masked, leaked = (
                store.connection.value("SELECT count(*) FROM judgements WHERE raw LIKE ?", (like,))
                for like in ("%[key]%", f"%{SECRET[4:]}%")
            )
            assert masked > 5
            assert leaked == 0
        everything += [
            file.read_bytes().decode("latin-1") for file in tmp_path.rglob("*") if file.is_file()
        ]
        assert not [text for text in everything if SECRET in text or SECRET[3:] in text]


class TestDeath:
    """A server that dies in the middle of a run."""

    @pytest.fixture(autouse=True)
    def clock(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(rate_limits, "_limits", {})
        monkeypatch.setattr(rate_limits, "Limits", partial(Limits, jumping()))

    def test_for_good_it_ends_the_run_and_nothing_has_failed(self, store: Store) -> None:
        fill(store, items=40)
        with Server(key=SECRET, lives=30) as server:
            run = planned(store, server)
            gone = rf"\b127\.0\.0\.1:{server.port} .*\breached: .*\b60 seconds\b"
            with pytest.raises(TandemError, match=gone):
                execute(store, run)
        kept = store.run_counts.counts(run)["asked"]
        assert 15 <= kept < 30
        assert store.run_counts.failures(run) == {}
        [row] = store.runs.list_all(kind="run").itertuples()
        assert (row.status, row.error[-200:]) == (Status.FAILED, row.error)
        assert re.search(gone, row.error)
        # It is there again: the same request goes on, and nothing is asked twice.
        with Server(key=SECRET, port=server.port) as server:
            assert planned(store, server) == run
            result = execute(store, run)
            assert (result.status, result.done, result.failed) == (Status.DONE, 240, 0)
            assert len(server.seen) == 1 + 240 - kept

    def test_for_a_while_nobody_notices(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        clock, back = jumping(), Server(key=SECRET)

        async def sleep(seconds):
            await clock.sleep(seconds)
            if clock.now() > 40 and not hasattr(back, "url"):
                back.__enter__()

        monkeypatch.setattr(rate_limits, "Limits", partial(Limits, replace(clock, sleep=sleep)))
        fill(store, items=10)
        with Server(key=SECRET, lives=30) as server:
            back.port = server.port
            run = planned(store, server)
            try:
                result = execute(store, run)
            finally:
                back.__exit__()
        assert (result.status, result.done, result.failed) == (Status.DONE, 60, 0)


class TestStopped:
    """A run behind a slow server, stopped by somebody else."""

    @pytest.fixture
    def path(self, tmp_path: Path):
        filled(tmp_path, items=60)
        return tmp_path / "store.sqlite3"

    @pytest.fixture
    def slow(self):
        with Server(key=SECRET, delay=0.3) as server:
            yield server

    def begun(self, path, server):
        process = Command("--store", str(path), *command(server), apart=True)
        wait_for(lambda: asked(path)[0] > 0)
        return process

    def test_from_elsewhere_it_ends_with_status_1_and_says_so(self, path, slow) -> None:
        process = self.begun(path, slow)
        with Store(path) as store:
            cancel(store, 1)
        said, errors = process.communicate()
        assert (process.returncode, said) == (1, "")
        assert re.search(r"^tandem: run 1 .*\belsewhere, with \d+ of 360 done; ", errors, re.M)
        with Store(path) as store:
            assert store.run_counts.failures(1) == {}

    def test_a_limit_is_no_stop_from_elsewhere(self, path, slow) -> None:
        status, said, _ = run(path, *command(slow, "--limit", "20"))
        assert (status, json.loads(said)["done"]) == (0, 20)

    def test_by_sigterm_it_ends_as_by_ctrl_c(self, path, slow) -> None:
        process = self.begun(path, slow)
        os.kill(process.pid, signal.SIGTERM)
        said, errors = process.communicate()
        assert (process.returncode, said) == (1, "")
        assert errors.splitlines()[-1].startswith("tandem: stopped; what was finished is kept")
        with Store(path) as store:
            [row] = store.runs.list_all(kind="run").itertuples()
            assert row.status == Status.CANCELLED
            assert 0 < row.asked < 360


def test_votes_split_evenly_are_said_to_be_ties_by_our_rule(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = filled(tmp_path, items=2)
    with Server(key=SECRET, reply=lambda prompt: "alternating") as server:
        words = ["--store", str(path), *command(server, "--mode", "sample", "--votes", "4")]
        assert main(words) == 0
        assert json.loads(capsys.readouterr().out)["split"] == 12
        assert main([word for word in words if word != "--json"]) == 0
    assert re.search(r"; 12 votes .*\bsplit\b.*\btie\b", capsys.readouterr().out)


def test_slots_of_512_tokens_have_their_contexts_cut(store: Store) -> None:
    """llama.cpp's, which names both numbers beside its sentence."""
    with Server(slots=True, context=512) as server:
        store.datasets.add(Dataset(DATASET, context_noun="article", candidate_noun="summary"))
        store.datasets.add_items(DATASET, [Item(f"i{i}", "word " * 700) for i in range(2)])
        fill(store, items=2)
        result = execute(store, planned(store, server, mode="generate"))
        assert (result.status, result.done, result.failed) == (Status.DONE, 12, 0)
        prompts = [len(request["messages"][-1]["content"].split()) for request in server.seen]
        assert sum(length > 512 for length in prompts) == 12  # each was told once, and then fits


def test_a_prompt_the_server_cuts_without_a_word_is_said(tmp_path: Path) -> None:
    """As Ollama does. The answers count, and whoever reads them is told, in every way to get
    answers.
    """
    with Server(key=SECRET, silently=5, labels=("7", "7")) as server:
        path = filled(tmp_path, systems=("alpha", "beta"))
        to = ("--base-url", server.url, "--json")
        told = {
            "6 comparisons": ("judge", "--judge", "openai:fake", "--mode", "generate", "--pairs", "full"),
            "6 scores": ("judge", "--judge", "openai:fake", "--mode", "score"),
            "3 texts": ("generate", "--model", "openai:fake", "--system", "new", "--samples", "1",
                        "--instruction", " ".join(["Write."] * 30)),
        }  # fmt: skip
        for what, words in told.items():
            status, said, errors = run(path, *words, *to)
            assert status == 0, errors
            assert re.search(rf"\bfor {what} .*\bfewer tokens\b", errors)
            assert json.loads(said)["part_read"] == int(what[0])
        tried = run(path, "try", "--judge", "openai:fake", "--mode", "score", "--limit", "2", *to)
        assert re.search(r"\bfor 2 of\b.*\bfewer tokens\b", json.loads(tried[1])["note"])


def test_a_wrong_request_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Server(logprobs=False, key=SECRET) as server:
        path = filled(tmp_path)
        unlisted = ["judge", "--judge", "openai:fake", "--json", "--base-url"]
        for words, says in (
            (
                [*command(server), "--mode", "classifier"],
                r"\bno probabilities\b.*'fake'.*--mode classifier\b.*--mode sample\b",
            ),
            ([*unlisted, "http://me:pw@host/v1"], rf"--base-url\b.*\baddress\b.*\b{KEY}\b"),
            ([*unlisted, "localhost"], r"--base-url 'localhost'.*\bhttp://localhost:8000/v1$"),
            ([*command(server), "--judge", "openai:other"], "'other'.*/v1"),
        ):
            status, said, errors = run(path, *words)
            assert (status, said) == (2, "")
            assert re.search(says, errors.strip())
            assert len(errors.splitlines()) == 1
        with Store(path) as store:
            assert store.runs.list_all(kind="run").empty
        status, said, errors = run(path, *command(server))
        assert status == 0
        assert "|sample|votes:5|temperature:1|" in json.loads(said)["judge"]
        assert re.search(r"\bno probabilities, so 5 sampled votes\b", errors)


def test_a_server_that_goes_away_for_good_ends_the_run_in_a_sentence(tmp_path: Path) -> None:
    """A key that is withdrawn meanwhile: what was answered is kept, and the same command goes on
    when it is mended.
    """
    path = filled(tmp_path, items=10)
    with Server(key=SECRET, delay=0.02) as server:
        asking = command(server, "--rpm", "1200")
        process = tandem(path, *asking)
        wait_for(lambda: asked(path)[0] > 0)
        server.key = "sk-another-key-now"
        said = process.communicate(timeout=60)[0]
        assert process.returncode == 1
        assert f"{KEY} (HTTP 401" in said
        assert re.search(r"; .*\bkept\b.*\bsame command\b.*$", said.strip())
        answered = asked(path)[0]
        assert 0 < answered < 60
        server.key = SECRET
        ends(tandem(path, *asking))
        assert asked(path) == (60, 60)
        with Store(path) as store:
            assert store.run_counts.failures(1) == {}


def test_a_run_that_is_stopped_keeps_what_is_in_flight_and_asks_no_more(study: Store) -> None:
    """Stopped from elsewhere; what the server has been asked by then is waited for, and nothing is
    asked twice.
    """
    fill(study, items=30)
    with Server(delay=0.05) as server:
        run_id = planned(study, server, concurrency=4)

        def stop(result):
            with Store(study.path) as other:
                if other.runs.get(run_id).status == "running":
                    cancel(other, run_id)

        result = execute(study, run_id, progress=stop)
        assert result.status is Status.CANCELLED
        assert 4 <= result.done < 180
        assert len(server.seen) == result.done + 1
        resume(study, run_id)
        assert execute(study, run_id).done == 180
        assert len(server.seen) == 180 + 2  # and each time whether it gives probabilities
    assert study.connection.check()["ok"]


def test_a_run_that_is_stopped_does_not_wait_for_every_retry(
    study: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server puts off everything but the first answers; what it has not answered is asked when
    the run goes on.
    """
    monkeypatch.setattr(execution, "PATIENCE", 0.1)
    busy = [True]

    def faults(prompt):
        return (
            ["429"] * 1000
            if busy[0] and "article" in prompt.lower() and chance(prompt, "busy") < 50
            else []
        )

    fill(study, items=5)
    with Server(faults=faults, retry_after="30") as server:
        judge = make("openai:fake", Options(base_url=server.url, mode="classifier", concurrency=30))
        run_id = enqueue(study, judge.spec, Request(DATASET))
        judge.load()

        def stop(result):
            if study.runs.get(run_id).status == "running":
                cancel(study, run_id)

        result = execute(study, run_id, by=judge, progress=stop)
        assert result.status is Status.CANCELLED
        assert 0 < result.done < 30
        assert study.run_counts.failures(run_id) == {}
        busy[0] = False
    with Server() as server:
        again = make("openai:fake", Options(base_url=server.url, mode="classifier"))
        assert execute(study, run_id, by=again).done == 30
    assert study.connection.check()["ok"]


def test_pairs_are_sorted_by_a_served_judge(study: Store) -> None:
    """What a sort asks next depends on the answers: it is planned when all that is in flight has
    landed.
    """
    fill(study, items=4, systems=[f"s{i}" for i in range(8)])
    with Server(key=SECRET) as server:
        first = execute(study, planned(study, server, "pairs-greedy"))
        assert first.status is Status.DONE
        assert first.done == first.planned == len(server.seen) - 1


def test_a_stored_run_of_several_servers_goes_on_with_its_first_address(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Until 2.0.0 a run could name further servers: it is refused with the way out, and that is
    tried.
    """
    path = filled(tmp_path, items=10)
    with Server(key=SECRET) as server:
        assert run(path, *command(server), "--limit", "30")[0] == 0
        with Store(path) as store:
            assert store.run_counts.failures(1) == {}
            list_servers(store, server)
            with closing(sqlite3.connect(path)) as db, db:
                more = json.dumps(["http://gpu-2:8000/v1", "http://gpu-3:8000/v1"])
                db.execute(
                    "UPDATE runs SET execution = json_set(execution, '$.more_urls', json(?))",
                    [more],
                )
            resume(store, 1)
        asked_before = len(server.seen)
        ends(tandem(path, "worker", "--once"))
        assert len(server.seen) == asked_before
        with Store(path) as store:
            row = store.runs.list_all().iloc[0]
            assert row["status"] == Status.FAILED
            assert re.search(r"several servers\b.*\bfirst address\b.*scaling\.md", row["error"])
        server.forget()
        status, said, errors = run(path, *command(server))
        assert status == 0, errors
        assert json.loads(said)["run"] == 1
        assert json.loads(said)["already_there"] == 30
    assert asked(path) == (60, 60)


def test_a_second_address_is_refused(study: Store, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["judge", "--judge", "openai:fake", "--base-url", "http://a/v1", "--base-url", "http://b/v1"]  # fmt: skip
    assert main(["--store", str(study.path), *words]) == 2
    assert re.search(r"--base-url is there twice\b.*scaling\.md", capsys.readouterr().err)
