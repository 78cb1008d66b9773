"""The prompt-based classifier, on models trained on the spot to prefer the text with good words."""

from __future__ import annotations

import json
import math
import shutil
import weakref
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path

import pytest

from core.judging.judges.local_judges import PromptClassifier
from core.judging.prompts import DEFAULT_LABELS, PROMPTS, fill
from core.judging.registry import make, remake
from core.models.local import halve_broken, loading
from core.models.respondent import Options
from core.records import Kind, Outcome, Prompt, Question, TandemError
from tests.models import tiny


def judge(folder: Path, **options) -> PromptClassifier:
    made = make(f"hf:{folder}", Options(**options))
    assert isinstance(made, PromptClassifier)
    return made


@cache
def loaded(folder: Path):
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

    encoder_decoder = AutoConfig.from_pretrained(folder).is_encoder_decoder
    kind = AutoModelForSeq2SeqLM if encoder_decoder else AutoModelForCausalLM
    model = kind.from_pretrained(folder, dtype=torch.float32).eval()
    return model, AutoTokenizer.from_pretrained(folder)


def plain(folder: Path, prompt: str, label: str) -> float:
    """log P(label | prompt) by transformers for one prompt: minus its loss times the tokens."""
    import torch

    model, tokenizer = loaded(folder)
    with torch.no_grad():
        if model.config.is_encoder_decoder:
            targets = tokenizer(label, add_special_tokens=False, return_tensors="pt").input_ids
            loss = model(encoder_outputs=encoded(folder, prompt), labels=targets).loss.item()
        else:
            tokens, start = tiny.continued(tokenizer, prompt, label)
            ids = torch.tensor([tokens])
            targets = torch.tensor([[-100] * start + tokens[start:]])
            loss = model(input_ids=ids, labels=targets).loss.item()
    return -loss * int((targets != -100).sum())


@lru_cache(maxsize=1)
def encoded(folder: Path, prompt: str):
    """A prompt as the encoder gives it to the decoder, once for all its labels."""
    model, tokenizer = loaded(folder)
    return model.get_encoder()(tokenizer(prompt, return_tensors="pt").input_ids)


def plain_probability(folder: Path, question: Question, labels: tuple[str, str]) -> float:
    prompt = fill(PROMPTS["comparative"], question, labels)
    a, b = (math.exp(plain(folder, prompt, label)) for label in labels)
    return a / (a + b)


QUESTIONS = [*tiny.pairs(seed=77, count=12), *map(tiny.swapped, tiny.pairs(seed=78, count=12))]


def test_probability_follows_the_content_in_both_orders(model: Path) -> None:
    good_first, asked = tiny.pairs(seed=99, count=100), judge(model)
    first = [answer.prob_a for answer in asked.answers(good_first)]
    second = [answer.prob_a for answer in asked.answers(list(map(tiny.swapped, good_first)))]
    assert sum(p > 0.5 for p in first) >= 95
    assert sum(p < 0.5 for p in second) >= 95


def test_probability_is_that_of_a_plain_computation(model: Path) -> None:
    for labels in [tiny.LABELS, tiny.ONE_TOKEN, tiny.SEVERAL_TOKENS]:
        answers = judge(model, labels=labels, batch_tokens=300).answers(QUESTIONS)
        expected = [plain_probability(model, question, labels) for question in QUESTIONS]
        assert [answer.prob_a for answer in answers] == pytest.approx(expected, abs=1e-4)
        prompt = fill(PROMPTS["comparative"], QUESTIONS[3], labels)
        raw = json.loads(answers[3].raw)
        assert (raw["logp_a"], raw["logp_b"]) == pytest.approx(
            [plain(model, prompt, label) for label in labels], abs=1e-3
        )


def test_batches_do_not_change_the_answer(model: Path) -> None:
    alone = [judged(model).answers([question])[0].prob_a for question in QUESTIONS]
    for batch_tokens in [1, 200, 5000]:
        answers = judge(model, batch_tokens=batch_tokens).answers(QUESTIONS)
        assert [answer.prob_a for answer in answers] == pytest.approx(alone, abs=1e-5)


@cache
def judged(folder: Path) -> PromptClassifier:
    return judge(folder)


def test_the_label_sets_are_what_they_are_called(model: Path) -> None:
    of = loading.load(str(model))
    assert [len(label) for label in of.tokens("Why?\n", tiny.ONE_TOKEN).labels] == [1, 1]
    first, second = of.tokens("Why?\n", tiny.LABELS).labels
    assert len(first) > 1
    assert first[:-1] == second[:-1]
    first, second = of.tokens("Why?\n", tiny.SEVERAL_TOKENS).labels
    assert len(first) > 2
    assert first[:-1] != second[:-1]


