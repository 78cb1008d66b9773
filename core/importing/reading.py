"""Settings for reading files, if the files do not decide: data that can be saved, cited and
repeated.

Each setting is declared once, beside its field: its key in a saved reading, its option on the
command line and its label on the page come from there.
"""

# ruff: noqa: RUF009  # `_setting` makes fields

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, tzinfo
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ..moments import DateOrder
from ..records import Kind, TandemError, option_ref
from ..settings import Setting
from .codes import MEANS, Codes

Value = str | tuple[str, ...] | Mapping[str, str]
"""What a setting says: a text, several, or a table of texts."""


class ItemsAre(StrEnum):
    """Kinds of keys that distinguish the items of a table: their names, or the texts they are
    about.
    """

    NAMES = "names"
    CONTEXTS = "contexts"


class Repeats(StrEnum):
    """Answers that count if a person answered the same question several times."""

    LAST = "last"
    FIRST = "first"
    ALL = "all"


@dataclass(frozen=True)
class ReadingSetting(Setting):
    """A setting that also has a `key` in a saved reading, behind its section.

    `name` is that of `core.records.option_ref`. `usual` is the value of a setting that nobody gave,
    and shows which sort of value it takes. `words` are its choices.
    """

    name: str = ""
    key: str = ""
    words: type[StrEnum] | tuple[str, ...] = ()
    usual: Value = ""

    @property
    def last_key(self) -> str:
        """The key without its section."""
        return self.key.rpartition(".")[2]

    def parse_value(self, value: Value) -> Any:
        """Return the value that words mean; None where a choice was not made."""
        if not isinstance(self.words, type):
            return value
        if isinstance(value, Mapping):
            return {name: self.words(word) for name, word in value.items()}
        return self.words(str(value)) if value else None


def _setting(name: str, key: str, help_: str, label: str = "", **more: Any) -> Any:
    declared = _declare(name, key, help_, label, **more)
    metadata = {"settings": (declared,)}
    if isinstance(declared.usual, Mapping):
        return field(default_factory=dict, metadata=metadata)
    return field(default=declared.parse_value(declared.usual), metadata=metadata)


def _declare(name: str, key: str, help_: str, label: str = "", **more: Any) -> ReadingSetting:
    choices = {} if "metavar" in more else {word: word for word in more.get("words", ())}
    return ReadingSetting(
        lambda: help_, label, name=name, key=key, list_choices=lambda: choices, **more
    )


def _value_setting(name: str, part: str, meaning: str, label: str) -> ReadingSetting:
    help_ = f"what in the winner column means {meaning}"
    return _declare(name, f"winner.{part}", help_, label, metavar="VALUE", usual=())


