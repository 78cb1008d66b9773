"""What the page Judge calls each setting, in its fields and in sentences about them."""

from __future__ import annotations

from core.records import plainly, spoken

LABELS = {
    "mode": "How it answers",
    "form": "Form of the verdict",
    "labels": "Labels",
    "max_tokens": "Most tokens of a reply",
    "temperature": "Temperature",
    "system_prompt": "System prompt",
    "stop": "Stop words",
    "extra_body": "Extra JSON",
    "lenient": "Guess the verdict of replies that state none",
    "stream": "Receive replies bit by bit",
    "api_version": "API version",
    "concurrency": "Requests at a time",
    "rpm": "Requests a minute",
    "tpm": "Tokens a minute",
    "timeout": "Timeout in seconds",
    "retry_failed": "Ask again",
}
"""The label of each setting's field."""


def with_labels(sentence: str) -> str:
    """A sentence in which each setting has the label of its field."""
    return spoken(sentence, lambda name: f"“{LABELS[name]}”" if name in LABELS else plainly(name))