# What a question can bring with it.


def test_answers_keep_order_and_say_why_there_is_none(llama: Path) -> None:
    first, second, third = tiny.pairs(seed=5, count=3)
    missing, long = replace(second, text_a=None), replace(third, text_b="awful " * 600)
    asked = [first, missing, tiny.swapped(first), long, second]
    answers = judge(llama, batch_tokens=200).answers(asked)
    assert [answer.failure for answer in answers] == ["", "no-text", "", "too-long", ""]
    judged = [answer for answer in answers if not answer.failure]
    assert [answer.outcome for answer in judged] == [Outcome.A, Outcome.B, Outcome.A]
    assert all(answer.tokens > 20 for answer in judged)
    assert judge(llama).answers([]) == []
    [answer] = make("hf:/no/such/model").answers([missing])
    assert answer.failure == "no-text", "it needs no model"


def test_only_the_context_is_shortened_and_it_is_said(model: Path) -> None:
    question = replace(QUESTIONS[0], context=" ".join(str(number) for number in range(2000)))
    asked = judge(model, truncation=150)
    [answer] = asked.answers([question])
    cut = json.loads(answer.raw)["context_cut"]
    kept = replace(question, context=question.context[:-cut])
    assert question.context[-cut] == " ", "cut between words"
    assert answer.tokens <= 150 < answer.tokens + 12, "no more than needed"
    assert answer.prob_a == pytest.approx(plain_probability(model, kept, tiny.LABELS), abs=1e-4)
    assert "context_cut" not in json.loads(asked.answers([QUESTIONS[0]])[0].raw)
    assert asked.spec.name.endswith("|classifier|truncation:150")
    empty = replace(QUESTIONS[0], text_a="", text_b="")  # which are a comparison
    p = plain_probability(model, empty, tiny.LABELS)
    assert judged(model).answers([empty])[0].prob_a == pytest.approx(p, abs=1e-4)


def test_the_model_s_own_limit(llama: Path) -> None:
    question = replace(QUESTIONS[0], context="river " * 2000)
    assert 500 < judged(llama).answers([question])[0].tokens < 512
    asked = judge(llama, prompt=PROMPTS["no-context"], truncation=30)
    assert asked.answers([QUESTIONS[0]])[0].failure == "too-long", "it has no context to shorten"
    # One without spaces, in a script the tokenizer writes as bytes, three tokens a character.
    [answer] = judge(llama, truncation=200).answers([replace(QUESTIONS[0], context="河" * 3000)])
    assert json.loads(answer.raw)["context_cut"] % 20 == 0
    assert 135 < answer.tokens <= 200


def test_neither_label_has_a_probability_or_one_that_is_very_small(
    llama: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = judge(llama)
    for scores, p in [
        ((-math.inf, -math.inf), None),
        ((math.nan, -1.0), None),
        ((-2000.0, -2000.0 - math.log(3)), 0.75),
    ]:
        found = [scores]
        monkeypatch.setattr(asked._model, "log_probabilities", lambda batch, most, now=found: now)
        [answer] = asked.answers([QUESTIONS[0]])
        assert answer.prob_a == (p if p is None else pytest.approx(p))
        assert answer.failure == ("no-label" if p is None else "")
        assert set(json.loads(answer.raw)) == {"logp_a", "logp_b"}


def test_a_batch_that_breaks_is_halved(llama: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, reason = judge(llama, batch_tokens=800), "out of memory"
    whole, bad = asked._model.log_probabilities, asked._fill(QUESTIONS[2]).tokens

    def little_memory(batch, most):
        if len(batch) > 2 or bad in batch:
            raise RuntimeError(f"{reason}\nlong trace")
        return whole(batch, most)

    expected = [answer.outcome for answer in judged(llama).answers(QUESTIONS)]
    monkeypatch.setattr(asked._model, "log_probabilities", little_memory)
    answers = asked.answers(QUESTIONS)
    assert answers[2].failure == f"error: RuntimeError: {reason}"
    expected[2] = None
    assert [answer.outcome for answer in answers] == expected


def test_what_a_failed_batch_held_is_free_before_the_next_try() -> None:
    """Of a GPU's memory nothing may be left to a batch that was too much for it."""
    held: list[weakref.ref] = []

    class Tensors:
        pass

    def answer(batch):
        assert all(reference() is None for reference in held)
        tensors = Tensors()
        held.append(weakref.ref(tensors))
        if len(batch) > 1:
            raise RuntimeError("out of memory")
        return [None]

    assert halve_broken([1, 2, 3, 4], answer, str) == [None] * 4
    assert len(held) == 7


# Names, loading, refusals.


def test_the_name_holds_what_can_change_an_answer(t5: Path, tmp_path: Path) -> None:
    spec = judge(t5).spec
    assert spec.kind is Kind.LLM
    assert spec.name.startswith("hf:tiny-t5-")
    assert spec.name.endswith("|comparative@1|classifier")
    assert (spec.spec, spec.labels, spec.mode) == (f"hf:{t5}", DEFAULT_LABELS, "classifier")
    edited = Prompt("comparative", 2, PROMPTS["comparative"].template + " ")
    told = (
        {"prompt": edited},
        {"prompt": PROMPTS["no-context"]},
        {"labels": ("A", "B")},
        {"truncation": 99},
    )
    names = [spec.name, *(judge(t5, **options).spec.name for options in told)]
    other = shutil.copytree(t5, tmp_path / "tiny-t5")
    assert judge(other).spec.name == spec.name, "the same model elsewhere is the same judge"
    weights = other / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-200] + bytes(200))
    names.append(judge(other).spec.name)
    assert len(set(names)) == 6
    assert judge(t5, batch_tokens=1).spec == spec
    assert remake(spec).spec == spec
    gone = r"tiny-t5' .*no longer .*'hf:tiny-t5-\w+\|.*'hf:tiny-t5-\w+\|.*new run"
    with pytest.raises(TandemError, match=gone):
        remake(replace(spec, spec=f"hf:{other}"))
    small = "hf:google/flan-t5-small"
    assert make(small).spec.name == f"{small}|comparative@1|classifier"


