"""A model that writes the texts of a system."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from core.models.local import halve_broken
from core.models.local.respondent import ModelSampler
from core.models.respondent import Options
from core.records import Slot


def slots(samples: int) -> list[Slot]:
    each = [(item, sample) for item in range(3) for sample in range(samples)]
    return [
        Slot(item, f"i{item}", sample, f"the council vote on road {item}") for item, sample in each
    ]


@pytest.fixture
def how() -> Options:
    return Options(instruction="Summarise:", temperature=1.5, max_tokens=6)


def test_where_nothing_is_left_to_ask_no_model_is_asked() -> None:
    def answer(batch: Sequence[int]) -> list[str]:
        raise AssertionError(batch)

    assert halve_broken([], answer, str) == []


def written(draft) -> str:
    """What the model wrote, whether it came to its end or not."""
    return json.loads(draft.raw)["text"] if draft.raw else draft.text


def test_samples_differ_and_come_again(model: Path, how: Options) -> None:
    """source: a text has ended when fewer tokens were written than it may have. One that ends with
    the very last of them may be either.
    """
    sampler = ModelSampler(str(model), how)
    drafts = sampler.answers(slots(4))
    assert len(set(map(written, drafts))) > 2
    assert all(draft.completion_tokens <= 6 < draft.tokens for draft in drafts)
    alone = [draft for slot in slots(4) for draft in sampler.answers([slot])]
    assert drafts == alone, "whatever is asked beside it"
    continued = [drafts[i] for i in (0, 1, 4, 5, 8, 9)]
    assert sampler.answers(slots(2)) == continued, "more samples continue"
    cut = [draft for draft in drafts if draft.failure == "cut-off"]
    assert cut
    assert all(draft.text is None and written(draft) for draft in cut)
    assert all(draft.completion_tokens == 6 for draft in cut)


def test_at_temperature_0_it_writes_the_likeliest(model: Path, how: Options) -> None:
    drafts = ModelSampler(str(model), replace(how, temperature=0.0)).answers(slots(2))
    texts = list(map(written, drafts))
    assert texts[::2] == texts[1::2]
    assert all(texts)


def test_what_is_too_long_fails_alone(llama: Path) -> None:
    asked = slots(1)
    asked[1] = replace(asked[1], context="river " * 600)
    drafts = ModelSampler(str(llama), Options(instruction="Go:", max_tokens=4)).answers(asked)
    assert [draft.failure == "too-long" for draft in drafts] == [False, True, False]
