"""Sentences that pages and commands share: the rows of the audit log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ACTIONS = {
    "export": "exported",
    "role": "changed the role of",
    "email": "changed the e-mail address of",
    "access": "changed who may come in",
    "revoked": "revoked the links of",
    "restored": "restored the links of",
    "left": "ended the part of",
    "back": "took back",
    "opened to a crowd": "opened to a crowd the campaign",
    "closed to a crowd": "closed to a crowd the campaign",
    "listed server": "listed the server",
    "removed server": "removed the server",
}
"""Actions of the log that are no words by themselves."""
FILES = {"generations": "texts", "scores": "scores"}
"""What exports hold, where people call it otherwise."""
DETAILS = {
    "what": "{}",
    "names": "{}",
    "role": "as {}",
    "email": "{}",
    "campaign": "for the campaign {}",
    "until": "until {}",
    "links": "links: {}",
    "dataset": "in {}",
    "panel": "for the panel {}",
    "reason": "because: {}",
    "attribute": "{}",
    "address": "at {}",
    "key_variable": "with the key in {}",
    "backup": "as it was before: {}",
    "before": "as it was before: {}",
    "lost": "without {} judgements given since",
    "with_people": "with the people and links of the backup",
}
"""How each detail reads; any other is its name and value."""


def action(name: str) -> str:
    """Return the words for an action; its subject comes after them."""
    return ACTIONS.get(name, name)


def decision(details: Mapping[str, Any]) -> str:
    """Describe the details of a row of the log, without those that are empty."""
    rest = dict(details)
    said = (
        [_render_change(rest.pop("before"), rest.pop("now"))]
        if {"before", "now"} <= set(rest)
        else []
    )
    if rest.get("what"):
        rest["what"] = FILES.get(rest["what"], rest["what"])
    if rest.get("names"):
        rest["names"] = "with people's names"
    said += [
        DETAILS.get(name, f"{name}: {{}}").format(
            ", ".join(map(str, value)) if isinstance(value, list) else value
        )
        for name, value in rest.items()
        if value not in (None, "", 0, [])
    ]
    return ", ".join(filter(None, said))


def _render_change(before: Any, now: Any) -> str:
    """From one value to another; of wordings each part."""
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        return ", ".join(f"{name}: {_render_change(before.get(name), now[name])}" for name in now)
    return f"{before or 'none'} → {now or 'none'}"