def test_a_model_that_is_not_there() -> None:
    for name in ["no/such-model", "/no/such/folder", "x"]:
        with pytest.raises(TandemError, match=rf"'hf:{name}': .*folder .*\bhub\b") as caught:
            make(f"hf:{name}").load()
        assert "\n" not in str(caught.value)


def test_folders_that_are_no_usable_model(t5: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file
    from transformers import BertConfig, BertModel

    (tmp_path / "empty").mkdir()
    config = BertConfig(
        hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        vocab_size=30,
    )  # fmt: skip
    BertModel(config).save_pretrained(tmp_path / "bert")
    holed = shutil.copytree(t5, tmp_path / "holed")
    weights = load_file(holed / "model.safetensors")
    weights.pop("decoder.block.1.layer.0.SelfAttention.q.weight")
    save_file(weights, holed / "model.safetensors", metadata={"format": "pt"})
    for name, says in (
        ("empty", "cannot load"),
        ("bert", r"bert' .*\bBertModel\b.*generative"),
        ("holed", r"holed': .*missing \(decoder\.block\.1\.layer\.0\.SelfAttention\.q\.weight"),
    ):
        with pytest.raises(TandemError, match=says):
            judge(tmp_path / name).answers(QUESTIONS[:1])


def test_labels_that_begin_alike_are_refused(model: Path) -> None:
    with pytest.raises(TandemError, match="begin alike"):
        judge(model, labels=("Summary", "Summary B")).answers(QUESTIONS[:1])
    with pytest.raises(TandemError, match=r"'A' and 'A'.*\btwo\b"):
        judge(model, labels=("A", "A")).answers(QUESTIONS[:1])


def test_label_after_a_seam_that_merges(llama: Path) -> None:
    """Where the prompt ends in white space the label joins it; nothing is scored twice or left out."""
    read = loading.load(str(llama)).tokens("Answer: ", tiny.LABELS)
    _, tokenizer = loaded(llama)
    for label, ids in zip(tiny.LABELS, read.labels, strict=True):
        assert list(read.prompt + ids) == tokenizer("Answer: " + label).input_ids


def test_a_system_prompt_comes_before_the_prompt(model: Path, chat_llama: Path) -> None:
    """With roles where there is a chat template, else as words before it; it is another judge."""

    def chances(judge):
        return [answer.prob_a for answer in judge.answers(asked)]

    asked = [replace(one, candidate_noun="summary") for one in QUESTIONS[:4]]
    told = judge(model, system_prompt="You compare {candidate_noun} texts.")
    words = f"You compare summary texts.\n\n{PROMPTS['comparative'].template}"
    same = judge(model, prompt=replace(PROMPTS["comparative"], name="own", template=words))
    if model != chat_llama:
        assert chances(told) == pytest.approx(chances(same), abs=1e-5)
    assert chances(told) != chances(judge(model))
    assert "|system:" in told.spec.name
    assert remake(told.spec).spec == told.spec


def test_a_system_prompt_with_control_tokens_is_a_failure(chat_llama: Path) -> None:
    asked = judge(chat_llama, system_prompt=f"x {loaded(chat_llama)[1].eos_token}")
    assert "control tokens" in asked.answers(QUESTIONS[:1])[0].failure
