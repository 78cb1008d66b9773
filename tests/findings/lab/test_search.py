"""A search for a better prompt: its plan, what it asks and keeps, and simulations with known truth."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

from core.findings.judgements import Selection
from core.findings.lab import SearchSettings, list_openings, plan_rounds, search_prompts
from core.judging import Judge, paraphrase_prompt
from core.models import KEY, Options
from core.records import Answer, JudgeSpec, Kind, Outcome, Prompt, Question, TandemError
from core.runs import execution
from core.seeds import draw
from core.store import Store
from tests.cli.asked import called
from tests.findings.people.voting import say_all
from tests.server import Server
from tests.study import DATASET, fill

AB = ("alpha", "beta")
RIGHT = {"poor": 0.5, "fair": 0.7, "good": 0.95, "bad": 0.2}
"""How often each prompt prefers the text that people prefer, in both orders."""


class Prompted(Judge):
    """A model that is right as often as its prompt says; people always prefer the first system."""

    def __init__(self, prompt: Prompt) -> None:
        name = f"model|{prompt.name}@1"
        self.spec = JudgeSpec(name, Kind.LLM, "fake:model", prompt, "classifier")
        self.asked = list[Question]()

    def load(self) -> None:
        pass

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        assert self.spec.prompt
        self.asked += questions
        return [self._answer(question, self.spec.prompt.name) for question in questions]

    def _answer(self, question: Question, prompt: str) -> Answer:
        is_right = draw(prompt, question.item) % 1000 < 1000 * RIGHT[prompt]
        is_alpha_first = (question.text_a or "").startswith("alpha")
        return Answer(Outcome.A if is_right == is_alpha_first else Outcome.B, tokens=1)


def answer(store: Store, runs: Sequence[int], judges: Iterable[Judge]) -> None:
    for run, judge in zip(runs, judges, strict=True):
        execution.execute(store, run, by=judge)


search = partial(search_prompts, answer=answer, who="me")


def prompts(*names: str) -> list[Prompt]:
    return [Prompt(name, 1, f"{name}: {{a}} or {{b}}?\n\nAnswer.") for name in names]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store.sqlite3") as store:
        fill(store, items=120, systems=AB)
        say_all(store, "Ada", range(120), AB, "a")
        yield store


@pytest.mark.parametrize(("number", "budget"), [(2, 40), (5, 100), (8, 400), (16, 1000)])
def test_a_plan_keeps_to_its_budget_and_ends_with_one(number: int, budget: int) -> None:
    rounds = plan_rounds(number, budget, 1000)
    before, spent = 0, 0
    for each in rounds:
        spent += 2 * each.asked * (each.items - before)
        before = each.items
    assert spent <= budget
    assert [each.asked for each in rounds[1:]] == [each.kept for each in rounds[:-1]]
    assert (rounds[0].asked, rounds[-1].kept) == (number, 1)


def test_what_cannot_be_searched_is_refused(store: Store) -> None:
    """2 orders, 8 prompts, 3 rounds: 48. And one prompt is no search."""
    with pytest.raises(TandemError):
        plan_rounds(8, 47, 100)
    assert plan_rounds(8, 48, 100)[0].items == 1
    with pytest.raises(TandemError):
        search(store, Selection(DATASET), prompts("good"), Prompted)


def test_the_best_prompt_is_found_and_told_on_items_nobody_looked_at(store: Store) -> None:
    made = dict[str, Prompted]()

    def make(prompt: Prompt) -> Prompted:
        return made.setdefault(prompt.name, Prompted(prompt))

    settings = SearchSettings(budget=160)
    every = prompts("poor", "fair", "good", "bad")
    found = search(store, Selection(DATASET), every, make, settings)
    rows = found.rows.set_index("prompt")
    assert rows.index[rows["is_winner"]].tolist() == ["good@1"]
    assert found.facts["by"] == "accuracy"
    assert found.facts["winner"] == "model|good@1"
    tested = {name: {one.item for one in judge.asked} for name, judge in made.items()}
    on_test = tested["good"] - tested["bad"] - tested["fair"]
    assert len(on_test) >= rows.loc["good@1", "test_items"]
    assert rows["test"].notna().tolist() == [name in ("good@1", "poor@1") for name in rows.index]
    test = [item for item in tested["poor"] & tested["good"] if item not in tested["fair"]]
    right = np.mean([draw("good", item) % 1000 < 950 for item in test])
    assert rows.loc["good@1", "test"] == pytest.approx(right, abs=0.02)
    [lead] = found.tables["differences"].to_dict("records")
    assert (lead["judge_1"], lead["low"] > 0) == ("model|good@1", True)
    assert [one["who"] for one in list_openings(store, DATASET)] == ["me"]
    before = {name: len(judge.asked) for name, judge in made.items()}
    again = search(store, Selection(DATASET), every, make, settings)
    assert before == {name: len(judge.asked) for name, judge in made.items()}
    assert again.rows.equals(found.rows)
    assert again.facts["openings"] == found.facts["openings"] + 1


def test_without_votes_the_fairest_wins(study_store: Store) -> None:
    fill(study_store, items=60, systems=AB)
    asked = prompts("poor", "good"), Prompted, SearchSettings(80)
    found = search(study_store, Selection(DATASET), *asked)
    assert found.facts["by"] == "fairness"
    assert found.rows["score"].tolist() == [1, 1]  # each keeps its verdict in both orders


def simulate(rng: np.random.Generator, number: int, items: int, part: float) -> float:
    """How far the prompt that a search keeps is behind the best one. Items are as hard for all."""
    truth = np.clip(rng.normal(0.72, 0.05, number), 0.5, 0.95)
    hard, own = rng.normal(size=items), rng.normal(size=(number, items))
    right = np.sqrt(0.6) * hard + np.sqrt(0.4) * own < norm.ppf(truth)[:, None]
    left = np.arange(number)
    for each in plan_rounds(number, int(part * number * items * 2), items):
        scores = right[left, : each.items].mean(axis=1)
        left = left[np.argsort(-scores, kind="stable")[: each.kept]]
    return float(truth.max() - truth[left[0]])


def test_a_tenth_of_the_cost_comes_within_two_points_of_the_best() -> None:
    rng = np.random.default_rng(1)
    assert np.mean([simulate(rng, 16, 400, 0.1) for _ in range(400)]) <= 0.02


def test_prompts_of_the_real_small_model_are_searched(
    smollm2: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "store.sqlite3"
    with Store(path) as store:
        fill(store, items=24, systems=AB)
        say_all(store, "Ada", range(24), AB, lambda i: "ab"[i % 2])
    own = tmp_path / "mine.txt"
    own.write_text("{a}\n\n{b}\n\nIs {label_a} or {label_b} better? Answer:", encoding="utf-8")
    words = ("lab search", "--judge", smollm2, "--prompts", "comparative-short", str(own))
    status, said, errors = called(capsys, path, *words, "--budget", "24", "--json")
    assert status == 0, errors
    document = json.loads(said)
    asked = {row["prompt"] for row in document["rows"]}
    assert asked == {"comparative@1", "comparative-short@1", "mine@1"}
    assert sum(row["is_winner"] for row in document["rows"]) == 1
    assert document["comparisons"] <= 24


# ---- Paraphrases of a prompt: what a model writes is taken where it keeps the placeholders


SAID = (
    "Say which is better, {label_a} or {label_b}. {question}",
    "Which one is better?",  # without its placeholders
    "{question} Reply with {label_a} or {label_b}.",
    "Say which is better, {label_a} or {label_b}. {question}",
    " ",
)


@pytest.fixture
def study_store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store.sqlite3")


def test_instructions_that_keep_their_placeholders_are_taken(
    study_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, "sk-test")
    number = count()

    def reply(prompt: str) -> str:
        """What servers are asked to see how they sample is about something else."""
        return SAID[next(number) % len(SAID)] if "New instruction" in prompt else "Hello."

    with Server(reply=reply) as server:
        options = Options(base_url=server.url)
        texts = "{context}\n\n{label_a}: {a}\n\n{label_b}: {b}\n\n"
        asks = "{question} Answer {label_a} or {label_b}."
        prompt = Prompt("mine", 1, texts + asks, "label-first")
        found, left_out = paraphrase_prompt(study_store, prompt, len(SAID), "openai:fake", options)
    assert [*left_out.values()] == [1, 1, 1]
    assert [(one.name, one.version) for one in found] == [("mine-paraphrase", n) for n in (1, 2)]
    assert all(one.template.startswith("{context}\n\n{label_a}: {a}") for one in found)
    stored = {one.template.split("\n\n")[-1] for one in study_store.judges.prompts()}
    assert stored >= {SAID[0], SAID[2]}


def test_a_prompt_without_an_instruction_is_refused(study_store: Store) -> None:
    prompt = Prompt("one", 1, "Compare {a} with {b} for {context}.", "label-first")
    with pytest.raises(TandemError):
        paraphrase_prompt(study_store, prompt, 3, "openai:fake", Options())
