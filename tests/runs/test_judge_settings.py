"""What a judge was told goes with it: into resumed runs, probes, batches and backups."""

from __future__ import annotations

import json
import pickle
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core.__main__ import main
from core.failures import NO_REFERENCE
from core.judging import add_server
from core.judging.registry import make, make_writer, remake
from core.models import KEY, Options
from core.records import Attribute, Candidate, Question, Scale, Status, TandemError
from core.runs import execution
from core.runs.execution import resume
from core.store import Store
from tests.kept_stores import write_kept
from tests.server import Server, probability
from tests.study import DATASET, fill

BODY = '{"reasoning_effort": "low", "top_p": 0.9}'
SYSTEM_PROMPT = "Judge {candidate_noun}s fairly."
TOLD = ["--mode", "generate", "--prompt", "verdict", "--form", "brackets", "--max-tokens", "77", "--system-prompt",
        SYSTEM_PROMPT, "--stop", "END", "--stop", "\n\n\n", "--extra-body", BODY, "--lenient",
        "--temperature", "0.25"]  # fmt: skip
SETTINGS = Options(
    max_tokens=77, system_prompt="Be fair.", stop=("END", "\n\n\n"), extra_body=BODY, lenient=True,
    temperature=0.25, permit=None,
)  # fmt: skip


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(KEY, "sk-test")
    with Server(reply=lambda prompt: f"[[{'AB'[probability(prompt) < 0.5]}]]") as running:
        yield running


@pytest.fixture
def path(server, tmp_path: Path):
    path = tmp_path / "store.sqlite3"
    with Store(path) as store:
        fill(store)
        add_server(store, "test", server.url, server.url, key_variable=KEY)
    return path


def asked(path, server, *more):
    words = ["judge", "--judge", "openai:fake", "--dataset", DATASET, "--base-url", server.url]
    assert main(["--store", str(path), *words, *TOLD, *more]) == 0


def check_comparisons(bodies, least):
    """Every request that compares two texts was made with all that the judge was told."""
    comparing = [body for body in bodies if "article" in body["messages"][-1]["content"].lower()]
    assert len(comparing) >= least
    for body in comparing:
        told = SYSTEM_PROMPT.format(candidate_noun="summary")
        assert body["messages"][0] == {"role": "system", "content": told}
        assert "[[A]] or [[B]]" in body["messages"][-1]["content"]
        assert (body["max_tokens"], body["stop"]) == (77, ["END", "\n\n\n"])
        assert (body["temperature"], body["top_p"]) == (0.25, 0.9)
        assert body["reasoning_effort"] == "low"


def test_a_run_that_was_stopped_is_resumed_with_them(path, server) -> None:
    asked(path, server, "--limit", "2")
    with Store(path) as store:
        resume(store, int(store.runs.list_all(kind="run")["run"].max()))
    server.forget()
    assert main(["--store", str(path), "worker", "--once"]) == 0
    check_comparisons(server.seen, 16)
    with Store(path) as store:
        [judge] = store.judges.load_all()["judge"]
        assert store.judges.spec(judge).prompt.form == "brackets"
        assert set(store.judgement_frames.load_exported(DATASET)["failure"]) == {""}


def test_a_restored_backup_and_a_probe_ask_with_them(path, server, tmp_path: Path) -> None:
    asked(path, server, "--limit", "2")
    backup, there = tmp_path / "study.sqlite3", tmp_path / "there.sqlite3"
    assert main(["--store", str(path), "backup", str(backup)]) == 0
    assert main(["--store", str(there), "restore", str(backup)]) == 0
    with Store(path) as one, Store(there) as other:
        [judge] = one.judges.load_all()["judge"]
        assert other.judges.spec(judge) == one.judges.spec(judge)
    server.forget()
    asked(there, server)
    check_comparisons(server.seen, 16)
    with Store(there) as store:
        assert list(store.judges.load_all()["judge"]) == [judge]
    server.forget()
    asked(there, server, "--probe", "choose-me", "--number", "2")
    check_comparisons(server.seen, 4)


def test_the_requests_of_a_batch_hold_them(path, server, tmp_path: Path) -> None:
    file = tmp_path / "requests.jsonl"
    asked(path, server, "--batch", "submit", "--requests", str(file))
    check_comparisons([json.loads(line)["body"] for line in file.read_text().splitlines()], 18)


def test_a_judge_is_made_again_with_them_by_a_worker_elsewhere(server, store: Store) -> None:
    """Ray pickles the specification; what a store holds is the same again."""
    for mode in ("generate", "classifier", "sample", "score", "g-eval"):
        options = {**vars(SETTINGS), "mode": mode, "base_url": server.url}
        if mode in ("score", "g-eval"):
            options["scale"], options["lenient"] = Scale(1, 5), False
        spec = make("openai:fake", Options(**options)).spec
        assert (spec.max_tokens, spec.stop, spec.extra_body) == (77, ("END", "\n\n\n"), BODY)
        store.judges.add([spec])
        assert store.judges.spec(spec.name) == spec
        assert remake(pickle.loads(pickle.dumps(spec))).spec == spec


