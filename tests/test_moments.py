"""Moments as files write them; what they come to is by `date -u -d` of GNU coreutils."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from core.moments import DateOrder, date_parts, parse_moment, shared_orders

DAY, MONTH, YEAR = DateOrder


INSTANTS = [
    ("2024-03-01T09:00:00+09:00", "2024-03-01T00:00:00"),
    ("2024-03-01 09:00:00 +0900", "2024-03-01T00:00:00"),
    ("2024-02-29T23:30:00Z", "2024-02-29T23:30:00"),
    ("2024-02-29T23:30", "2024-02-29T23:30:00"),
    ("2024-3-1 9:05", "2024-03-01T09:05:00"),
    ("2024-03-01", "2024-03-01T00:00:00"),
    (1709254800, "2024-03-01T01:00:00"),
    ("1709254800", "2024-03-01T01:00:00"),
    (1709254800000, "2024-03-01T01:00:00"),
    ("1709254800000000", "2024-03-01T01:00:00"),
    (1709254800000000000, "2024-03-01T01:00:00"),
    ("2024/03/16 9:15:00 AM GMT+2", "2024-03-16T07:15:00"),
    ("2024/03/16 9:15:00 PM EST", "2024-03-17T02:15:00"),
    ("Sat Mar 16 2024 09:15:00 GMT+0100 (Central European Standard Time)", "2024-03-16T08:15:00"),
    ("Sat Mar 16 09:15:00 2024", "2024-03-16T09:15:00"),
    ("Fri, 15 Mar 2024 09:15:00 +0000", "2024-03-15T09:15:00"),
    ("March 5, 2024, 12:15 am", "2024-03-05T00:15:00"),
]


def test_every_way_to_write_a_moment_is_its_instant() -> None:
    for stated, moment in INSTANTS:
        assert parse_moment(stated) == f"{moment}.000000+00:00"


def test_fractions_are_kept_to_the_microsecond() -> None:
    assert parse_moment(1682351591.1322) == "2023-04-24T15:53:11.132200+00:00"
    assert parse_moment("2024-03-01T09:00:00.1234567Z") == "2024-03-01T09:00:00.123456+00:00"


NO_MOMENTS = [
        "", None, True, "not a date", "12:30", 12.5, "45.2", 1e300, float("nan"), float("inf"), -1, "2024-13-01",
        "0001-01-01T00:00:00", "1899-12-30", "2024-02-30", "03/04/2024", ["2024-03-01"], {"$date": "2024-03-01"},
        "2024-03-01 25:00", "9:15 AM", "10 IST 2024", "٣",
    ]  # fmt: skip


def test_what_is_no_moment_is_none() -> None:
    for stated in NO_MOMENTS:
        assert parse_moment(stated) == ""


ORDERED = [
    ("03/04/2024 10:00", DAY, "2024-04-03T10:00:00"),
    ("03/04/2024 10:00", MONTH, "2024-03-04T10:00:00"),
    ("3/16/2024 12:15:00\u202fAM", MONTH, "2024-03-16T00:15:00"),
    ("3/16/2024, 12:15 p.m.", MONTH, "2024-03-16T12:15:00"),
    ("29.02.2024 23:30", DAY, "2024-02-29T23:30:00"),
    ("16/02/201716:51:00", DAY, "2017-02-16T16:51:00"),
    ("24/02/28", YEAR, "2024-02-28T00:00:00"),
]


def test_dates_in_numbers_need_their_order() -> None:
    for stated, order, moment in ORDERED:
        assert parse_moment(stated) == ""
        assert parse_moment(stated, order) == f"{moment}.000000+00:00"


def test_a_date_that_does_not_fit_its_order_is_none() -> None:
    assert parse_moment("3/16/2024", DAY) == ""
    assert parse_moment("31/04/2024", DAY) == ""


COLUMNS = [
    (["03/04/2024", "28/02/2024"], {DAY}),
    (["03/04/2024", "2/28/2024"], {MONTH}),
    (["03/04/2024"], {DAY, MONTH}),
    (["03/03/2024"], {DAY}),  # the same date in both
    (["13/02/2024", "02/13/2024"], set()),
    (["3/16/24"], {MONTH}),
    (["24/02/28"], {DAY, DateOrder.YEAR_FIRST}),  # 24 February 2028, or 28 February 2024
]


def test_the_column_tells_the_order() -> None:
    for stated, orders in COLUMNS:
        parts = [parts for text in stated if (parts := date_parts(text))]
        assert {*shared_orders(parts)} == orders


@given(st.datetimes(datetime(1971, 1, 1), datetime(2900, 1, 1), timezones=st.just(UTC)))
def test_texts_sort_as_their_instants_do(moment: datetime) -> None:
    text = parse_moment(moment.isoformat())
    assert datetime.fromisoformat(text) == moment
    assert parse_moment(text) == text
    assert (text < "2024-01-01T00:00:00.000000+00:00") == (
        moment < datetime(2024, 1, 1, tzinfo=UTC)
    )


@given(st.text(max_size=30) | st.from_regex(r"[0-9/.: APMZ+-]{1,24}", fullmatch=True))
def test_no_text_breaks_it(text: str) -> None:
    for order in (None, *DateOrder):
        moment = parse_moment(text, order)
        assert not moment or parse_moment(moment) == moment
