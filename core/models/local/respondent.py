"""Respondents that answer with a language model on this machine, and that of them which writes the
texts of a system.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TypeVar

from ...failures import CUT_OFF, EMPTY, TOO_LONG, describe_error
from ...records import Draft, Reply, Slot
from ...seeds import seed_of
from ..options import TEXT_TOKENS, Options, fill_context
from ..respondent import Hardware, Member, Respondent
from ..thoughts import split_thoughts
from . import loading
from .language_model import LanguageModel
from .tokens import Tokens, WrittenText

Q = TypeVar("Q")
A = TypeVar("A", bound=Reply)
B = TypeVar("B")


class OnThisMachine(Respondent[Q, A]):
    """A respondent whose model is loaded once, by `load` or when it is first needed. Its `_options`
    say in which precision the model is read, and by what.
    """

    _options: Options

    @property
    @abstractmethod
    def model_name(self) -> str:
        """A hub name or a folder."""

    def load(self) -> None:
        _ = self._model

    @property
    def hardware(self) -> Hardware:
        return self._model.hardware

    @cached_property
    def _model(self) -> LanguageModel:
        options = self._options
        return loading.load(self.model_name, self.announce, options.dtype, options.engine)


def halve_broken(
    batch: Sequence[Q], answer: Callable[[Sequence[Q]], list[B]], broken: Callable[[Exception], B]
) -> list[B]:
    """Return the answers to a batch; one that breaks (memory) is halved, until a question breaks on
    its own.
    """
    if not batch:
        return []
    try:
        return answer(batch)
    except Exception as error:
        if len(batch) == 1:
            return [broken(error)]
    # Not within `except`: the error would hold on to all that the failed try has put into the
    # memory.
    half = len(batch) // 2
    return [
        one for part in (batch[:half], batch[half:]) for one in halve_broken(part, answer, broken)
    ]


class ModelSampler(OnThisMachine[Slot, Draft]):
    """Texts sampled from a language model at a temperature, the likeliest words at 0.

    A sample is drawn with a seed of its own, from the options' seed, the prompt and the sample's
    number. Thoughts are left out. Failures: "empty", "cut-off" (it had not ended at `max_tokens`,
    or was thinking), "too-long" (nothing of a prompt is left out), "error: ...".
    """

    def __init__(self, name: str, options: Options) -> None:
        self._name, self._options = name, options
        self._most = options.max_tokens or TEXT_TOKENS

    @property
    def model_name(self) -> str:
        return self._name

    def answers(self, slots: Sequence[Slot]) -> list[Draft]:
        # The samples of an item are written together, after one reading of its prompt.
        together: dict[Tokens, list[int]] = {}
        drafts: dict[int, Draft] = {}
        for index, slot in enumerate(slots):
            try:
                tokens = self._model.tokens(fill_context(self._options.instruction, slot.context))
            except Exception as error:
                drafts[index] = Draft(failure=describe_error(error))
                continue
            if len(tokens.prompt) + self._most > self._model.limit:
                drafts[index] = Draft(failure=TOO_LONG)
            else:
                together.setdefault(tokens, []).append(index)
        asked = [
            (tokens, [slots[index].sample for index in own]) for tokens, own in together.items()
        ]
        written = halve_broken(
            asked, self._write, lambda error: [Draft(failure=describe_error(error))]
        )
        for own, texts in zip(together.values(), written, strict=True):
            # One failure is that of all samples of its prompt.
            drafts |= zip(own, texts * (len(own) // len(texts)), strict=True)
        return [drafts[index] for index in range(len(slots))]

    def _write(self, asked: Sequence[tuple[Tokens, Sequence[int]]]) -> list[list[Draft]]:
        """Write the samples of each prompt."""
        options = self._options
        written = self._model.write(
            [tokens for tokens, _ in asked],
            [
                [seed_of(options.seed, tokens.prompt, sample) for sample in samples]
                for tokens, samples in asked
            ],
            most=self._most,
            temperature=options.temperature or 0.0,
            batch_tokens=options.batch_tokens,
        )
        return [
            [_draft(text, len(tokens.prompt)) for text in texts]
            for (tokens, _), texts in zip(asked, written, strict=True)
        ]


def _draft(written: WrittenText, read: int) -> Draft:
    reply = split_thoughts(written.text)
    is_cut = written.is_cut or reply.is_thinking
    failure = CUT_OFF if is_cut else "" if reply.answer else EMPTY
    is_whole = reply.blanked == written.text and not failure
    return Draft(
        None if failure else reply.answer if reply.blanked != written.text else written.text,
        failure=failure,
        raw="" if is_whole else json.dumps({"text": written.text}, ensure_ascii=False),
        tokens=read + written.tokens,
        completion_tokens=written.tokens,
    )


LOCAL_WRITER = Member(
    loading.HF,
    "texts",
    ModelSampler,
    label="Hugging Face hub or a folder on this machine",
    options=("instruction", "temperature", "max_tokens", "seed", "batch_tokens", "dtype", "engine"),
)
