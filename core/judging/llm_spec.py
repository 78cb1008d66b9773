"""Specs of LLMs as judges and scorers: all that can change their answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace

from ..models import Options, canonical_body
from ..models.served import address, provider_of
from ..records import USUAL_SCALE, JudgeSpec, Kind, Prompt, TandemError, option_ref
from . import prompts
from .judge import COMPARING_MODES

TEMPERATURE = 1.0
"""Temperature of sampled answers by default."""

READING = ("max_tokens", "lenient")
"""The options of every LLM whose replies are read."""
SAYING = ("temperature", "system_prompt", "stop", "extra_body")
"""What else is said to a model behind a server."""
COMPARING = ("mode", "prompt", "labels", "tie")
"""The options of every LLM that compares."""
SAMPLING = ("votes", "temperature")
"""The options of sampled answers."""
LONGEST_WORD = 40
"""Characters that a name holds of one setting; longer ones are known by a hash."""


def llm_spec(
    spec: str, called: str, prompt: Prompt, options: Options, *, seed: int = 0
) -> JudgeSpec:
    """Return the specification of an LLM with a prompt and a mode.

    Its name begins with what the model is `called`, and holds what departs from the defaults.
    Raises TandemError for settings that cannot be.
    """
    compares, samples = options.mode in COMPARING_MODES, options.mode == "sample"
    labels = prompts.labels_of(prompt, options.labels, tie=options.tie) if compares else ()
    votes, temperature = check_sampling(options)
    home = provider_of(options.base_url).name  # which the address says itself
    prompts.check_system_prompt(options.system_prompt, compares=compares)
    asked = JudgeSpec(
        name="|".join([called, f"{prompt.name}@{prompt.version}", options.mode]),
        kind=Kind.LLM,
        spec=spec,
        prompt=prompt,
        mode=options.mode,
        labels=labels,
        votes=votes if samples else 1,
        temperature=temperature,
        truncation=options.truncation,
        base_url=options.base_url,
        seed=seed,
        scale=prompts.checked_scale(options.scale),
        max_tokens=options.max_tokens,
        system_prompt=options.system_prompt,
        stop=options.stop,
        extra_body=canonical_body(options.extra_body),
        lenient=options.lenient,
        # A provider's habits, such as how it keeps a form, can change an answer.
        provider="" if options.provider == home else options.provider,
    )
    return replace(asked, name="|".join(filter(None, [asked.name, list_unusual_settings(asked)])))


def list_unusual_settings(judge: JudgeSpec) -> str:
    """List the settings of a judge that are not the usual ones, as its name has them.

    An example is "votes:5|temperature:1". Model, prompt and mode are left out; a server of one's
    own is part of it.
    """
    labels, scale, samples = judge.labels[:2], judge.scale, judge.mode == "sample"
    words = {
        f"votes:{judge.votes}": samples,
        f"temperature:{_number(judge.temperature)}": samples or judge.temperature,
        f"seed:{judge.seed}": judge.seed,
        f"labels:{_join_labels(labels)}": labels not in ((), prompts.DEFAULT_LABELS),
        "tie": len(judge.labels) > 2,
        f"scale:{scale.low}-{scale.high}": scale != USUAL_SCALE,
        f"truncation:{judge.truncation}": judge.truncation is not None,
        "lenient": judge.lenient,
        f"max-tokens:{judge.max_tokens}": judge.max_tokens is not None,
        f"system:{_shorten_setting(judge.system_prompt)}": judge.system_prompt,
        f"stop:{_shorten_setting(json.dumps(judge.stop, ensure_ascii=False))}": judge.stop,
        f"extra:{_shorten_setting(judge.extra_body)}": judge.extra_body,
        f"provider:{judge.provider}": judge.provider,
        f"at:{address(judge.base_url)}": judge.base_url,
    }
    return "|".join(word for word, departs in words.items() if departs)


def _join_labels(labels: Sequence[str]) -> str:
    """Label words as a name holds them: "A/B", in quotes where they have such signs themselves."""
    if any(sign in label for label in labels for sign in "/|"):
        return _shorten_setting(json.dumps(labels, ensure_ascii=False))
    return "/".join(labels)


def _number(number: float) -> str:
    """Return a number with all digits that it has."""
    return f"{number:g}" if float(f"{number:g}") == number else repr(number)


def _shorten_setting(text: str) -> str:
    """Return a setting as a name holds it: itself, or a hash of it where it is long or would be
    taken for several.
    """
    if len(text) <= LONGEST_WORD and text.isprintable() and "|" not in text:
        return text
    return hashlib.blake2b(text.encode(), digest_size=4).hexdigest()


def check_sampling(options: Options) -> tuple[int, float]:
    """Return the number of sampled answers and their temperature.

    By default, modes that do not sample take the likeliest answer (temperature 0). Raises
    TandemError for values out of range.
    """
    votes, temperature = options.votes, options.temperature
    samples = options.mode in ("", "sample")
    if not 1 <= votes <= 1000:
        raise TandemError(f"{option_ref('votes')} is {votes}; it lies between 1 and 1000")
    if options.max_tokens is not None and options.max_tokens < 1:
        raise TandemError(f"{option_ref('max_tokens')} is {options.max_tokens}; give at least 1")
    if temperature is None:
        return votes, TEMPERATURE if samples else 0.0
    if not (0 < temperature <= 2 or (not samples and temperature == 0)):
        raise TandemError(
            f"{option_ref('temperature')} is {temperature:g}; "
            + (
                "for sampled answers it lies above 0 and is at most 2"
                if samples
                else "it lies between 0 and 2"
            )
        )
    return votes, temperature
