"""Forms of verdicts: how a prompt asks for its verdict, and how a reply states it."""

from core.judging.forms.comparisons import COMPARISON_FORMS
from core.judging.forms.form import (
    MarkForm,
    Statement,
    UnparsedReplyError,
    VerdictForm,
    reply_budget,
)
from core.judging.forms.labels import Labels
from core.judging.forms.marks import MARK_FORMS
from core.judging.forms.reading import propose_form, read_mark, read_verdict

__all__ = [
    "COMPARISON_FORMS",
    "MARK_FORMS",
    "Labels",
    "MarkForm",
    "Statement",
    "UnparsedReplyError",
    "VerdictForm",
    "propose_form",
    "read_mark",
    "read_verdict",
    "reply_budget",
]
