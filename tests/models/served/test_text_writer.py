"""Texts sampled from a served model."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.__main__ import main
from core.judging import add_server
from core.judging.registry import make_writer
from core.models.decoding import Decoding
from core.models.permit import KEY
from core.records import Status, TandemError
from core.runs.execution import execute, resume
from core.runs.generate import GenerationRequest, enqueue
from core.store import Store
from tests.server import Server
from tests.study import DATASET, fill

INSTRUCTION = "Summarise this."


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(KEY, raising=False)


def wrote(store, server, system="fake", *, samples=5, **more):
    """A run by a server that is on the store's list."""
    add_server(store, "test", server.url, server.url)
    return enqueue(
        store, GenerationRequest(DATASET, system, decoding(server, **more), samples=samples)
    )


def decoding(server, **more):
    return Decoding("openai:fake", INSTRUCTION, base_url=server.url, **more)


def test_k_texts_an_item_each_with_a_seed_of_its_own(study: Store) -> None:
    with Server(reply=lambda prompt: f"About: {prompt}", faults=lambda prompt: ["500"]) as server:
        run = wrote(study, server, "fake-t0.7", temperature=0.7, max_tokens=50)
        assert study.runs.get(run).served
        result = execute(study, run)
        requests = [request for request in server.seen if "seed" in request]
    assert (result.status, result.done) == (Status.DONE, 3 * 5)
    texts = study.texts.generations(DATASET).query("system == 'fake-t0.7'")
    assert sorted(zip(texts["item"], texts["sample"], strict=True)) == [
        (f"i{i}", k) for i in range(3) for k in range(5)
    ]
    contexts = study.datasets.items(DATASET)["context"]
    assert set(texts["text"]) == {f"About: {INSTRUCTION}\n\n{context}" for context in contexts}
    assert {(request["temperature"], request["max_tokens"]) for request in requests} == {(0.7, 50)}
    assert len({request["seed"] for request in requests}) == 15
    assert result.tokens == 15 * (7 + 2)


def test_what_else_a_server_is_told_makes_another_system(
    study: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    """By command line and, stopped and resumed, by the worker, which reads it out of the store."""
    path = study.path
    with Server(reply=lambda prompt: f"About: {prompt}") as server:
        add_server(study, "test", server.url, server.url)
        command = ["generate", "--dataset", DATASET, "--system", "brief", "--model", "openai:fake", "--samples", "1",
                   "--instruction", "Write.", "--base-url", server.url]  # fmt: skip
        told = ["--system-prompt", "Be brief.", "--stop", "\n\n", "--stop", "END",
                "--extra-body", '{"reasoning_effort": "low", "top_p": 0.9}']  # fmt: skip
        assert main(["--store", str(path), *command, *told, "--limit", "1"]) == 0
        [run] = study.runs.list_all(kind="run")["run"]
        resume(study, int(run))
        assert main(["--store", str(path), "worker", "--once"]) == 0
        written = [
            request for request in server.seen if "Write." in request["messages"][-1]["content"]
        ]
        assert len(written) == 3
        for request in written:
            assert request["messages"][0] == {"role": "system", "content": "Be brief."}
            assert request["stop"] == ["\n\n", "END"]
            assert (request["reasoning_effort"], request["top_p"]) == ("low", 0.9)
        # The same in another order of its keys is the same system; without it, another one.
        told[-1] = '{"top_p": 0.9, "reasoning_effort": "low"}'
        assert main(["--store", str(path), *command, *told]) == 0
        assert main(["--store", str(path), *command]) == 2
        assert re.search("system '.+' .*other settings.*another", capsys.readouterr().err)


def test_an_extra_body_that_is_none_is_refused_before_a_server_is_asked() -> None:
    with Server() as server:
        with pytest.raises(TandemError, match=r"^extra body '\[1\]' .*JSON object"):
            make_writer("openai:fake", decoding(server, extra_body="[1]").options())
        assert not server.seen


def test_a_server_that_takes_no_seed_is_asked_without(study: Store) -> None:
    with Server(refuses=["seed"]) as server:
        run = wrote(study, server, samples=2)
        assert execute(study, run).done == 6
        assert "seed" not in server.seen[-1]


def test_what_is_not_written_is_a_failure(study: Store) -> None:
    with Server(reply=lambda prompt: {"0": "refusal", "1": ""}.get(prompt[-2], "fine")) as server:
        run = wrote(study, server, samples=1)
        assert execute(study, run).status is Status.DONE
    texts = study.texts.generations(DATASET).query("system == 'fake'").set_index("item")["text"]
    assert texts.drop("i0").to_dict().get("i2") == "fine"
    assert study.generated_texts.failures(DATASET, "fake", "", 1) == {"refused": 1, "empty": 1}


def test_a_server_whose_texts_are_all_alike_is_refused_unless_that_is_wanted(study: Store) -> None:
    with Server(draws_by="") as server:
        run = wrote(study, server, "warm", temperature=0.7)
        with pytest.raises(
            TandemError, match=rf"127\.0\.0\.1:{server.port} .*same reply.*sample.*temperature 0$"
        ):
            execute(study, run)
        run = enqueue(
            study, GenerationRequest(DATASET, "cold", decoding(server, temperature=0.0), samples=1)
        )
        assert execute(study, run).done == 3


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    with Server() as server:
        pass
    with Store(tmp_path / "s") as store:
        fill(store)
        run = wrote(store, server)
        with pytest.raises(
            TandemError, match=rf"127\.0\.0\.1:{server.port} .*answer.*ConnectError"
        ):
            execute(store, run)


def test_limits_are_those_of_the_run() -> None:
    assert (
        make_writer(  # type: ignore[attr-defined]
            "openai:m", Decoding("openai:m", "Write.").options({"concurrency": 3, "price_in": 2.0})
        ).endpoint.concurrency
        == 3
    )
