"""Reading: what a reply states in the form its prompt asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...models import split_thoughts
from ...records import Scale
from .comparisons import (
    COMPARISON_FORMS,
    find_brackets,
    find_json,
    find_label_first,
    find_strength,
    find_verdict_lines,
)
from .contradictions import (
    refuse_number_taken_back,
    refuse_other_conclusion,
    refuse_verdict_taken_back,
)
from .form import MarkForm, Statement, UnparsedReplyError, VerdictForm
from .free_text import find_in_free_text
from .labels import Labels, labels_of_words, narrow_characters
from .marks import MARK_FORMS, find_mark_lines
from .squeezing import squeeze_reply

_GOES_ON = "…"
"""Mark of a reply that was cut off: "Summary A" may go on by "is worse"."""

_STRICT = (find_brackets, find_strength, find_verdict_lines, find_json, find_label_first)


def read_verdict(
    reply: str,
    labels: Sequence[str],
    form: str = "label-first",
    *,
    is_cut: bool = False,
    lenient: bool = False,
) -> Statement:
    """Return the verdict that a reply states in a form.

    `labels` are the words for text A, text B and, where it was offered, for a tie. In a reply that
    `is_cut` off, only a verdict stated whole counts. A `lenient` reading looks at the sentences of
    a reply that states a verdict in no form at all.

    Raises UnparsedReplyError for a reply that states no verdict or different ones, or takes one
    back.
    """
    own, offered = COMPARISON_FORMS[form], labels_of_words(labels)
    squeezed = squeeze_reply(_clean_answer(reply, is_cut=is_cut))
    whole = squeezed.text
    text = f"{whole}{_GOES_ON}" if is_cut else whole
    stated = list(own.find(text, offered))
    if not stated:
        if lenient and not is_cut and not any(True for _ in _find_statements(text, offered)):
            stated = list(find_in_free_text(text, offered))
        if not stated:
            raise UnparsedReplyError(f"it states no verdict in the form {form}")
    verdict = _require_agreement(stated)
    _must_not_be_contradicted(whole, verdict, own, offered)
    return squeezed.restore(verdict)


def read_mark(
    reply: str, scale: Scale, form: str = "mark-first", *, is_cut: bool = False
) -> Statement:
    """Return the mark that a reply gives in a form.

    Raises UnparsedReplyError as `read_verdict` does.
    """
    squeezed = squeeze_reply(_clean_answer(reply, is_cut=is_cut))
    whole = squeezed.text
    stated = list(MARK_FORMS[form].find(f"{whole}{_GOES_ON}" if is_cut else whole, scale))
    if not stated:
        raise UnparsedReplyError(f"it gives no score in the form {form}")
    mark = _require_agreement(stated)
    if any(other.verdict != mark.verdict for other in _find_marks(whole, scale)):
        raise UnparsedReplyError("it gives another score in another form")
    refuse_number_taken_back(whole, mark.end)
    return squeezed.restore(mark)


def propose_form(template: str, *, marks: bool = False) -> VerdictForm | MarkForm:
    """Return the form that a prompt's own words ask for, where it declares none."""
    forms: Sequence[VerdictForm | MarkForm]
    forms = list((MARK_FORMS if marks else COMPARISON_FORMS).values())
    signs = {
        "strength": r"\[\[[^\[\]\n>]*>[^\[\]\n]*\]\]",
        "brackets": r"\[\[",
        "json": r"\"(?:verdict|winner|score|rating)\"\s*:",
        "last": r"(?:verdict|score|rating)\s*:\s*\S",
    }
    for name, sign in signs.items():
        fitting = [form for form in forms if form.name.endswith(name)]
        if fitting and re.search(sign, template, re.IGNORECASE):
            return fitting[0]
    return forms[0]


def _clean_answer(reply: str, *, is_cut: bool) -> str:
    """Return the reply in plain letters, its thoughts blanked out.

    Raises UnparsedReplyError where nothing is left.
    """
    parts = split_thoughts(reply)
    text = narrow_characters(parts.blanked)
    if not text.strip():
        raise UnparsedReplyError("it ends while thinking" if parts.is_thinking else "it is empty")
    if parts.is_thinking:
        raise UnparsedReplyError("it thinks again at its end")
    if is_cut and parts.has_open_thought:
        raise UnparsedReplyError("it may have ended while thinking")
    return text.rstrip() if is_cut else text


def _require_agreement(stated: Sequence[Statement]) -> Statement:
    if len({(one.verdict, one.strength) for one in stated}) > 1:
        raise UnparsedReplyError("it states several different verdicts")
    return stated[-1]


def _find_statements(text: str, labels: Labels) -> Iterator[Statement]:
    """Yield the statements of a reply in all forms that name a label."""
    for find in _STRICT:
        try:
            yield from find(text, labels)
        except UnparsedReplyError:
            continue


def _find_marks(text: str, scale: Scale) -> Iterator[Statement]:
    """Yield the marks that a reply gives in any form."""
    for find in (find_mark_lines, *(form.find for form in MARK_FORMS.values())):
        try:
            yield from find(text, scale)
        except UnparsedReplyError:
            continue


def _must_not_be_contradicted(
    text: str, verdict: Statement, form: VerdictForm, labels: Labels
) -> None:
    """Refuse a verdict that is taken back, or stated otherwise in another form.

    A reason that concedes something does neither. Raises UnparsedReplyError.
    """
    if any(one.label != verdict.label for one in _find_statements(text, labels)):
        raise UnparsedReplyError("it states another verdict in another form")
    refuse_verdict_taken_back(text, verdict, labels)
    if form.name == "two-scores":
        refuse_number_taken_back(text, verdict.end)
    if form.name == "label-first":
        refuse_other_conclusion(text, verdict, labels)
