"""Judges from before prompts declared a form go on, and are read in the form they ask for."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core.__main__ import main
from core.judging import add_server
from core.models.permit import KEY
from core.records import Status
from core.runs import execution
from core.store import Store
from tests.kept_stores import write_kept
from tests.server import Server, probability

STORED = "127.0.0.1:37413"
"""Where the server of `from22.sqlite3.gz` listened."""
OWN = "openai:fake|own@1|generate|labels:One/Two|at:{}"
SAMPLED = "openai:fake|comparative@1|sample|votes:3|temperature:1|at:{}"
WORDING = (
    "Read what was written about {context}\n\nOne: {a}\n\nTwo: {b}\n\n"
    "{question} Answer with {label_a} or {label_b}."
)


def reply(prompt):
    """By now the server says which of two is better of item 3, too."""
    labels = ("One", "Two") if "One: " in prompt else ("Text A", "Text B")
    return labels[probability(prompt) < 0.5]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(KEY, "sk-test")
    with Server(reply=reply, key="sk-test") as running:
        yield running


@pytest.fixture
def path(server, tmp_path: Path):
    """The store, as if it had been written with a server at this port."""
    path = write_kept("from22", tmp_path / "old.sqlite3")
    with closing(sqlite3.connect(path)) as db, db:
        address = f"127.0.0.1:{server.port}"
        db.execute(
            "UPDATE judges SET name = replace(name, ?1, ?2), base_url = replace(base_url, ?1, ?2)",
            (STORED, address),
        )
    return path


def answers(path, judge):
    """(answered, failed) of a judge, in plain SQL."""
    with closing(sqlite3.connect(path)) as db:
        return db.execute(
            """SELECT count(*) FILTER (WHERE failure = ''), count(*) FILTER (WHERE failure != '')
            FROM judgements WHERE judge = (SELECT id FROM judges WHERE name = ?)
            AND withdrawn_at IS NULL""",
            (judge,),
        ).fetchone()


def comparisons(server):
    """The prompts that compare two texts, of those that the server has seen."""
    prompts = [request["messages"][-1]["content"] for request in server.seen]
    return [prompt for prompt in prompts if "What is " in prompt]


def names(path):
    with closing(sqlite3.connect(path)) as db:
        return [name for (name,) in db.execute("SELECT name FROM judges WHERE kind = 'llm'")]


def asked(server, path, *words):
    command = ["judge", "--judge", "openai:fake", "--dataset", "d", "--base-url", server.url]
    return main(["--store", str(path), *command, *words, "--json"])


def test_a_prompt_of_ones_own_is_asked_again_by_the_same_command(
    server, path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own, file = OWN.format(f"127.0.0.1:{server.port}"), tmp_path / "own.txt"
    assert answers(path, own) == (30, 6)
    before = names(path)
    file.write_text(WORDING)
    words = ("--mode", "generate", "--prompt-file", str(file), "--labels", "One", "Two")
    assert asked(server, path, *words, "--retry-failed") == 0
    assert answers(path, own) == (36, 0)
    assert len(comparisons(server)) == 6
    assert names(path) == before
    # Asked for by its name, it is the version that was stored.
    assert asked(server, path, "--mode", "generate", "--prompt", "own@1", *words[-3:]) == 0
    assert len(comparisons(server)) == 6
    assert names(path) == before
    capsys.readouterr()


def test_a_built_in_prompt_goes_on_by_the_same_command(
    server, path, capsys: pytest.CaptureFixture[str]
) -> None:
    sampled = SAMPLED.format(f"127.0.0.1:{server.port}")
    assert answers(path, sampled) == (10, 0)
    before = names(path)
    assert asked(server, path, "--mode", "sample", "--votes", "3") == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["planned"], document["done"], document["already_there"]) == (36, 36, 10)
    assert answers(path, sampled) == (36, 0)
    assert names(path) == before


def test_a_stopped_run_is_resumed_by_the_worker(
    server, path, capsys: pytest.CaptureFixture[str]
) -> None:
    sampled = SAMPLED.format(f"127.0.0.1:{server.port}")
    with Store(path) as store:
        add_server(store, "test", server.url, server.url, key_variable=KEY)
        run = store.connection.value("SELECT max(id) FROM runs")
        assert store.judges.spec(sampled).prompt.form == ""
        execution.resume(store, run)
    assert main(["--store", str(path), "worker", "--once"]) == 0
    with Store(path) as store:
        assert store.runs.get(run).status == Status.DONE
    assert answers(path, sampled) == (36, 0)
    capsys.readouterr()


def test_what_is_not_in_the_form_is_unparsed_for_them_too(
    server, path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A sentence that was once read by its words."""
    server.reply = lambda prompt: "I think that One is the better of the two, though not by much."
    file = tmp_path / "own.txt"
    file.write_text(WORDING)
    words = ("--mode", "generate", "--prompt-file", str(file), "--labels", "One", "Two")
    assert asked(server, path, *words, "--retry-failed") == 0
    assert answers(path, OWN.format(f"127.0.0.1:{server.port}")) == (30, 6)
    capsys.readouterr()
