"""Moments as files write them, read as instants of UTC.

A date such as 03/04/2024 does not say whether the day or the month comes first. The caller decides
(`DateOrder`), or asks which readings are possible (`date_parts`, `shared_orders`).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from enum import StrEnum

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST_YEAR = 1970  # before it stand zeros of programs, such as 1899-12-30 and 0001-01-01


class DateOrder(StrEnum):
    """The part that comes first in a date written in numbers."""

    DAY_FIRST = "day-first"
    MONTH_FIRST = "month-first"
    YEAR_FIRST = "year-first"


DateParts = tuple[str, str, str]
"""The three numbers of a date, as they are written."""

CANONICAL = "????-??-??T??:??:??.??????+00:00"
"""The form of every instant in a store, as SQLite's GLOB: texts of it sort by time."""

_NUMBER = re.compile(r"\d{9,20}(\.\d+)?")
# From a number on, what it counts since 1970, and how many microseconds that is: from 1973 on the
# ranges do not meet.
_UNITS = ((1e17, 0.001), (1e14, 1), (1e11, 1_000), (1e8, 1_000_000))

_TIME = r"""(?P<hour>\d{1,2}) (?: :(?P<minute>\d\d) (?: :(?P<second>\d\d)
    (?: [.,](?P<fraction>\d+) )? )? )? (?: \s?(?P<half>[ap])\.?\s?m\.? )?"""
_ZONE = r"(?: \s?(?P<zone> Z | (?:UTC|GMT)?\s?[+-]\d\d?(?: :?\d\d)? | [A-Z]{3,4} ) )?"
_REST = rf"(?: (?: ,?\s | T | (?<=\d\d\d\d) ) {_TIME} {_ZONE} (?: \s\([^()]*\) )? )?"
_NUMERIC = re.compile(
    r"(?P<one>\d{1,4}) (?P<sign>[/.-]) (?P<two>\d\d?) (?P=sign) (?P<three>\d{4}|\d\d?)" + _REST,
    re.VERBOSE | re.IGNORECASE,
)
_WEEKDAY = r"(?: [A-Z]{3,9}\.?,?\s )?"
_MONTH = r"(?P<month>[A-Z]{3,9})\.?"
_NAMED = (
    rf"{_WEEKDAY} (?P<day>\d\d?)(?:st|nd|rd|th|\.)? [\s-] {_MONTH},? [\s-] "
    rf"(?P<year>\d{{4}}) {_REST}",
    rf"{_WEEKDAY} {_MONTH} \s (?P<day>\d\d?)(?:st|nd|rd|th)?,? \s (?P<year>\d{{4}}) {_REST}",
    rf"{_WEEKDAY} {_MONTH} \s (?P<day>\d\d?) \s {_TIME} {_ZONE} \s (?P<year>\d{{4}})",
)
_BY_NAME = tuple(re.compile(form, re.VERBOSE | re.IGNORECASE) for form in _NAMED)
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
# Hours east of Greenwich: RFC 5322, 4.3, and the names of Europe's. Others, such as IST, have
# several meanings.
_ZONES = {
    "Z": 0, "UTC": 0, "GMT": 0, "WET": 0, "WEST": 1, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3,
    "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
}  # fmt: skip


def parse_moment(value: object, order: DateOrder | None = None, zone: tzinfo = UTC) -> str:
    """Return the instant in a cell, as UTC text of one form; '' if the cell has no date.

    It reads ISO 8601 with and without time, and seconds to nanoseconds since 1970. Dates may be in
    numbers or have the month's name, hours may be of 12 or 24, and offsets and zones are read. A
    cell without a zone is in `zone`. A date in numbers that does not begin with the year is read in
    `order`; it gives '' without one, or in an order that does not fit.
    """
    try:
        moment = _read(" ".join(value.split()) if isinstance(value, str) else value, order, zone)
        moment = moment.astimezone(UTC) if moment else None
    except (ValueError, OverflowError):
        return ""
    if moment is None or moment.year < FIRST_YEAR:
        return ""
    return moment.isoformat(timespec="microseconds")


def date_parts(value: object) -> DateParts | None:
    """Return the three numbers of a date whose order is open, as written.

    These begin with the day or the month, or have a year of two digits. Returns None for other
    cells.
    """
    found = _NUMERIC.fullmatch(" ".join(value.split())) if isinstance(value, str) else None
    if found is None or len(found["one"]) > 2:
        return None
    return found["one"], found["two"], found["three"]


