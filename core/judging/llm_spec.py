"""What an LLM is known by as a judge or scorer: whatever can change its answers."""

from __future__ import annotations

from dataclasses import replace

from core.judging import prompts
from core.judging.judge import COMPARING_MODES
from core.models import Options
from core.models.served import address
from core.records import USUAL_SCALE, JudgeSpec, Kind, Prompt, TandemError, setting

TEMPERATURE = 1.0
"""Of sampled answers, unless told otherwise."""

COMPARING = ("mode", "prompt", "labels", "tie")
"""The options of every LLM that compares."""
SAMPLING = ("votes", "temperature")
"""The options of sampled answers."""


def llm_spec(
    spec: str, called: str, prompt: Prompt, options: Options, *, seed: int = 0
) -> JudgeSpec:
    """The specification of an LLM with a prompt and a mode.

    Its name begins with what the model is `called`, and holds what departs from the defaults.
    Raises TandemError for votes that cannot be.
    """
    compares, samples = options.mode in COMPARING_MODES, options.mode == "sample"
    labels = prompts.labels_of(prompt, options.labels) if compares else ()
    votes, temperature = sampling(options) if samples else (1, 0.0)
    asked = JudgeSpec(
        name="|".join([called, f"{prompt.name}@{prompt.version}", options.mode]),
        kind=Kind.LLM,
        spec=spec,
        prompt=prompt,
        mode=options.mode,
        labels=(*labels, prompts.TIE_LABEL) if options.tie else labels,
        votes=votes,
        temperature=temperature,
        truncation=options.truncation,
        base_url=options.base_url,
        seed=seed,
        scale=prompts.checked_scale(options.scale),
    )
    return replace(asked, name="|".join(filter(None, [asked.name, departing(asked)])))


def departing(judge: JudgeSpec) -> str:
    """What of a judge besides its model, prompt and mode is not as usual, as its name says it:
    "votes:5|temperature:1"; a server of one's own is part of it.
    """
    labels, scale = judge.labels[:2], judge.scale
    words = {
        f"votes:{judge.votes}|temperature:{judge.temperature:g}": judge.mode == "sample",
        f"seed:{judge.seed}": judge.seed,
        f"labels:{'/'.join(labels)}": labels not in ((), prompts.DEFAULT_LABELS),
        "tie": len(judge.labels) > 2,
        f"scale:{scale.low}-{scale.high}": scale != USUAL_SCALE,
        f"truncation:{judge.truncation}": judge.truncation is not None,
        f"at:{address(judge.base_url)}": judge.base_url,
    }
    return "|".join(word for word, departs in words.items() if departs)


def sampling(options: Options) -> tuple[int, float]:
    """How many answers are sampled, and at what temperature. Raises TandemError for what cannot
    be.
    """
    votes, temperature = options.votes, options.temperature
    if not 1 <= votes <= 1000:
        raise TandemError(f"{setting('votes')} is {votes}; it lies between 1 and 1000")
    if temperature is not None and not 0 < temperature <= 2:
        raise TandemError(
            f"{setting('temperature')} is {temperature:g}; for sampled answers it lies above 0 "
            "and is at most 2"
        )
    return votes, TEMPERATURE if temperature is None else temperature
