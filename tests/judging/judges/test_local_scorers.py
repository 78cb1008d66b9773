"""Marks by local models: against plain, unbatched transformers, on tiny models made on the spot."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from core.judging.judge import Scorer
from core.judging.judges.local_scorers import (
    ExpectedMark,
    FilledQuestion,
    StatedMark,
    _subtract_longer_paths,
)
from core.judging.prompts import GPTSCORE_PROMPTS, SCORING_PROMPTS, fill_scoring
from core.judging.registry import make, remake
from core.models.local.encoder_decoder import EncoderDecoder
from core.models.local.tokens import Tokens, WrittenText
from core.models.respondent import Options
from core.records import Candidate, JudgeSpec, Kind, Prompt, Scale, TandemError
from core.store import Store
from tests.judging.judges.test_local_classifier import loaded
from tests.models import tiny


def candidates(seed: int, count: int) -> list[Candidate]:
    """Of mixed length, every other one with the good text."""
    nouns = ((), "article", "summary")
    return [
        Candidate(n, pair.context, pair.text_b if n % 2 else pair.text_a, tiny.ATTRIBUTE, *nouns)
        for n, pair in enumerate(tiny.pairs(seed, count))
    ]


def values(judge: Scorer, asked: list[Candidate]) -> list[float | None]:
    return [mark.value for mark in judge.answers(asked)]


def plain(folder: Path, prompt: str, answer: str) -> list[float]:
    """log P of each token of an answer, one forward pass of transformers for it alone."""
    model, tokenizer = loaded(folder)
    with torch.no_grad():
        if model.config.is_encoder_decoder:
            target = tokenizer(answer, add_special_tokens=False).input_ids
            ids = tokenizer(prompt, return_tensors="pt").input_ids
            logits = model(input_ids=ids, labels=torch.tensor([target])).logits[0]
        else:
            tokens, start = tiny.continued(tokenizer, prompt, answer)
            target = tokens[start:]
            logits = model(input_ids=torch.tensor([tokens])).logits[0, start - 1 : -1]
    rows = logits.log_softmax(-1)
    return [float(row[token]) for row, token in zip(rows, target, strict=True)]


CANDIDATES = candidates(seed=7, count=20)


def test_g_eval_is_the_expected_mark_of_a_plain_computation(model: Path) -> None:
    """To these tokenizers "10" is "1" and "0": P(1) is that of "1" followed by anything else."""
    marks = make(f"hf:{model}", Options(mode="g-eval")).answers(CANDIDATES)
    for candidate, mark in zip(CANDIDATES, marks, strict=True):
        prompt = fill_scoring(SCORING_PROMPTS["scoring"], candidate, "g-eval")
        p = [math.exp(sum(plain(model, prompt, str(s)))) for s in range(1, 11)]
        assert len(plain(model, prompt, "10")) == 1 + len(plain(model, prompt, "1"))
        p[0] -= p[9]
        assert mark.value == pytest.approx(np.average(range(1, 11), weights=p), abs=1e-4)  # type: ignore[attr-defined]
        raw = json.loads(mark.raw)["p"]
        assert [raw[str(s)] for s in range(1, 11)] == pytest.approx(p, rel=1e-3)
        assert mark.tokens > 0


def test_gptscore_is_the_mean_of_a_plain_computation(model: Path) -> None:
    marks = make(f"hf:{model}", Options(mode="gptscore")).answers(CANDIDATES)
    for candidate, mark in zip(CANDIDATES, marks, strict=True):
        prompt = fill_scoring(GPTSCORE_PROMPTS["gptscore"], candidate, "gptscore")
        each = plain(model, prompt, candidate.text)
        assert mark.value == pytest.approx(np.mean(each), abs=1e-4)  # type: ignore[attr-defined]
        assert json.loads(mark.raw)["tokens"] == len(each)


def test_batches_do_not_change_a_mark(model: Path) -> None:
    for mode in ["g-eval", "gptscore"]:
        scorer = make(f"hf:{model}", Options(mode=mode))
        few = make(f"hf:{model}", Options(mode=mode, batch_tokens=200))
        together = values(make(f"hf:{model}", Options(mode=mode)), CANDIDATES)
        assert together == pytest.approx(values(few, CANDIDATES), abs=1e-5)
        alone = [value for candidate in CANDIDATES for value in values(scorer, [candidate])]
        assert together == pytest.approx(alone, abs=1e-5)


def written(folder: Path, prompt: str) -> str:
    """What transformers itself writes."""
    model, tokenizer = loaded(folder)
    if model.config.is_encoder_decoder:
        ids, start = tokenizer(prompt, return_tensors="pt").input_ids, 1
    else:
        tokens, start = tiny.continued(tokenizer, prompt, "")
        ids = torch.tensor([tokens])
    out = model.generate(input_ids=ids, max_new_tokens=32, do_sample=False, pad_token_id=0)
    return tokenizer.decode(out[0, start:], skip_special_tokens=True).strip()


def test_score_reads_what_the_model_writes(model: Path) -> None:
    """These models write labels and no marks, some without end: none is read, and all are kept."""
    if model.name == "tiny-llama":
        pytest.skip("without a chat template, where words are glued is the judge's business")
    marks = make(f"hf:{model}", Options(mode="score")).answers(CANDIDATES[:6])
    for candidate, mark in zip(CANDIDATES, marks, strict=False):
        text = written(model, fill_scoring(SCORING_PROMPTS["scoring"], candidate, "score"))
        assert json.loads(mark.raw)["text"] == text
        is_cut = mark.completion_tokens == 32
        failure = "cut-off" if is_cut else "unparsed" if text else "empty"
        assert (mark.value, mark.failure) == (None, failure)  # type: ignore[attr-defined]
        assert 0 < mark.completion_tokens <= 32 < mark.tokens


def test_a_reply_becomes_a_mark() -> None:
    for text, value, failure in [
        ("8", 8.0, ""),
        ("Score: 7/10.", 7.0, ""),
        ("11", None, "unparsed"),
        ("Good.", None, "unparsed"),
        ("", None, "empty"),
    ]:
        scorer = StatedMark("/no/such/model", Options(mode="score"))
        mark = scorer._mark(FilledQuestion(Tokens((1, 2, 3)), 3, cut=7), WrittenText(text, 4))
        assert (mark.value, mark.failure) == (value, failure)
        assert (mark.tokens, mark.completion_tokens) == (7, 4)
        raw = json.loads(mark.raw)
        assert (raw["text"], raw["context_cut"]) == (text, 7)
        assert ("read" in raw) == (value is not None)


def test_too_long_a_context_is_cut_at_its_end_and_told(model: Path) -> None:
    for mode in ["g-eval", "gptscore"]:
        long = [replace(one, context="the city council " * 300) for one in CANDIDATES[:3]]
        scorer = make(f"hf:{model}", Options(mode=mode, truncation=120))
        marks = scorer.answers([*long, replace(long[0], text="council " * 900)])
        for candidate, mark in zip(long, marks, strict=False):
            cut = json.loads(mark.raw)["context_cut"]
            shorter = replace(candidate, context=candidate.context[:-cut])
            [same] = scorer.answers([shorter])
            assert same.value == pytest.approx(mark.value, abs=1e-5)  # type: ignore[attr-defined]
            assert "context_cut" not in json.loads(same.raw)
        assert (marks[-1].value, marks[-1].failure) == (None, "too-long")


def test_a_text_that_is_missing_or_blank(llama: Path) -> None:
    missing, blank = (replace(CANDIDATES[0], text=text) for text in (None, " \n"))
    for mode, why in (("gptscore", "blank"), ("g-eval", "")):
        marks = make(f"hf:{llama}", Options(mode=mode)).answers([missing, blank])
        assert [mark.failure for mark in marks] == ["no-text", why]
    assert 1 <= marks[1].value <= 10


def test_g_eval_on_another_scale(model: Path) -> None:
    """From 0 to 12 "1" begins "10", "11" and "12", each of two tokens."""
    scale = Scale(0, 12)
    scorer = make(f"hf:{model}", Options(mode="g-eval", scale=(0, 12)))
    assert scorer.spec.name.endswith("|g-eval|scale:0-12")
    for candidate, mark in zip(CANDIDATES[:6], scorer.answers(CANDIDATES[:6]), strict=True):
        prompt = fill_scoring(SCORING_PROMPTS["scoring"], candidate, "g-eval", scale)
        assert "from 0 (worst) to 12 (best)" in prompt
        p = [math.exp(sum(plain(model, prompt, str(s)))) for s in range(13)]
        p[1] -= p[10] + p[11] + p[12]
        assert mark.value == pytest.approx(np.average(range(13), weights=p), abs=1e-4)  # type: ignore[attr-defined]


def test_a_mark_that_begins_another_counts_without_it() -> None:
    """By hand: of .5 that begins with "1", .3 goes on to "10", and .1 of that to "100". And P("1") =
    .4 of which "10" takes .3; P("2") = .1, the rest nothing: (1 * .1 + 2 * .1 + 10 * .3) / .5 = 6.6.
    """
    begins, branches = [0.5, 0.3, 0.1, 0.2], [(1,), (1, 0), (1, 0, 0), (2,)]
    assert _subtract_longer_paths(begins, branches) == pytest.approx([0.2, 0.2, 0.1, 0.2])
    scores = (math.log(0.4), math.log(0.1), *[-1000.0] * 7, math.log(0.3))
    paths = ((5,), *((10 + mark,) for mark in range(2, 10)), (5, 9))
    scorer = ExpectedMark.__new__(ExpectedMark)
    scorer.spec = JudgeSpec("m", Kind.LLM)
    mark = scorer._mark(FilledQuestion(Tokens((1,), paths), 1), scores)
    assert mark.value == pytest.approx(6.6)
    never = dict.fromkeys(map(str, range(3, 10)), 0.0)
    assert json.loads(mark.raw)["p"] == pytest.approx({"1": 0.1, "2": 0.1, **never, "10": 0.3})


def test_a_judge_of_another_scale_is_made_again_from_what_is_stored(
    llama: Path, store: Store
) -> None:
    for mode in ["score", "g-eval"]:
        spec = make(f"hf:{llama}", Options(mode=mode, scale=(1, 5))).spec
        store.judges.add([spec])
        assert remake(store.judges.spec(spec.name)).spec == store.judges.spec(spec.name) == spec
        assert spec.scale.marks == (1, 2, 3, 4, 5)


def test_a_tokenizer_without_digits_cannot_mark(t5: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = EncoderDecoder.tokens

    def without_digits(self, prompt, labels=(), system=""):
        return tokens(self, prompt, ["?" if label.isdecimal() else label for label in labels])

    monkeypatch.setattr(EncoderDecoder, "tokens", without_digits)
    with pytest.raises(TandemError, match=r"tiny-t5' .*\b1 to 10 apart"):
        make(f"hf:{t5}", Options(mode="g-eval")).answers(CANDIDATES[:1])


def test_the_name_has_what_can_change_a_mark(llama: Path) -> None:
    prompt = Prompt("mine", 2, "Rate it: {text}")
    spec = make(f"hf:{llama}", Options(mode="g-eval", prompt=prompt, truncation=99)).spec
    assert spec.name.endswith("|mine@2|g-eval|truncation:99")
    assert remake(spec, {"batch_tokens": 512, "price_in": 1.0}).spec == spec
    modes = ("score", "g-eval", "gptscore")
    assert len({make(f"hf:{llama}", Options(mode=mode)).spec.name for mode in modes}) == 3
    now = r"'hf:tiny-llama-\w+\|mine@2\|g-eval\|truncation:99'"
    with pytest.raises(TandemError, match=rf"no longer .*'another' .*{now}.*new run"):
        remake(replace(spec, name="another"))


def test_what_does_not_suit_is_refused() -> None:
    for mode, template, says in [
        ("g-eval", "Rate it.", r"lacks \{text\}"),
        ("g-eval", "{text} {label_a}", r"unknown placeholder \{label_a\}"),
        ("gptscore", "Write: {text}", r"leave \{text\} out"),
    ]:
        with pytest.raises(TandemError, match=says):
            make("hf:any", Options(mode=mode, prompt=Prompt("mine", 1, template)))
    for scale in [(5, 1), (3, 3), (0, 101), (-1, 5)]:
        with pytest.raises(TandemError, match=rf"^scale {scale[0]} {scale[1]}: .*\b0 to 100\b"):
            make("hf:any", Options(mode="score", scale=scale))
