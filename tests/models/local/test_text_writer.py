"""A model that writes the texts of a system."""

import pytest

from core.models.local.text_writer import ModelSampler
from core.models.respondent import Options
from core.records import Slot


def slots(samples: int) -> list[Slot]:
    return [
        Slot(item, f"i{item}", sample, f"the council vote on road {item}")
        for item in range(3)
        for sample in range(samples)
    ]


@pytest.fixture
def how() -> Options:
    return Options(instruction="Summarise:", temperature=1.5, max_tokens=6)


def test_samples_differ_and_come_again(model, how):
    sampler = ModelSampler(str(model), how)
    drafts = sampler.answers(slots(4))
    assert len({draft.text for draft in drafts}) > 2
    assert all(draft.completion_tokens <= 6 < draft.tokens for draft in drafts)
    assert drafts == [draft for slot in slots(4) for draft in sampler.answers([slot])], (
        "whatever is asked beside it"
    )
    assert sampler.answers(slots(2)) == [drafts[i] for i in (0, 1, 4, 5, 8, 9)], (
        "more samples continue"
    )


def test_at_temperature_0_it_writes_the_likeliest(model, how):
    from dataclasses import replace

    drafts = ModelSampler(str(model), replace(how, temperature=0.0)).answers(slots(2))
    assert [draft.text for draft in drafts[::2]] == [draft.text for draft in drafts[1::2]]


def test_what_is_too_long_fails_alone(llama):
    from dataclasses import replace

    asked = slots(1)
    asked[1] = replace(asked[1], context="river " * 600)
    drafts = ModelSampler(str(llama), Options(instruction="Go:", max_tokens=4)).answers(asked)
    assert [draft.failure for draft in drafts] == ["", "too-long", ""]
