"""Judging: a question about two texts becomes one answer.

`make_judge("baseline:longer")`, `make_judge("hf:google/flan-t5-small")` or `make_judge("openai:gpt-4o-mini")` gives a
judge; `judge.answers(questions)` gives as many answers in the same order. To make a judge is cheap: a model is loaded by
`judge.load()`, or by the first answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from core.judging import prompts
from core.models.respondent import Respondent
from core.records import Answer, JudgeSpec, Prompt, Question, TandemError

NO_TEXT = "no-text"
NO_CONTEXT = "no-context"
NO_REFERENCE = "no-reference"
NO_LABEL = "no-label"
TOO_LONG = "too-long"
EMPTY = "empty"
BLANK = "blank"
UNPARSED = "unparsed"
REFUSED = "refused"
TIMED_OUT = "timed-out"
ERROR = "error"

FAILURES = {
    NO_TEXT: "one of the texts is not available",
    NO_CONTEXT: "the judge compares with the context or the reference, and the item has neither",
    NO_REFERENCE: "the text is marked by its likeness to a reference, and the item has none",
    NO_LABEL: "the model gives neither label word a probability",
    TOO_LONG: "candidates and question alone are too long for the model",
    EMPTY: "the model wrote nothing",
    BLANK: "the text has no words whose likelihood could be averaged",
    UNPARSED: "what the model wrote names none of the answers",
    REFUSED: "the model refused to answer",
    TIMED_OUT: "the server did not answer in time, after every retry",
    ERROR: "something broke; the rest of the reason says what",
}
"""Why a comparison was not answered. All but "error: ..." are the whole reason."""

MODES = {
    "classifier": "the probabilities the model gives the label words, in one reading",
    "generate": "what the model writes when it writes the likeliest words",
    "sample": "the share of several sampled answers",
}
"""How an LLM's answer to a comparison becomes a judgement."""


class Judge(Respondent[Question, Answer]):
    """Who says which of two texts is better. `spec` holds whatever can change an answer; `note` is a sentence to whoever
    asks, about how they will be answered where they have left it open."""

    spec: JudgeSpec
    note = ""


@dataclass(frozen=True)
class Options:
    """What a judge may be asked for besides its SPEC; each takes what concerns it.

    `seed` concerns the random baseline and sampled votes. `mode` '' is the judge's own way. `truncation` is the most tokens
    of a prompt. `votes` and `temperature` belong to the mode `sample`. `tie` lets the model answer that neither is better.
    `base_url` is where an OpenAI-compatible server listens ('' = where its name says).

    The rest changes no answer: `batch_tokens` is about how many tokens a local model reads at once (None = what suits the
    hardware), `concurrency` how many requests are in flight, `rpm` and `tpm` the most requests and tokens a minute, `timeout`
    the seconds until a request is given up.
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


def make_judge(spec: str, **options: Any) -> Judge:
    """The judge a SPEC of the command line names: `baseline:NAME`, `hf:NAME-OR-PATH`, `openai:MODEL`; `options` are `Options`.

    What can change an answer is in the judge's name where it departs from the default. The name of a baseline is itself a
    SPEC ("baseline:random|seed:1"). Raises TandemError naming what exists.
    """
    family, _, name = spec.partition(":")
    if family not in JUDGES or not name:
        raise TandemError(f"unknown judge {spec!r}; a judge is one of: {', '.join(_examples())}")
    chosen = Options(**options)
    if chosen.mode and chosen.mode not in MODES:
        raise TandemError(f"unknown mode {chosen.mode!r}; there is: {', '.join(MODES)}")
    return JUDGES[family](name, chosen)


def remake_judge(spec: JudgeSpec, execution: Mapping[str, Any] | None = None) -> Judge:
    """The judge a stored specification describes, so that a run can go on in another process; of `execution` it takes what
    is in EXECUTION.

    Raises TandemError when it has become another judge, as when the files of its model were exchanged.
    """
    how = {name: value for name, value in (execution or {}).items() if name in EXECUTION}
    judge = make_judge(spec.spec, **stored_options(spec), **how)
    if judge.spec.name != spec.name:
        raise TandemError(f"{spec.spec!r} is no longer judge {spec.name!r} but {judge.spec.name!r}; start a new run")
    return judge


def stored_options(spec: JudgeSpec) -> dict[str, Any]:
    """The options a stored specification was made with."""
    if not spec.mode:  # a baseline is all in its name
        return {}
    return {
        "prompt": spec.prompt,
        "mode": spec.mode,
        "labels": spec.labels[:2] or prompts.DEFAULT_LABELS,
        "tie": len(spec.labels) > 2,
        "truncation": spec.truncation,
        "votes": spec.votes,
        "temperature": spec.temperature,
        "seed": int(seed[1]) if (seed := re.search(r"\|seed:(\d+)", spec.name)) else 0,
        "base_url": spec.base_url,
    }


def unanswerable(question: Question) -> Answer | None:
    """The failure of a question no judge can answer: a text is not available. An empty text ('') is a text."""
    return Answer(failure=NO_TEXT) if question.text_a is None or question.text_b is None else None


def because(error: Exception) -> str:
    """The failure of a question on which something broke, with the first line of what it said."""
    message = (str(error).strip().splitlines() or [""])[0][:200]
    return f"{ERROR}: {type(error).__name__}: {message}".removesuffix(": ")


def _baseline(name: str, options: Options) -> Judge:
    from core.judging.judges import baselines

    return baselines.make(name, options.seed)


def _hf(name: str, options: Options) -> Judge:
    from core.judging.judges.local_classifier import PromptClassifier
    from core.judging.judges.local_reply import Sampler, Writer

    common: dict[str, Any] = {
        "prompt": options.prompt or prompts.PROMPTS["comparative"],
        "labels": options.labels,
        "tie": options.tie,
        "truncation": options.truncation,
        "batch_tokens": options.batch_tokens,
    }
    if options.mode == "sample":
        temperature = 1.0 if options.temperature is None else options.temperature
        return Sampler(name, votes=options.votes, temperature=temperature, seed=options.seed, **common)
    if options.temperature:
        raise TandemError(f"a temperature of {options.temperature:g} belongs to the mode sample; leave it out")
    return Writer(name, **common) if options.mode == "generate" else PromptClassifier(name, **common)


def _openai(name: str, options: Options) -> Judge:
    from core.judging.judges.served import ServedJudge

    return ServedJudge(name, options)


JUDGES: dict[str, Callable[[str, Options], Judge]] = {"baseline": _baseline, "hf": _hf, "openai": _openai}
"""The families of judges, by what stands before the colon of a SPEC."""


def _examples() -> list[str]:
    from core.judging.judges.baselines import BASELINES

    return [f"baseline:{name}" for name in BASELINES] + ["hf:NAME-OR-PATH", "openai:MODEL"]
