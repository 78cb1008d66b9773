"""How files are read, where it is not left to them: data that can be saved, cited and repeated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from core.importing.codes import Codes
from core.moments import DateOrder
from core.records import Kind


class ItemsAre(StrEnum):
    """What tells the items of a table apart: their names, or the texts they are about."""

    NAMES = "names"
    CONTEXTS = "contexts"


class Repeats(StrEnum):
    """Which answers count where a person answered the same question several times."""

    LAST = "last"
    FIRST = "first"
    ALL = "all"


@dataclass(frozen=True)
class Reading:
    """How files are to be read. What is left out, each file decides.

    `mapping` is field -> column or path ("" = not there); `codes` what the values of a winner
    column mean; `systems` their names in the file's order, `system_name` of the one system whose
    texts all of the file has; `kind` of those who gave votes or scores, `kinds` of raters who are
    of another; `dates` what comes first in dates in numbers, `zone` where times that name none were
    written (an IANA name, default UTC); `items` what an item is; `repeats` which answers of a
    person count; `lower_is_better` the attributes whose lower scores are better; `sheet` of a
    workbook; `encoding` of text that is not UTF-8.
    """

    layout: str = "auto"
    mapping: Mapping[str, str] = field(default_factory=dict)
    codes: Codes = field(default_factory=Codes)
    systems: tuple[str, ...] = ()
    system_name: str = ""
    kind: Kind | None = None
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    dates: DateOrder | None = None
    zone: str = ""
    items: ItemsAre | None = None
    repeats: Repeats = Repeats.LAST
    lower_is_better: tuple[str, ...] = ()
    sheet: str = ""
    encoding: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "systems", tuple(self.systems))
        object.__setattr__(self, "system_name", self.system_name.strip())
        object.__setattr__(self, "lower_is_better", tuple(self.lower_is_better))


USUAL = Reading()
"""Nothing was said: every file decides for itself."""
