"""OpenAI's summaries with feedback (openai/summarize_from_feedback, comparisons): two summaries of
a post or an article, and which of them a worker chose.

A row has info (id, post or article), summaries (text and policy of each), choice (0 or 1), worker.
"""

from __future__ import annotations

from core.importing.entry import VOTE
from core.importing.layout import Layout, has
from core.importing.templates import choose_outcome, read_by, template
from core.records import Outcome

WORDS = {"0": Outcome.A, "1": Outcome.B}

_VOTE = template(
    VOTE, item="info.id", context=("info.post", "info.article"), judge="worker",
    system_a="summaries.0.policy", text_a="summaries.0.text",
    system_b="summaries.1.policy", text_b="summaries.1.text",
    outcome=choose_outcome("choice", WORDS, "choice"),
)  # fmt: skip

_HAS = has("info", "summaries", "choice", "worker")

LAYOUT = Layout(
    "summarize-feedback",
    "OpenAI's summaries with feedback",
    {read_by(_VOTE): lambda source: not source.mapping and _HAS(source)},
    ("post", "summary"),
    settings=("kind",),
)