def possible_orders(parts: DateParts) -> set[DateOrder]:
    """Return the orders in which three numbers are a valid date."""
    return {order for order in DateOrder if _has_date(parts, order)}


def shared_orders(dates: Collection[DateParts]) -> list[DateOrder]:
    """Return the orders in which all of these are valid dates.

    Only the first is returned if all orders give the same dates.
    """
    orders = [
        order for order in DateOrder if dates and all(_has_date(parts, order) for parts in dates)
    ]
    same = all(len({_date(parts, order) for order in orders}) == 1 for parts in dates)
    return orders[:1] if same else orders


def _read(value: object, order: DateOrder | None, zone: tzinfo) -> datetime | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if not isinstance(value, str) or _NUMBER.fullmatch(value):
        return _since_epoch(value)
    with suppress(ValueError):
        moment = datetime.fromisoformat(value)
        return moment if moment.tzinfo else moment.replace(tzinfo=zone)
    if found := _NUMERIC.fullmatch(value):
        parts = found.group("one", "two", "three")
        year_first = len(parts[0]) == 4
        if not year_first and order is None:
            return None
        date = _date(parts, DateOrder.YEAR_FIRST if year_first else order)  # type: ignore[arg-type]
        return _add_time(date, found, zone)
    for form in _BY_NAME:
        if found := form.fullmatch(value):
            month = _month(found["month"])
            return _add_time((int(found["year"]), month, int(found["day"])), found, zone)
    return None


def _since_epoch(value: str | int | float) -> datetime | None:
    number = float(value)
    for least, microseconds in _UNITS:
        if number >= least:
            exact = int(value) if isinstance(value, int) or value == str(int(number)) else number
            return EPOCH + timedelta(microseconds=round(exact * microseconds))
    return None


def _has_date(parts: DateParts, order: DateOrder) -> bool:
    try:
        return datetime(*_date(parts, order)).year >= FIRST_YEAR
    except ValueError:
        return False


def _date(parts: DateParts, order: DateOrder) -> tuple[int, int, int]:
    """Return year, month and day. Raises ValueError if the order does not fit the digits."""
    one, two, three = parts
    match order:
        case DateOrder.DAY_FIRST:
            year, month, day = three, two, one
        case DateOrder.MONTH_FIRST:
            year, month, day = three, one, two
        case DateOrder.YEAR_FIRST:
            year, month, day = one, two, three
    if len(year) not in (2, 4) or len(day) > 2:
        raise ValueError
    # POSIX: 69 to 99 are of the last century
    century = 0 if len(year) == 4 else 1900 if int(year) >= 69 else 2000
    return century + int(year), int(month), int(day)


def _month(name: str) -> int:
    """Return the number of a month by its English name or the first letters of it."""
    short = name.casefold()
    short = "sep" if short == "sept" else short
    matching = [
        number for number, month in enumerate(_MONTHS, start=1) if short in (month, month[:3])
    ]
    if not matching:
        raise ValueError
    return matching[0]


def _add_time(date: tuple[int, int, int], found: re.Match[str], zone: tzinfo) -> datetime:
    """Return the moment of a date and the time written beside it; midnight if there is no time."""
    hour, minute, second = (int(found[name] or 0) for name in ("hour", "minute", "second"))
    if half := found["half"]:
        if not 1 <= hour <= 12:
            raise ValueError
        hour = hour % 12 + 12 * (half in "pP")
    elif found["hour"] and not found["minute"]:
        raise ValueError
    fraction = int((found["fraction"] or "0")[:6].ljust(6, "0"))
    named = _zone(found["zone"]) if found["zone"] else zone
    return datetime(*date, hour, minute, second, fraction, tzinfo=named)


def _zone(name: str) -> timezone:
    name = name.upper().replace(" ", "")
    if name in _ZONES:
        return timezone(timedelta(hours=_ZONES[name]))
    found = re.fullmatch(r"(?:UTC|GMT)?([+-])(\d\d?)(?::?(\d\d))?", name)
    if found is None:
        raise ValueError
    east = timedelta(hours=int(found[2]), minutes=int(found[3] or 0))
    return timezone(east if found[1] == "+" else -east)
