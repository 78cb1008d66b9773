"""Judging: a question about two texts becomes one answer.

`make_judge("baseline:longer")`, `make_judge("hf:google/flan-t5-small")` or
`make_judge("openai:gpt-4o-mini")` gives a judge; `judge.answers(questions)` gives as many answers
in the same order. To make a judge is cheap: a model is loaded by `judge.load()`, or by the first
answer.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.failures import NO_TEXT
from core.judging import prompts
from core.models import Respondent
from core.records import Answer, JudgeSpec, Prompt, Question

COMPARING_MODES = {
    "classifier": "the probabilities the model gives the label words, in one reading",
    "generate": "what the model writes when it writes the likeliest words",
    "sample": "the share of several sampled answers",
}
"""How an LLM's answer to a comparison becomes a judgement."""


class Judge(Respondent[Question, Answer]):
    """Who says which of two texts is better. `spec` holds whatever can change an answer; `note` is
    a sentence to whoever asks, about how they will be answered where they have left it open.
    """

    spec: JudgeSpec
    note = ""


@dataclass(frozen=True)
class Options:
    """What a judge may be asked for besides its SPEC; each takes what concerns it.

    `seed` concerns the random baseline and sampled votes. `mode` '' is the judge's own way.
    `truncation` is the most tokens of a prompt. `votes` and `temperature` belong to the mode
    `sample`. `tie` lets the model answer that neither is better. `base_url` is where an
    OpenAI-compatible server listens ('' = where its name says).

    The rest changes no answer: `batch_tokens` is about how many tokens a local model reads at once
    (None = what suits the hardware), `concurrency` how many requests are in flight, `rpm` and `tpm`
    the most requests and tokens a minute, `timeout` the seconds until a request is given up.
    """

    seed: int = 0
    prompt: Prompt | None = None
    mode: str = ""
    labels: tuple[str, ...] = prompts.DEFAULT_LABELS
    truncation: int | None = None
    votes: int = 5
    temperature: float | None = None
    tie: bool = False
    base_url: str = ""
    batch_tokens: int | None = None
    concurrency: int = 8
    rpm: int | None = None
    tpm: int | None = None
    timeout: float = 60.0


EXECUTION = ("batch_tokens", "concurrency", "rpm", "tpm", "timeout")
"""The options that change no answer: how fast, not what."""


def unanswerable(question: Question) -> Answer | None:
    """The failure of a question no judge can answer: a text is not available. An empty text ('') is
    a text.
    """
    return Answer(failure=NO_TEXT) if question.text_a is None or question.text_b is None else None
