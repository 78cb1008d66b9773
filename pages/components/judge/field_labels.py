"""What the page Judge calls each setting, in its fields and in sentences about them."""

from __future__ import annotations

from core.models import Options
from core.records import plainly, spoken
from core.settings import list_settings

LABELS = {
    **{name: one.label for name, one in list_settings(Options).items() if one.label},
    "form": "Form of the verdict",
    "retry_failed": "Ask again",
}
"""The label of each setting's field."""


def with_labels(sentence: str) -> str:
    """A sentence in which each setting has the label of its field."""
    return spoken(sentence, lambda name: f"“{LABELS[name]}”" if name in LABELS else plainly(name))
