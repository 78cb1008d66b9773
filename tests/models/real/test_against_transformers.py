"""The small model judges, marks and writes as plain transformers does with the same weights."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

import pytest
import torch

from core.judging import make, prompts, registry
from core.models import Options
from core.models.local import small_model
from core.models.options import fill_context
from core.records import Candidate, Question, Scale, Slot
from tests.judging.judges.test_local_classifier import loaded
from tests.real_weights import sample_questions

Scores = Callable[[str, str], tuple[Any, list[int]]]
LogProbability = Callable[[str, str], float]


def tokenizer() -> Any:
    return loaded(small_model.model_folder())[1]


def filled(one: Candidate, mode: str, judge: Any) -> str:
    """What the judge reads of a candidate, by the first built-in prompt of its kind."""
    built_in = prompts.GPTSCORE_PROMPTS if mode == "gptscore" else prompts.SCORING_PROMPTS
    return prompts.fill_scoring(next(iter(built_in.values())), one, mode, judge.spec.scale)


def chat(prompt: str) -> str:
    said = [{"role": "user", "content": prompt}]
    return tokenizer().apply_chat_template(said, tokenize=False, add_generation_prompt=True)


@pytest.fixture
def scores(smollm2: str) -> Scores:
    """log P of whatever could be in the place of each token of the words, by one forward pass."""

    def of(prompt: str, words: str) -> tuple[Any, list[int]]:
        before = chat(prompt)
        read, ids = (
            tokenizer()(text, add_special_tokens=False)["input_ids"]
            for text in (before, before + words)
        )
        assert ids[: len(read)] == read
        with torch.inference_mode():
            logits = loaded(small_model.model_folder())[0](torch.tensor([ids])).logits[0]
        return logits.log_softmax(-1)[len(read) - 1 : len(ids) - 1], ids[len(read) :]

    return of


@pytest.fixture
def log_probability(scores: Scores) -> LogProbability:
    """log P(words | prompt)."""

    def of(prompt: str, words: str) -> float:
        found, ids = scores(prompt, words)
        return float(found[range(len(ids)), ids].sum())

    return of


@pytest.fixture
def write(smollm2: str) -> Callable[[str, int], tuple[str, int]]:
    """What `generate` of transformers writes greedily, and of how many tokens that is."""

    def of(prompt: str, most: int) -> tuple[str, int]:
        ids = tokenizer()(chat(prompt), add_special_tokens=False, return_tensors="pt")
        model, _ = loaded(small_model.model_folder())
        with torch.inference_mode():
            [whole] = model.generate(**ids, max_new_tokens=most, do_sample=False)
        new = whole[ids["input_ids"].shape[1] :]
        return tokenizer().decode(new, skip_special_tokens=True).strip(), len(new)

    return of


def candidate(question: Question) -> Candidate:
    nouns = question.context_noun, question.candidate_noun
    return Candidate(1, question.context, question.text_a, question.attribute, (), *nouns)


def test_p_is_the_softmax_over_the_labels(smollm2: str, log_probability: LogProbability) -> None:
    judge, questions = make(smollm2), sample_questions(2)[1:3]
    expected = []
    for question in questions:
        prompt = prompts.fill(prompts.PROMPTS["comparative"], question, judge.spec.labels)
        labels = prompts.fill_labels(judge.spec.labels, question)
        a, b = (log_probability(prompt, label) for label in labels)
        expected.append(1 / (1 + math.exp(b - a)))
    found = [answer.prob_a for answer in judge.answers(questions)]
    assert found == pytest.approx(expected, abs=1e-5)


def test_g_eval_expects_ten_by_its_own_two_tokens(smollm2: str, scores: Scores) -> None:
    """source: the sum of s P(s) over that of P(s) (Liu et al. 2023), where the P of "1" leaves out
    what goes on to "10".
    """
    digits = [
        tokenizer()(str(mark), add_special_tokens=False)["input_ids"] for mark in range(1, 10)
    ]
    judge = make(smollm2, Options(mode="g-eval", scale=Scale(1, 10)))
    marked = [candidate(question) for question in sample_questions(2)[::2]]
    expected = []
    for one in marked:
        found, (first, second) = scores(filled(one, "g-eval", judge), "10")
        p = {mark: float(found[0, token].exp()) for mark, [token] in enumerate(digits, start=1)}
        p[10] = float((found[0, first] + found[1, second]).exp())
        p[1] -= p[10]
        expected.append(sum(mark * weight for mark, weight in p.items()) / sum(p.values()))
    assert [mark.value for mark in judge.answers(marked)] == pytest.approx(expected, abs=1e-4)


def test_gptscore_is_the_mean_over_the_texts_tokens(
    smollm2: str, log_probability: LogProbability
) -> None:
    judge = make(smollm2, Options(mode="gptscore"))
    marked = [candidate(question) for question in sample_questions(1)]
    expected = []
    for one in marked:
        n = len(tokenizer()(one.text, add_special_tokens=False)["input_ids"])
        expected.append(log_probability(filled(one, "gptscore", judge), one.text or "") / n)
    assert [mark.value for mark in judge.answers(marked)] == pytest.approx(expected, abs=1e-4)


def test_a_stated_mark_is_in_what_it_writes(
    smollm2: str, write: Callable[[str, int], tuple[str, int]]
) -> None:
    """source: by hand: its replies begin with the mark, "1. The summary is not coherent"."""
    judge, asked = make(smollm2, Options(mode="score")), candidate(sample_questions(1)[0])
    [mark] = judge.answers([asked])
    text, _ = write(filled(asked, "score", judge), 32)
    assert json.loads(mark.raw)["text"].startswith(text[:8])
    stated = re.match(r"(\d+)\b", text)
    assert bool(mark.failure) != (mark.value is not None)
    if stated and not mark.failure:
        assert mark.value == int(stated[1])


def test_each_reply_is_that_of_transformers_and_read_or_counted(
    smollm2: str, write: Callable[[str, int], tuple[str, int]]
) -> None:
    judge, question = make(smollm2, Options(mode="generate")), sample_questions(1)[0]
    [answer] = judge.answers([question])
    [text] = json.loads(answer.raw)["texts"]
    prompt = prompts.fill(prompts.PROMPTS["comparative"], question, judge.spec.labels)
    assert text[:40] == write(prompt, 24)[0][:40]
    assert (answer.outcome is None) == bool(answer.failure)


def test_sampled_votes_come_again_with_their_seed(smollm2: str) -> None:
    [question, _] = sample_questions(1)
    judge = make(smollm2, Options(mode="sample", votes=3))
    [answer] = judge.answers([question])
    [again] = make(smollm2, Options(mode="sample", votes=3)).answers([question])
    texts = json.loads(answer.raw)["texts"]
    assert texts == json.loads(again.raw)["texts"]
    assert len(set(texts)) == 3
    assert (answer.outcome is None) == bool(answer.failure)
    if answer.prob_a is not None:
        assert answer.votes is not None
        assert (answer.prob_a * answer.votes * 2).is_integer()


@pytest.mark.parametrize("most", [6, 60])
def test_a_text_is_that_of_transformers_or_cut_off(
    smollm2: str, write: Callable[[str, int], tuple[str, int]], most: int
) -> None:
    instruction = "Say in one short sentence what happened: {context}"
    context = "The bridge is closed."
    text, count = write(fill_context(instruction, context), most)
    writer = registry.make_writer(smollm2, Options(instruction=instruction, max_tokens=most))
    [draft] = writer.answers([Slot(1, "i", 0, context)])
    assert draft.completion_tokens == count
    if count < most:
        assert (draft.text, draft.failure) == (text, "")
    else:
        assert (draft.text, draft.failure) == (None, "cut-off")
        assert json.loads(draft.raw)["text"] == text
