"""Failures: why a question has no answer. One vocabulary for judges, scorers and writers of
texts."""

from __future__ import annotations

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


FAILURES = {
    NO_TEXT: "one of the texts is not available",
    NO_CONTEXT: "the judge compares with the context or the reference, and the item has neither",
    NO_REFERENCE: "the text is marked by its likeness to a reference, and the item has none",
    NO_LABEL: "the model gives neither label word a probability",
    TOO_LONG: "candidates and question alone are too long for the model",
    EMPTY: "the model wrote nothing",
    BLANK: "the text has no words whose likelihood could be averaged",
    UNPARSED: "what the model wrote states none of the answers, or more than one",
    CUT_OFF: "the model was cut off at its most tokens, before its answer was there",
    SERVER_ERROR: "the server broke off while it wrote, after every retry",
    REFUSED: "the model, or a filter of its server, refused to answer",
    TOOL_CALL: "the model called a tool instead of writing a text",
    TIMED_OUT: "the server did not answer in time, after every retry",
    ERROR: "something broke; the rest of the reason says what",
}
"""Why a comparison was not answered. All but "error: ..." are the whole reason."""


def because(error: Exception) -> str:
    """The failure of a question on which something broke, with the first line of what it said."""
    message = (str(error).strip().splitlines() or [""])[0][:200]
    return f"{ERROR}: {type(error).__name__}: {message}".removesuffix(": ")
