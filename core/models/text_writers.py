"""Text writers by SPEC: the models that write generations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from core.models.decoding import Decoding
from core.models.respondent import Respondent
from core.records import Draft, Slot, TandemError

Sampler = Respondent[Slot, Draft]
"""Who writes texts."""


def make_sampler(decoding: Decoding, execution: Mapping[str, Any] | None = None) -> Sampler:
    """The model of a SPEC, `hf:NAME-OR-PATH` or `openai:MODEL`, as a writer. Raises TandemError
    naming what exists.
    """
    family, _, name = decoding.model.partition(":")
    if family not in SAMPLERS or not name:
        raise TandemError(
            f"unknown model {decoding.model!r}; a model is hf:NAME-OR-PATH or openai:MODEL"
        )
    return SAMPLERS[family](name, decoding, execution or {})


def _openai(name: str, decoding: Decoding, execution: Mapping[str, Any]) -> Sampler:
    from core.models.served import ServedSampler

    return ServedSampler(name, decoding, execution)


def _hf(name: str, decoding: Decoding, execution: Mapping[str, Any]) -> Sampler:
    from core.models.local import ModelSampler

    return ModelSampler(name, decoding, execution.get("batch_tokens"))


SAMPLERS: dict[str, Callable[[str, Decoding, Mapping[str, Any]], Sampler]] = {
    "hf": _hf,
    "openai": _openai,
}
"""The families of models, by what stands before the colon of a SPEC."""
