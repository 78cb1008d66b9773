"""Options that a server refuses, as its words tell it, and how it is asked instead: one table."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .chat_request import ChatBody, ServerHabits
from .error_table import IN_ANSWER
from .request_errors import ServerError

STATUSES = (400, 403, 404, 422, 500, 501)  # of what may be about an option; 500: SGLang, TGI
LENGTHS = ("max_tokens", "max_completion_tokens")
PLAIN = ("temperature", "top_p", "seed", "random_seed", "stop", "stream_options", "do_sample",
         "generation_config")  # fmt: skip
SHAPES = ("response_format", "structured_outputs", "grammar", "regex", "ebnf")

_UNKNOWN = (
    r"not (?:allowed|supported|enabled|available|permitted|compatible)|un(?:supported|recognized"
    r"|known|expected)|(?:does ?n.t|does not|cannot|can.t|no endpoints found that) support"
    r"|extra (?:inputs|fields)|deprecated|forbidden|not yet|remove"
)
Adaptation = Callable[[ServerHabits, ChatBody, ServerError], str | None]


@dataclass(frozen=True)
class OptionRefusal:
    """Refusal of one of the `options`. It applies if these are sent, the HTTP status is one of
    `statuses`, and the server's words have the pattern (`says`). `adapt` changes how the server
    is asked from now on. It returns a note of the change, or None if it cannot help.
    """

    options: tuple[str, ...]
    says: str
    adapt: Adaptation
    statuses: tuple[int, ...] = STATUSES

    def adapt_to(
        self, habits: ServerHabits, body: ChatBody, own: Mapping[str, Any], error: ServerError
    ) -> bool:
        """Return whether the refusal is this one, and the server is asked in another way from
        now on.
        """
        there = [name for name in self.options if name in body.sent and name not in own]
        if error.status not in self.statuses or (self.options and not there):
            return False
        if self.says and not re.search(self.says, error.words, re.IGNORECASE):
            return False
        note = self.adapt(habits, body, error)
        if note:
            habits.notes.append(note)
        return note is not None


def _stream(habits: ServerHabits, body: ChatBody, error: ServerError) -> str | None:
    if habits.stream or "stream" in habits.left_out:
        return None
    habits.stream = True
    return ""


def _do_not_stream(habits: ServerHabits, body: ChatBody, error: ServerError) -> str | None:
    habits.stream = False
    habits.left_out |= {"stream", "stream_options"}
    return "it is asked without streaming, which it refuses"


def _switch_length_option(habits: ServerHabits, body: ChatBody, error: ServerError) -> str | None:
    """Return the other name for the most tokens; where that was refused, too, neither."""
    now = next(name for name in LENGTHS if name in body.sent)
    other = LENGTHS[1 - LENGTHS.index(now)]
    if not _names(now, error) or now != habits.length_option:
        return None
    habits.left_out.add(now)
    habits.length_option = other
    return "" if other not in habits.left_out else _render_note("most tokens")


def _fewer_tokens(habits: ServerHabits, body: ChatBody, error: ServerError) -> str | None:
    """Lower the maximum of tokens to what the server allows."""
    numbers = [int(number) for number in re.findall(r"\b\d{1,9}\b", error.message)]
    now = next(body.sent[name] for name in LENGTHS if name in body.sent)
    fewer = max((number for number in numbers if 0 < number < now), default=0)
    if not fewer:
        return None
    habits.most_tokens = fewer
    return f"it is asked for {fewer} tokens at most, as it allows no more"


def _leave_out(habits: ServerHabits, body: ChatBody, error: ServerError) -> str | None:
    named = [name for name in PLAIN if name in body.sent and _names(name, error)]
    habits.left_out |= {*named}
    return _render_note(" and ".join(named)) if named else None


def _leave_out_probabilities(habits: ServerHabits, body: ChatBody, error: ServerError) -> str:
    habits.left_out |= {"logprobs", "top_logprobs"}
    return _render_note("probabilities")


def _next_shape(habits: ServerHabits, body: ChatBody, error: ServerError) -> str | None:
    if not body.shape:
        return None
    habits.shapes = tuple(name for name in habits.shapes if name != body.shape)
    return "" if habits.shapes else _render_note("the shape of an answer")


def _leave_out_shape(habits: ServerHabits, body: ChatBody, error: ServerError) -> str:
    habits.shapes = ()
    return "it is asked without the shape of an answer, as it kept to that in its thoughts alone"


def _ask_one_text(habits: ServerHabits, body: ChatBody, error: ServerError) -> str:
    habits.several = False
    return ""


def _render_note(what: str) -> str:
    return f"it is asked without {what}, which it refuses"


def _names(option: str, error: ServerError) -> bool:
    """Return whether an error names an option; "stop" and "n" are words, too, and need quotes."""
    if option in error.options:
        return True
    if option in ("stop", "n"):
        return bool(re.search(rf"""['"`]{option}['"`]|\bstop[ _]sequences?\b""", error.message))
    return bool(re.search(rf"(?<!\w){option}(?!\w)", error.message, re.IGNORECASE))


