"""Forms of verdicts: how a prompt asks for its verdict, and how a reply states it."""

from .comparisons import COMPARISON_FORMS
from .form import (
    Statement,
    UnparsedReplyError,
    VerdictForm,
    reply_budget,
)
from .labels import Labels
from .marks import MARK_FORMS
from .reading import propose_form, read_mark, read_verdict
