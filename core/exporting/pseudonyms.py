"""Pseudonyms in exported figures and answers.

People who annotate here were promised nothing about strangers reading their names. Raters who came
with a file keep the names that the file gives them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import pandas as pd

from ..records import FaultError
from ..rendering import Column
from ..store import Store

NAMING = (
    "annotator", "judge", "judge_1", "judge_2", "rater", "panel", "model", "reference", "against",
)  # fmt: skip
"""Columns that hold names of judges, wherever there are some."""

DECIDED_BY = "by"
"""The column of who decided, who may have annotated nothing, and so has no pseudonym."""

SCREEN = "screen"
"""The column of what was on screen; of a decision it says who decided."""

LABEL = "label"
"""The column of what a row is called in a chart: a judge, and perhaps an attribute."""

WRITTEN = "['=' + datum.label]"
"""What ends the expression that writes the labels of an axis: each has a sign before it there."""


def hide(
    frame: pd.DataFrame, pseudonyms: Mapping[str, str], columns: Sequence[Column] = ()
) -> pd.DataFrame:
    """Return the frame with pseudonyms for all names in columns that name people.

    If no `columns` are declared, those of NAMING name people, a column may itself be called by a
    name, and who decided where people disagreed is removed.
    """
    if columns:
        people = [column.name for column in columns if column.names_people]
        return frame.assign(**{name: frame[name].replace(dict(pseudonyms)) for name in people})
    frame = frame.drop(columns=DECIDED_BY, errors="ignore")
    if SCREEN in frame:
        decided = frame[SCREEN].astype(str).str.startswith('{"adjudicated_by"')
        frame = frame.assign(**{SCREEN: frame[SCREEN].mask(decided, "")})
    if not pseudonyms:
        return frame
    naming = [name for name in NAMING if name in frame]
    hidden = frame.assign(
        **{name: frame[name].map(lambda cell: pseudonyms.get(cell, cell)) for name in naming}
    )
    if LABEL in frame:
        hidden[LABEL] = frame[LABEL].map(lambda cell: _stand_in(cell, pseudonyms))
    return hidden.rename(columns=pseudonyms)


def _stand_in(text: str, pseudonyms: Mapping[str, str]) -> str:
    """Return a label with its name replaced: it is a name, or begins with one."""
    for name, short in pseudonyms.items():
        if text == name or text.startswith((f"{name} · ", f"{name} (")):
            return short + text.removeprefix(name)
    return text


def names_in(frame: pd.DataFrame, pseudonyms: Mapping[str, str]) -> bool:
    """Return whether a frame has a name that would be replaced."""
    cells = {cell for name in NAMING if name in frame for cell in frame[name].dropna().unique()}
    return not pseudonyms.keys().isdisjoint(cells | set(frame.columns))


def hide_in(drawn: Any, pseudonyms: Mapping[str, str]) -> Any:
    """Return a chart as the JSON it is written in, with every label that holds a name replaced,
    also in the expression with which an axis writes its labels in lines.
    """
    if isinstance(drawn, dict):
        return {key: hide_in(value, pseudonyms) for key, value in drawn.items()}
    if isinstance(drawn, list):
        return [hide_in(value, pseudonyms) for value in drawn]
    if not isinstance(drawn, str):
        return drawn
    if drawn.startswith("{") and drawn.endswith(WRITTEN):
        labels = json.loads(drawn.removesuffix(WRITTEN))
        hidden = {_stand_in(label[1:], pseudonyms): label for label in labels}
        lines = {f"={new}": labels[old] if new == old[1:] else new for new, old in hidden.items()}
        return json.dumps(lines) + WRITTEN
    return _stand_in(drawn, pseudonyms)


def hide_in_words(text: str, pseudonyms: Mapping[str, str]) -> str:
    """Return a sentence or a signature with every name in it replaced."""
    names = "|".join(re.escape(name) for name in sorted(pseudonyms, key=len, reverse=True))
    return re.sub(rf"(?<!\w)(?:{names})(?!\w)", lambda name: pseudonyms[name[0]], text)


def record(store: Store, who: str, what: str, subject: str, *, names: bool) -> None:
    """Write down in the audit log that something was exported. Where the store cannot be written,
    only what holds no names may leave: raises FaultError otherwise.
    """
    if names:
        store.audit.add(who, "export", subject, what=what, names="with names")
        return
    with suppress(FaultError):
        store.audit.add(who, "export", subject, what=what)