SHAPED_THOUGHTS = "shaped_thoughts"
"""Kind of an answer in a shape that the server wrote as thoughts, with no text beside them."""

_STREAMS_ONLY = (
    r"only supports? stream|non-streaming call|stream(?:ing)? (?:mode )?is required"
    r"|'?stream'? must be (?:set to )?true"
)
_STREAMS_NOT = r"'stream' does not support true|verified to stream|streaming is not"
_TOO_MANY = (
    r"max(?:_completion)?_tokens.{0,80}"
    r"(?:at most|less than or equal|too large|supports|between|range|maximum)"
)
_NO_PROBABILITIES = rf"log[ _]?prob.{{0,80}}(?:{_UNKNOWN})|(?:{_UNKNOWN}).{{0,80}}log[ _]?prob"
_SHAPE = r"response[_ ]format|json[_ ]schema|structured|grammar|regex|ebnf|schema"

OPTION_REFUSALS = (
    # lmstudio-ai/lmstudio-bug-tracker#1698 #1773 #1971: the JSON stands in reasoning_content
    OptionRefusal(SHAPES, SHAPED_THOUGHTS, _leave_out_shape, (IN_ANSWER,)),
    # infiniflow/ragflow#5912; DashScope: "must be set to false for non-streaming calls"
    OptionRefusal((), _STREAMS_ONLY, _stream),
    # chathub-dev/chathub#1294; OpenAI: "must be verified to stream this model"
    OptionRefusal(("stream",), _STREAMS_NOT, _do_not_stream),
    # gabrii/Cursor-Azure-GPT-5#33 and xuy/sgo#1: a value or the option itself
    OptionRefusal(PLAIN, "", _leave_out),
    OptionRefusal(LENGTHS, _UNKNOWN + r"|instead", _switch_length_option),
    # anomalyco/opencode#1000: "must be less than or equal to `16384`"
    OptionRefusal(LENGTHS, _TOO_MANY, _fewer_tokens),
    # "You are not allowed to request logprobs from this model"; mscraftsman/generative-ai#135;
    # vllm-project/vllm-gaudi#1098. A number that is too high is a different refusal.
    OptionRefusal(("logprobs", "top_logprobs"), _NO_PROBABILITIES, _leave_out_probabilities),
    OptionRefusal(SHAPES, _SHAPE, _next_shape),
    # For any message: the server may accept one text at a time.
    OptionRefusal(("n",), "", _ask_one_text, (400, 422)),
)
"""The first row that helps changes how a server is asked."""


def adapt_options(
    habits: ServerHabits, body: ChatBody, own: Mapping[str, Any], error: ServerError
) -> None:
    """Ask a server in another way from now on, if its refusal of a request says how. `own` are the
    options that somebody gave, which are never changed.
    """
    any(row.adapt_to(habits, body, own, error) for row in OPTION_REFUSALS)
