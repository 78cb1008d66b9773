"""Reply of a server to one prompt: texts, probabilities and tokens, or the reason for a failure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

TOKENS_A_WORD = 0.75  # fewer cannot hold a prompt


@dataclass(frozen=True)
class Position:
    """One token a model wrote, as text, and the log-probabilities of the likeliest tokens it could
    have written there.
    """

    token: str
    top: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class CompletionChoice:
    """One text a model wrote; a `failure` says why no text counts.

    `positions` are its tokens where their probabilities were asked for and came back: together they
    are exactly `text`. Where they cannot be matched with it, `positions` is empty and `detail` says
    why. One that `is_cut` ended where no more tokens were allowed, or for a reason nobody knows.
    """

    text: str = ""
    failure: str = ""
    positions: tuple[Position, ...] = ()
    detail: str = ""
    is_cut: bool = False
    ending: str = ""


@dataclass(frozen=True)
class Completion:
    """The texts written to one prompt, and the tokens that were read and written for it, as the
    server counts them.

    `part_read` is how many it says it has read where these cannot hold the prompt, else 0.
    `seconds` is how long the server took, None where it gave no answer; `waited` how long the
    request stood in line before. `kept_by` is what kept the shape of the answer that was asked for:
    "json_schema", "choice", or '' for nothing.
    """

    choices: tuple[CompletionChoice, ...]
    prompt_tokens: int = 0
    completion_tokens: int = 0
    part_read: int = 0
    seconds: float | None = None
    waited: float | None = None
    kept_by: str = ""

    @property
    def tokens(self) -> int:
        """Number of tokens of the prompt and the completion together."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def usage(self) -> dict[str, Any]:
        """Return what a `Reply` says of the request that brought it."""
        names = ("tokens", "completion_tokens", "part_read", "seconds", "waited")
        return {name: getattr(self, name) for name in names}

    def choose(self, n: int) -> Completion:
        """Return the completion with the `n` texts that were asked for, if it has more of them: the
        first that are no failures.
        """
        chosen = sorted(self.choices, key=lambda choice: bool(choice.failure))[:n]
        return self if len(self.choices) <= n else replace(self, choices=tuple(chosen))

    def __add__(self, other: Completion) -> Completion:
        kept_by = {one.kept_by for one in (self, other) if one.choices}
        return Completion(
            self.choices + other.choices,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            max(self.part_read, other.part_read),
            max((took for took in (self.seconds, other.seconds) if took is not None), default=None),
            kept_by=kept_by.pop() if len(kept_by) == 1 else "",
        )


def failed_completion(failure: str, detail: str) -> Completion:
    """Return the completion of a request that came to nothing."""
    return Completion((CompletionChoice(failure=failure, detail=detail),))


def detect_partial_read(messages: Sequence[Mapping[str, str]], tokens: int) -> int:
    """Return the tokens a server says it has read, where they cannot hold the prompt: it has cut it
    without a word. Else 0.

    A word between white space takes a token or more, and the chat template some besides; only
    tokenizers that join words take fewer, by no more than a sixth in English. 0 tokens are a server
    that does not count.
    """
    words = sum(len(message["content"].split()) for message in messages)
    return tokens if 0 < tokens < TOKENS_A_WORD * words else 0


def as_raw(**what: Any) -> str:
    """Return what is kept of an answer as JSON, without empty fields."""
    return json.dumps(
        {name: value for name, value in what.items() if value not in (None, "", [], {})},
        ensure_ascii=False,
    )
