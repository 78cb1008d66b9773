"""Failures: why a question has no answer. One vocabulary for judges, scorers and writers of
texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from .records import option_ref

NO_TEXT = "no-text"
NO_CONTEXT = "no-context"
NO_REFERENCE = "no-reference"
NO_LABEL = "no-label"
TOO_LONG = "too-long"
EMPTY = "empty"
BLANK = "blank"
UNPARSED = "unparsed"
CUT_OFF = "cut-off"
SERVER_ERROR = "server-error"
REFUSED = "refused"
TOOL_CALL = "tool-call"
TIMED_OUT = "timed-out"
ERROR = "error"


class FailureKind(NamedTuple):
    """A kind of failure: its `reason`, and the `remedy` in words that name `option_ref`s."""

    reason: str
    remedy: str


_RETRY = f"ask again ({option_ref('retry_failed')})"

FAILURES: dict[str, FailureKind] = {
    NO_TEXT: FailureKind("one of the texts is not available", f"import the text, then {_RETRY}"),
    NO_CONTEXT: FailureKind(
        "the judge compares with the context or the reference, and the item has neither",
        "import contexts or references, or take another judge",
    ),
    NO_REFERENCE: FailureKind(
        "the text is scored by its likeness to a reference, and the item has none",
        "import references, or take a judge and a prompt that need none",
    ),
    NO_LABEL: FailureKind(
        "the model gives neither label word a probability",
        f"take {option_ref('mode')} generate or sample, or a prompt that asks for the label first",
    ),
    TOO_LONG: FailureKind(
        "candidates and question alone are too long for the model",
        f"take a model that reads longer texts, or lower {option_ref('max_tokens')}",
    ),
    EMPTY: FailureKind("the model wrote nothing", "take another prompt or model"),
    BLANK: FailureKind(
        "the text has no words whose likelihood could be averaged",
        "take a judge in another mode for such texts",
    ),
    UNPARSED: FailureKind(
        "what the model wrote states none of the answers, or more than one",
        f"read its replies, then take another {option_ref('form')} or prompt, or a model that "
        "follows it",
    ),
    CUT_OFF: FailureKind(
        "the model was cut off at its most tokens, before its answer was there",
        f"raise {option_ref('max_tokens')}; thoughts of a served model can be switched off by "
        f"{option_ref('extra_body')}",
    ),
    SERVER_ERROR: FailureKind(
        "the server broke off while it wrote, after every retry",
        f"{_RETRY} once the server is well",
    ),
    REFUSED: FailureKind(
        "the model, or a filter of its server, refused to answer",
        "take another model for these texts, or another wording of the prompt",
    ),
    TOOL_CALL: FailureKind(
        "the model called a tool instead of writing a text",
        f"switch tools off at its server, or by {option_ref('extra_body')}",
    ),
    TIMED_OUT: FailureKind(
        "the server did not answer in time, after every retry",
        f"raise {option_ref('timeout')} or lower {option_ref('concurrency')}, then {_RETRY}",
    ),
    ERROR: FailureKind(
        "something broke; the rest of the reason says what", f"mend that, then {_RETRY}"
    ),
}
"""Why a comparison was not answered, and what to do about it. All but "error: ..." are the whole
reason.
"""


def describe_error(error: Exception) -> str:
    """Return the failure of a question that raised an error, with the first line of its message."""
    message = (str(error).strip().splitlines() or [""])[0][:200]
    return f"{ERROR}: {type(error).__name__}: {message}".removesuffix(": ")


def kind_of(failure: str) -> str:
    """Return the kind of a failure: "error" for "error: HTTP 400: ..."."""
    return failure.partition(":")[0]


def remedy_of(failure: str) -> str:
    """Return the remedy for a failure, with `option_ref`s in it; '' if there is no known one."""
    kind = FAILURES.get(kind_of(failure))
    return kind.remedy if kind else ""


def reason_of(failure: str) -> str:
    """Return a clause on why a question has no answer; '' if the kind is unknown."""
    kind = FAILURES.get(kind_of(failure))
    return kind.reason if kind else ""


def count_kinds(failures: Mapping[str, int]) -> dict[str, int]:
    """Count the failures of each kind, the commonest first."""
    counts: Counter[str] = Counter()
    for failure, count in failures.items():
        counts[kind_of(failure)] += count
    return dict(counts.most_common())