WINNER_SETTINGS = (
    _value_setting(
        "first_wins", "first", "that the first system won; a number, range (1..3) or word", "first"
    ),
    _value_setting(
        "second_wins", "second", "that the second system won; a number, range (1..3) or word",
        "second",
    ),
    _value_setting("tie", "tie", "a tie", "tie"),
    _value_setting("both_bad", "both_bad", "that both are bad", "both bad"),
    _value_setting("no_answer", "no_answer", "that nobody answered", "no answer"),
    _declare(
        "winner_means", "winner.means",
        "what the winner column names, where it could be either: a system, a side, or a text",
        words=tuple(MEANS),
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Reading:
    """Settings for reading files. Each file decides the settings that are left out.

    `mapping` is field -> column or path ("" = not there); `codes` what the values of a winner
    column mean; `kinds` are raters who are of another kind than `kind`.
    """

    layout: str = _setting("format", "format", "layout of the files", "What is it?", usual="auto")
    mapping: Mapping[str, str] = _setting(
        "map", "fields",
        "the column of each field, or a path such as question.id; FIELD= if there is none. "
        "A prompt in two columns is context=A+B",
        metavar="FIELD=COLUMN", usual={},
    )  # fmt: skip
    codes: Codes = field(default_factory=Codes, metadata={"settings": WINNER_SETTINGS})
    systems: tuple[str, ...] = _setting(
        "systems", "systems",
        "names of the systems in the file's order, where it does not say them",
        "Systems, where the file does not name them", metavar="NAME", usual=(),
    )  # fmt: skip
    system_name: str = _setting(
        "system_name", "system_name",
        "the one system that wrote all texts of the file, where it has no column for that",
        "System, where all texts are of one", metavar="NAME",
    )  # fmt: skip
    kind: Kind | None = _setting(
        "kind", "kind",
        "who gave votes or scores, where files do not say (default human; llm in layouts of "
        "Arena-Hard and AlpacaEval)",
        "Votes and scores are by", words=Kind,
    )  # fmt: skip
    kinds: Mapping[str, Kind] = _setting(
        "kinds", "raters",
        "raters of a column score:RATER:ATTRIBUTE or winner:RATER who are of another kind",
        "Kind of rater", metavar="RATER=KIND", words=Kind, usual={},
    )  # fmt: skip
    dates: DateOrder | None = _setting(
        "dates", "times.dates",
        "what comes first in dates such as 03/04/2024, where the column leaves it open",
        "What comes first in dates?", words=DateOrder,
    )  # fmt: skip
    zone: str = _setting(
        "zone", "times.zone",
        "where times that name no zone were written, such as Europe/Berlin (default UTC)",
        "Time zone, where times name none", metavar="NAME",
    )  # fmt: skip
    items: ItemsAre | None = _setting(
        "items", "items.are",
        "what an item is, where there are both: a name in the item column, or a context",
        "An item is", words=ItemsAre,
    )  # fmt: skip
    repeats: Repeats = _setting(
        "repeats", "repeats",
        "which answers count where a person answered the same question several times (default "
        "last)",
        "Where somebody answered twice", words=Repeats, usual=Repeats.LAST.value,
    )  # fmt: skip
    lower_is_better: tuple[str, ...] = _setting(
        "lower_is_better", "scores.lower_is_better",
        "attributes whose lower scores are better, such as a rank",
        "Attributes whose lower scores are better", metavar="ATTRIBUTE", usual=(),
    )  # fmt: skip
    unused: tuple[str, ...] = _setting(
        "unused", "unused", "columns that are left out although they may hold answers",
        "Columns to leave out", metavar="COLUMN", usual=(),
    )  # fmt: skip
    sheet: str = _setting(
        "sheet", "sheet", "the sheet of a workbook (default all alike)", "Sheet", metavar="NAME"
    )
    encoding: str = _setting(
        "encoding", "encoding", "the encoding of text that is not UTF-8, such as gbk", "Encoding",
        metavar="NAME",
    )  # fmt: skip

    def __post_init__(self) -> None:
        object.__setattr__(self, "systems", tuple(self.systems))
        object.__setattr__(self, "system_name", self.system_name.strip())
        object.__setattr__(self, "lower_is_better", tuple(self.lower_is_better))
        object.__setattr__(self, "unused", tuple(self.unused))

    @property
    def time_zone(self) -> tzinfo:
        """Return the zone for times that name none. Raises TandemError for an unknown place."""
        if not self.zone:
            return UTC
        try:
            return ZoneInfo(self.zone)
        except (ValueError, OSError, ZoneInfoNotFoundError):
            raise TandemError(
                f"{option_ref('zone')} {self.zone[:60]}: there is no such time zone; name one such "
                "as Europe/Berlin or America/New_York"
            ) from None


USUAL = Reading()
"""Nothing was said: every file decides for itself."""

SETTINGS: dict[str, ReadingSetting] = {
    each.name: each for part in fields(Reading) for each in part.metadata["settings"]
}
"""Every setting of a reading by its name."""


def list_settings(reading: Reading) -> dict[str, Value]:
    """Return the value of each setting by its name, in words."""
    values: dict[str, Value] = {}
    for part in fields(Reading):
        held = getattr(reading, part.name)
        for each in part.metadata["settings"]:
            value = getattr(held, each.last_key) if part.name == "codes" else held
            values[each.name] = "" if value is None else value
    return values


def with_settings(reading: Reading, values: Mapping[str, Value]) -> Reading:
    """Return the reading with these settings instead of its own; of a table, such as `map`, only
    what is named changes. Raises TandemError where a value of the winner gets two meanings.
    """
    changes: dict[str, Any] = {}
    for part in fields(Reading):
        given = {
            each.last_key: each.parse_value(values[each.name])
            for each in part.metadata["settings"]
            if each.name in values
        }
        if part.name == "codes":
            changes["codes"] = replace(reading.codes, **given)
            continue
        for value in given.values():
            is_table = isinstance(value, Mapping)
            changes[part.name] = {**getattr(reading, part.name), **value} if is_table else value
    return replace(reading, **changes)
