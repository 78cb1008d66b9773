"""Evaluation steps: what a model is asked, and the prompt that comes of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.judging import add_server, write_steps
from core.judging.prompt_versions import templates
from core.judging.prompts import check_scoring, fill_scoring
from core.judging.registry import make
from core.models.respondent import Options
from core.records import Attribute, Candidate, Dataset, Scale, TandemError
from core.store import Store
from tests.cli.asked import Run
from tests.golden_text import approve
from tests.paths import ROOT
from tests.server import Server
from tests.study import fill

STEPS = "Read the {text} carefully.\n2. Look for leaps.\n3. Give a score."


@pytest.fixture
def server() -> Iterator[Server]:
    def reply(prompt: str) -> str:
        return STEPS if prompt.endswith("Evaluation steps:\n1.") else "4"

    with Server(reply=reply) as running:
        yield running


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "s.sqlite3") as store:
        fill(store)
        store.datasets.add(Dataset("guided", context_noun="article", candidate_noun="summary"))
        store.datasets.add_attributes(
            "guided", [Attribute("flow", guideline="Sentences {should} follow.")]
        )
        yield store


def test_the_model_is_asked_once_and_marks_by_what_it_wrote(server: Server, store: Store) -> None:
    asked = Options(base_url=server.url)
    prompt = write_steps(store, "guided", "flow", "openai:fake", asked)
    [request] = [one for one in server.seen if "Evaluation steps" in str(one["messages"])]
    approve("evaluation_steps", request["messages"][0]["content"])
    assert request["temperature"] == 0
    assert (prompt.name, prompt.version) == ("g-eval-flow", 1)
    check_scoring(prompt.template, "g-eval")
    candidate = Candidate(
        1, "It rained.", "Rain fell.", Attribute("flow"), (), "article", "summary"
    )
    assert fill_scoring(prompt, candidate, "g-eval", Scale(1, 5)).endswith(
        "Evaluation steps:\n\n"
        "1. Read the (text) carefully.\n2. Look for leaps.\n3. Give a score.\n\n"
        "Article:\nIt rained.\n\nSummary:\nRain fell.\n\n"
        "Evaluation form (the score alone, from 1 to 5):\n- Flow:"
    )
    marker = make(
        "openai:fake", Options(mode="score", prompt=prompt, scale=(1, 5), base_url=server.url)
    )
    assert [mark.value for mark in marker.answers([candidate])] == [4]


def test_other_steps_are_the_next_version(store: Store) -> None:
    for version, said in ((1, "1. Read."), (1, "Read."), (2, "Step 1: Read twice.")):
        with Server(reply=lambda prompt, said=said: said) as server:
            asked = Options(base_url=server.url)
            prompt = write_steps(store, "guided", "flow", "openai:fake", asked)
        assert prompt.version == version
    assert "1. Step" not in prompt.template
    assert templates(store, "g-eval")["g-eval-flow"] == prompt


def test_what_cannot_be_is_said(store: Store) -> None:
    for attribute, said in [
        ("depth", r"attribute 'depth'.* flow$"),
        (None, r"^attribute .*needed.* flow$"),
        ("flow", r"^openai:fake .*\(empty\): .*another model"),
    ]:
        with Server(reply=lambda prompt: " ") as server, pytest.raises(TandemError, match=said):
            write_steps(store, "guided", attribute, "openai:fake", Options(base_url=server.url))
        assert "g-eval-flow" not in templates(store, "g-eval")


def test_on_the_command_line(server: Server, run: Run) -> None:
    at = ("--model", "openai:fake", "--base-url", server.url, "--dataset", "tiny")
    document = run("steps", "--attribute", "coherence", *at)
    assert document["prompt"] == "g-eval-coherence@1"
    assert "1. Read the (text) carefully." in document["template"]
    made = ("--mode", "score", "--prompt", "g-eval-coherence", "--scale", "1", "5")
    told = run("judge", "--judge", "openai:fake", *made, *at[2:])
    assert (told["done"], told["failed"]) == (9, {})
    assert "g-eval-coherence@1" in told["judge"]


def test_on_the_page(server: Server, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TANDEM_STORE", str(store.path))
    add_server(store, "test", "fake", server.url)
    app = AppTest.from_file(ROOT / "app.py", default_timeout=60).run()
    app = app.switch_page("pages/judge.py").run()
    app = next(box for box in app.selectbox if box.label == "Data set").set_value("tiny").run()

    def choose(label: str, value: str) -> None:
        [box] = [box for box in app.selectbox if box.label == label]
        box.set_value(value).run()

    choose("Judge", "openai")
    choose("How it answers", "score")
    [model] = [field for field in app.text_input if field.label == "Model"]
    model.set_value("fake").run()
    [button] = [b for b in app.button if b.label == "Let the model write evaluation steps"]
    button.click().run()
    assert not app.exception
    [prompt] = [box for box in app.selectbox if box.label == "Prompt"]
    assert prompt.value == "g-eval-coherence"
    assert any("1. Read the (text) carefully." in area.value for area in app.text_area)
