"""Verdict forms: how a prompt asks for its verdict, how it is read, and what a server can keep.

A prompt declares its form, and a reply counts only where it states its verdict in it. What is not
in its form is unparsed: it is counted, shown, and can be asked again. A wrong guess never comes to
light.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ...models.served import AnswerShape
from ...records import Scale
from .labels import Labels

ROOM = 1024
"""Tokens for a reply that may reason, or think, before it states its verdict."""


class UnparsedReplyError(Exception):
    """A reply states no verdict in its form; the message says why."""


@dataclass(frozen=True)
class Statement:
    """A verdict in a reply: the index of the label, or the score, and its span `start` to `end`.

    `core` is where the characters begin that distinguish this label from the others. `strength`
    says how much better the better text is, 0 to 1, where the form does.
    """

    verdict: float
    start: int
    end: int
    core: int
    strength: float | None = None

    @property
    def label(self) -> int:
        """The index of the label that is chosen."""
        return int(self.verdict)


@dataclass(frozen=True)
class VerdictForm:
    """A form in which a comparing prompt has its verdict stated.

    `instruction` replaces {answer_form} in a prompt. `find` lists the statements of a reply, its
    thoughts blanked out, and raises UnparsedReplyError where the form is broken. `max_tokens` is
    room enough for a reply. `has_token` tells whether the reply holds a label whose probability can
    be read. `shape` is the format that a server can be asked to keep to.
    """

    name: str
    help: str
    instruction: str
    find: Callable[[str, Labels], Sequence[Statement]]
    max_tokens: int = ROOM
    has_token: bool = True
    shape: Callable[[Sequence[str]], AnswerShape] | None = None


@dataclass(frozen=True)
class MarkForm:
    """A form in which a scoring prompt has its mark stated; fields as in `VerdictForm`."""

    name: str
    help: str
    instruction: str
    find: Callable[[str, Scale], Sequence[Statement]]
    max_tokens: int = ROOM
    shape: Callable[[Scale], AnswerShape] | None = None


def reasoned_shape(name: str, value: Mapping[str, object]) -> AnswerShape:
    """Return a JSON object with a reason and, behind it, the verdict or mark as `name`."""
    return AnswerShape(
        schema={
            "type": "object",
            "properties": {"reason": {"type": "string"}, name: value},
            "required": ["reason", name],
            "additionalProperties": False,
        }
    )


def reply_budget(
    form: VerdictForm | MarkForm, mode: str, chosen: int | None = None, *, served: bool = True
) -> int:
    """Return the most tokens of one reply: what was chosen, else what the form needs.

    A served model that writes may think before, so it has more room.
    """
    reads_token = mode in ("", "classifier", "g-eval")
    return chosen or (ROOM if served and not reads_token else form.max_tokens)
