"""Names that a file gives to items, systems, attributes and judges."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any

from core.importing.layout import Record
from core.records import Attribute, Item, JudgeSpec, System, TandemError

CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""Signs that a terminal takes for commands, and no screen can show. A tab and the end of a line are
none: a prompt may be an item's name.
"""


def check_names(records: Iterable[Record]) -> None:
    """Raises ValueError for a name with a control character in it."""
    for record in records:
        names = _NAMES.get(type(record))
        if names and not "".join(said := names(record)).isprintable():  # as nearly all are
            for name in filter(has_control, said):
                raise ValueError(f"a control character in the name {name[:60]!a}")


def check_dataset(name: str) -> None:
    """Raises TandemError where a data set cannot be called so."""
    if has_control(name):
        raise TandemError(f"the name {name[:60]!a} has a control character: type it without")


def has_control(name: str) -> bool:
    """Whether a name has a control character in it."""
    return not name.isprintable() and CONTROL.search(name) is not None


_NAMES: dict[type, Callable[[Any], tuple[str, ...]]] = {
    Item: attrgetter("key", "subset"),
    **dict.fromkeys((System, Attribute, JudgeSpec), lambda named: (named.name,)),
}
"""The names in each record that has any."""
