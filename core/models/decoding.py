"""Decoding settings of a model: each set of them makes another system of the same model. Extra
options for a server are a JSON object, in one way of writing it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass
from typing import Any

from ..records import TandemError, option_ref
from ..settings import declare
from .respondent import Options, execution_options

CONTEXT = "{context}"
_LATER = ("system_prompt", "stop", "extra_body")


@dataclass(frozen=True)
class Decoding:
    """Settings by which texts are sampled; other settings make another system of the same model.

    `instruction` says what to write; the context takes the place of "{context}" in it, or follows
    it. A server also gets `system_prompt`, `stop` and `extra_body` (JSON).
    """

    model: str
    instruction: str = declare(
        MISSING, "what to write; {context} in it, or the context follows", metavar="TEXT",
    )  # fmt: skip
    temperature: float = declare(
        0.5, "0 = greedy decoding", label="Temperature", metavar="T", least=0.0, most=2.0
    )
    max_tokens: int = declare(
        256, "maximum tokens of a text", label="Most tokens", metavar="N", least=1
    )
    seed: int = 0
    base_url: str = ""
    system_prompt: str = ""
    stop: tuple[str, ...] = ()
    extra_body: str = ""

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Decoding:
        """Return the decoding that stored `settings` describe."""
        return cls(**{**settings, "stop": tuple(settings.get("stop", ()))})

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings to store. Later additions are stored only if given, so that a system
        stays the same.
        """
        return {name: value for name, value in asdict(self).items() if value or name not in _LATER}

    def prompt(self, context: str) -> str:
        """Return the words the model reads for one item."""
        return fill_context(self.instruction, context)

    def options(self, execution: Mapping[str, Any] | None = None) -> Options:
        """Return the options that the model is made with; `execution` is how the run is done."""
        own = asdict(self)
        del own["model"]
        return Options(**own, **execution_options(execution or {}))


def fill_context(instruction: str, context: str) -> str:
    """Return an instruction with the context in it."""
    if CONTEXT in instruction:
        return instruction.replace(CONTEXT, context)
    return f"{instruction}\n\n{context}".strip()


NOT_EXTRA = {
    "messages": "they hold the texts to be judged",
    "model": "the judge's name says it",
    "n": f"{option_ref('votes')} says it",
    "stream": f"{option_ref('stream')} says it",
}
"""What no extra body may replace, and why: the answers would be about something else."""


def canonical_body(text: str) -> str:
    """Return a JSON object in canonical form, '' for an empty one.

    Raises TandemError for other JSON, and for a name that may not be set.
    """
    if not text.strip():
        return ""
    try:
        body = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_named_once)
    except (ValueError, RecursionError) as error:
        raise TandemError(
            f"{option_ref('extra_body')} {text[:60]!r} is no JSON ({error})"
        ) from error
    if not isinstance(body, dict):
        raise TandemError(
            f"{option_ref('extra_body')} {text[:60]!r} is not a JSON object: give one such as "
            '{"reasoning_effort": "low"}'
        )
    for name in sorted(NOT_EXTRA.keys() & body.keys()):
        raise TandemError(
            f"{option_ref('extra_body')} may not set {name!r}: {NOT_EXTRA[name]}; leave it out"
        )
    written = json.dumps(body, sort_keys=True, ensure_ascii=False) if body else ""
    if any("\ud800" <= sign <= "\udfff" for sign in written):
        raise TandemError(
            f"{option_ref('extra_body')} {text[:60]!r} has half a character, which is not text"
        )
    return written


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number of JSON")


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    body: dict[str, Any] = {}
    for name, value in pairs:
        if name in body:
            raise ValueError(f"it gives {name!r} twice")
        body[name] = value
    return body