def test_other_settings_make_another_name() -> None:
    def named(**given):
        return make("openai:m", Options(mode="generate", **given)).spec.name

    told = ("max_tokens", "system_prompt", "stop", "extra_body", "lenient", "temperature")
    names = [named(), *(named(**{name: getattr(SETTINGS, name)}) for name in told)]
    assert len(set(names)) == 7
    for one, other in (
        ({"labels": ("A/B", "C")}, {"labels": ("A", "B/C")}),
        ({"labels": ("A", "B|tie")}, {"labels": ("A", "B"), "tie": True}),
        ({"temperature": 0.1234567}, {"temperature": 0.1234568}),
    ):
        assert named(**one) != named(**other)


def test_what_no_server_can_be_sent_is_refused_at_once() -> None:
    for given, names in (
        ({"extra_body": '{"a": "\\ud800"}'}, "not text"),
        ({"extra_body": '{"top_p": NaN}'}, "NaN"),
        ({"extra_body": '{"top_p": -Infinity}'}, "-Infinity"),
        ({"extra_body": '{"top_p": 1, "x": {"top_p": 1, "top_p": 2}}'}, "'top_p' twice"),
        ({"stop": ("END", "")}, "stop is empty"),
    ):
        for made, mode in ((make, "generate"), (make, "score"), (make_writer, "")):
            with pytest.raises(TandemError, match=names):
                made("openai:m", Options(mode=mode, **given))


def test_a_system_prompt_may_need_a_reference_too(server) -> None:
    attribute = Attribute("coherence", "coherent")
    for mode, asked in (
        ("generate", Question(1, "", "It rose.", "It fell.", attribute)),
        ("score", Candidate(1, "", "It rose.", attribute)),
    ):
        told = Options(mode=mode, base_url=server.url, system_prompt="The truth: {reference}")
        [answer] = make("openai:fake", told).answers([asked])
        assert answer.failure == NO_REFERENCE


# ---- Judges from before prompts declared a form go on, and are read in the form they ask for


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
def older_server(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(KEY, "sk-test")
    with Server(reply=reply, key="sk-test") as running:
        yield running


@pytest.fixture
def older_path(older_server, tmp_path: Path):
    """The store, as if it had been written with a server at this port."""
    path = write_kept("from22", tmp_path / "old.sqlite3")
    with closing(sqlite3.connect(path)) as db, db:
        address = f"127.0.0.1:{older_server.port}"
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


def ask_again(server, path, *words):
    command = ["judge", "--judge", "openai:fake", "--dataset", "d", "--base-url", server.url]
    assert main(["--store", str(path), *command, *words, "--json"]) == 0


@pytest.fixture
def own(older_server, tmp_path: Path) -> tuple[str, tuple[str, ...]]:
    """The judge with a prompt of one's own, and how it is asked again."""
    (tmp_path / "own.txt").write_text(WORDING)
    named = OWN.format(f"127.0.0.1:{older_server.port}")
    words = (
        "--mode",
        "generate",
        "--prompt-file",
        str(tmp_path / "own.txt"),
        "--labels",
        "One",
        "Two",
    )
    return named, words


@pytest.fixture
def sampled(older_server) -> str:
    return SAMPLED.format(f"127.0.0.1:{older_server.port}")


def test_a_prompt_of_ones_own_is_asked_again_by_the_same_command(
    older_server, older_path, own: tuple[str, tuple[str, ...]]
) -> None:
    judge, words = own
    assert answers(older_path, judge) == (30, 6)
    before = names(older_path)
    ask_again(older_server, older_path, *words, "--retry-failed")
    assert answers(older_path, judge) == (36, 0)
    # Asked for by its name, it is the version that was stored.
    ask_again(older_server, older_path, "--mode", "generate", "--prompt", "own@1", *words[-3:])
    assert len(comparisons(older_server)) == 6
    assert names(older_path) == before


def test_a_built_in_prompt_goes_on_by_the_same_command(
    older_server, older_path, sampled: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert answers(older_path, sampled) == (10, 0)
    before = names(older_path)
    ask_again(older_server, older_path, "--mode", "sample", "--votes", "3")
    document = json.loads(capsys.readouterr().out)
    assert (document["planned"], document["done"], document["already_there"]) == (36, 36, 10)
    assert answers(older_path, sampled) == (36, 0)
    assert names(older_path) == before


def test_a_stopped_run_is_resumed_by_the_worker(older_server, older_path, sampled: str) -> None:
    with Store(older_path) as store:
        add_server(store, "test", older_server.url, older_server.url, key_variable=KEY)
        run = store.connection.value("SELECT max(id) FROM runs")
        assert store.judges.spec(sampled).prompt.form == ""
        execution.resume(store, run)
    assert main(["--store", str(older_path), "worker", "--once"]) == 0
    with Store(older_path) as store:
        assert store.runs.get(run).status == Status.DONE
    assert answers(older_path, sampled) == (36, 0)


def test_what_is_not_in_the_form_is_unparsed_for_them_too(
    older_server, older_path, own: tuple[str, tuple[str, ...]]
) -> None:
    """A sentence that was once read by its words."""
    older_server.reply = lambda prompt: "I think that One is the better of the two, if not by much."
    judge, words = own
    ask_again(older_server, older_path, *words, "--retry-failed")
    assert answers(older_path, judge) == (30, 6)
