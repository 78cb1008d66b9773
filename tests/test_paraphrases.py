"""Paraphrases of a prompt: what a model writes is taken where it keeps the placeholders."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from core.models import Options
from core.models.permit import KEY
from core.paraphrases import paraphrase_prompt
from core.records import Prompt, TandemError
from core.store import Store
from tests.server import Server

SAID = (
    "Say which is better, {label_a} or {label_b}. {question}",
    "Which one is better?",  # without its placeholders
    "{question} Reply with {label_a} or {label_b}.",
    "Say which is better, {label_a} or {label_b}. {question}",
    " ",
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store.sqlite3")


def test_instructions_that_keep_their_placeholders_are_taken(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, "sk-test")
    number = count()

    def reply(prompt: str) -> str:
        """What servers are asked to see how they sample is about something else."""
        return SAID[next(number) % len(SAID)] if "New instruction" in prompt else "Hello."

    with Server(reply=reply) as server:
        options = Options(base_url=server.url)
        prompt = Prompt(
            "mine", 1,
            "{context}\n\n{label_a}: {a}\n\n{label_b}: {b}\n\n{question} Answer {label_a} or {label_b}.", "label-first",
        )  # fmt: skip
        found = paraphrase_prompt(store, prompt, len(SAID), "openai:fake", options)
    assert (len(found.prompts), found.lost, found.alike, found.failed) == (2, 1, 1, 1)
    assert {one.name for one in found.prompts} == {"mine-paraphrase"}
    assert [one.version for one in found.prompts] == [1, 2]
    assert all(one.template.startswith("{context}\n\n{label_a}: {a}") for one in found.prompts)
    stored = {one.template.split("\n\n")[-1] for one in store.judges.prompts()}
    assert stored >= {SAID[0], SAID[2]}


def test_a_prompt_without_an_instruction_is_refused(store: Store) -> None:
    prompt = Prompt("one", 1, "Compare {a} with {b} for {context}.", "label-first")
    with pytest.raises(TandemError):
        paraphrase_prompt(store, prompt, 3, "openai:fake", Options())
