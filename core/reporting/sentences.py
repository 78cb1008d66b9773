"""Sentences that pages and commands share: the rows of the audit log, and a restoration before and
after it, with the answers it removes and brings back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from ..labels import pluralize
from ..records import plain_name
from ..store import backup_preview

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
}
"""How each detail reads; any other is its name and value."""
MOST = 20
"""People who are named in a sentence."""

_TITLES = {
    "votes": "votes that go",
    "answers": "answers that go",
    "votes_back": "votes that count again",
    "answers_back": "answers that count again",
}


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


def restoration(preview: backup_preview.RestorationPreview, *, done: bool = False) -> list[str]:
    """Write when the backup was last answered in, and how many answers go and come back.

    With `done`, the sentences are in the past tense.
    """
    when = f"last answered in on {preview.written[:16].replace('T', ' at ')} UTC"
    lines = [f"{preview.backup.name} was {when if preview.written else 'never answered in'}."]
    if preview.damage:
        return [
            *lines,
            f"The store as it {'was could not' if done else 'is cannot'} be read "
            f"({preview.damage}): what {'went' if done else 'goes'} is unknown.",
            f"All personal links are revoked {'now' if done else 'then'}, as nobody knows who was "
            "shut out since: invite people again.",
        ]
    lost, back = _render_counts(preview, ""), _render_counts(preview, "_back")
    alone = preview.sum("votes_back") + preview.sum("answers_back") == 1
    count = f"count{'s' if alone else ''}" if done else "would count"
    go = "went" if done else "would go"
    lines.append(f"{lost} given since {go}." if lost else f"No answer {go}.")
    if back:
        lines.append(f"{back} {count} again.")
    return lines


def left_behind(preview: backup_preview.RestorationPreview) -> list[str]:
    """Name what of a backup's schema is not Tandem's; no sentence where all is."""
    foreign = preview.foreign
    if not foreign:
        return []
    more = [f"{len(foreign) - MOST:,} more"] if len(foreign) > MOST else []
    return [
        f"Rows alone are taken. Not as Tandem makes it: {'; '.join([*foreign[:MOST], *more])}.",
    ]


def people_of_backup(
    preview: backup_preview.RestorationPreview, *, taken: bool | None = None, wanted: bool = False
) -> list[str]:
    """Name the people whom only the backup lets in, and say whether they come along.

    `taken` says whether they did, None before it is done; `wanted`, that somebody asked for it.
    There are no sentences for a backup that lets in nobody else.
    """
    people = preview.newcomers
    if people.empty or (preview.own and preview.damage):
        return []
    lines = []
    if not preview.own:
        lines.append("It is not a backup of this store.")
    names = []
    for row in people.head(MOST).to_dict("records"):
        links = [pluralize(row["links"], "link")] if row["links"] else []
        ways = [row["role"], *["sign-in"] * bool(row["sign_in"]), *links]
        names.append(f"{row['person']} ({', '.join(ways)})")
    more = [f"{len(people) - MOST:,} more"] if len(people) > MOST else []
    lines.append(f"It lets in: {', '.join([*names, *more])}.")
    come = preview.own or wanted if taken is None else taken
    if taken is None:
        lines.append("They come along." if come else "They do not come along unless you ask.")
    else:
        lines.append("They came along." if come else "None of them can come in.")
    if not come:
        lines.append("Names stay with the votes given under them.")
    return lines


def restoration_table(preview: backup_preview.RestorationPreview) -> pd.DataFrame:
    """A row for each data set that becomes another, with what changes alone: "12 → 10" of what is
    held. No rows and no columns where none does.
    """
    changes = preview.changes
    if changes.empty:
        return pd.DataFrame()
    rows = changes[["dataset"]].copy()
    for column, title in _TITLES.items():
        if preview.sum(column):
            rows[title] = changes[column]
    for what in backup_preview.HELD:
        then = changes[f"{what}_then"]
        if (changes[what] != then).any():
            pairs = zip(changes[what], then, strict=True)
            rows[plain_name(what)] = [f"{n:,} → {m:,}" if n != m else "" for n, m in pairs]
    return rows


def _render_counts(preview: backup_preview.RestorationPreview, suffix: str) -> str:
    votes, answers = preview.sum(f"votes{suffix}"), preview.sum(f"answers{suffix}")
    parts = [f"{pluralize(votes, 'vote')} of people"] if votes else []
    parts += [f"{pluralize(answers, 'answer')} of judges"] if answers else []
    return " and ".join(parts)
