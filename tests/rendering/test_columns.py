"""Declared columns: how cells are written, and what is read where."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from core.exporting import hide
from core.findings.judgements import Finding
from core.rendering import (
    CHANGE,
    COUNT,
    NONE,
    POINTS,
    SHARE,
    SHARE_RATING,
    STRENGTH,
    WORDS,
    YES_NO,
    Amount,
    Column,
    Interval,
    Names,
    Place,
    Unit,
    lay_across,
    lay_out,
    write_html,
    write_text,
)

NAN = float("nan")
STUDENT = Interval("95% intervals: Student's.", "Student's")
COLUMNS = (
    Column("judge", "judge", names_people=True),
    Column(
        "rating", "rating", STRENGTH, "On the scale of Elo.", low="low", high="high",
        range_label="95% interval", interval=STUDENT,
    ),
    Column("share", "share won", SHARE, low="share_low", high="share_high"),
    Column("tied", "tied with", Names(noun="system"), place=Place.SCREEN),
    Column("why", "why", place=Place.FILES),
    Column("never", "never", COUNT),
)  # fmt: skip
ROWS = pd.DataFrame(
    {
        "judge": ["Ada <b>", "gpt"], "rating": [1099.4, NAN], "low": [1046.0, NAN],
        "high": [1149.0, NAN], "share": [0.72, 0.5], "share_low": [0.68, 0.501],
        "share_high": [0.761, 0.504], "tied": [("heron", "wren"), ()], "why": ["so", "so"],
        "never": [None, NAN],
    }
)  # fmt: skip


def test_a_value_is_written_by_its_unit() -> None:
    for unit, value, text in (
            (COUNT, 1234, "1,234"), (COUNT, pd.NA, "–"), (SHARE, 0.724, "72%"), (SHARE, NAN, "–"),
            (SHARE_RATING, 0.6534, "65.3%"), (STRENGTH, -0.2, "0"), (STRENGTH, 1098.6, "1,099"),
            (CHANGE, 12.3, "+12"), (CHANGE, -0.4, "0"), (CHANGE, -7, "-7"), (WORDS, "", "–"),
            (WORDS, "a", "a"), (SHARE, np.float64(0.724), "72%"), (SHARE, np.float64(NAN), "–"),
            (Amount(), 1234.5, "1,234"), (Amount(), 12.34, "12.3"), (Amount(), 0.0123, "0.012"), (Names(noun="system"), (), "–"), (Names(noun="system"), ("a",), "a"),
            (Names(noun="system"), ("a", "b"), "2 systems"),
        ):  # fmt: skip
        assert unit.write(value) == text


def test_a_count_is_read_as_its_share_and_stays_a_count() -> None:
    same = Column("same", "same in both", SHARE, low="low", high="high", of="pairs")
    rows = pd.DataFrame({"same": [9, 0], "pairs": [12, 0], "low": [0.5, NAN], "high": [0.9, NAN]})
    assert [row[0].text for row in lay_out(rows, [same]).rows] == ["75% (50 to 90)", "–"]
    assert rows["same"].tolist() == [9, 0]
    assert lay_out(rows[1:], [same]).headings == [], "nothing was asked in both orders"


def test_an_interval_stands_in_brackets() -> None:
    for unit, values, text in (
        (SHARE, (0.72, 0.68, 0.76), "72% (68 to 76)"),
        (SHARE, (0.502, 0.501, 0.504), "50.2% (50.1 to 50.4)"),
        (SHARE, (0.5, 0.5, 0.5), "50% (50 to 50)"),
        (STRENGTH, (1099.4, 1046, 1149), "1,099 (1,046 to 1,149)"),
        (STRENGTH, (1099.4, NAN, NAN), "1,099"),
        (STRENGTH, (NAN, NAN, NAN), "–"),
    ):
        assert unit.write_with_range(*values) == text
    assert (COUNT.write_range(1, 4), COUNT.write_range(2, 2)) == ("1 to 4", "2")
    assert COUNT.write_range(None, 2) == "–"


def test_a_screen_has_what_paper_has_no_room_for() -> None:
    """And neither has a column that says nothing."""
    screen, paper = (lay_out(ROWS, COLUMNS, place) for place in (Place.SCREEN, Place.PAPER))
    cells = {heading.label: cell.text
             for heading, cell in zip(screen.headings, screen.rows[0], strict=True)}  # fmt: skip
    assert list(cells.items()) == [
        ("judge", "Ada <b>"), ("rating", "1,099"), ("95% interval", "1,046 to 1,149"),
        ("share won (95%)", "72% (68 to 76)"), ("tied with", "2 systems"),
    ]  # fmt: skip
    labels = [heading.label for heading in paper.headings]
    assert labels == ["judge", "rating (95%)", "share won (95%)"]
    assert [cell.text for cell in paper.rows[1]] == ["gpt", "–", "50.0% (50.1 to 50.4)"]


def test_text_has_every_name_and_html_has_them_under_the_pointer() -> None:
    grid = lay_out(ROWS, COLUMNS)
    head, first, _ = write_text(grid).splitlines()
    assert head.split()[:2] == ["judge", "rating"]
    assert first.endswith("heron, wren")
    page = write_html(grid, 'ratings "of" <people>')
    assert "Ada &lt;b&gt;" in page
    assert 'title="heron, wren">2 systems<' in page
    [help_] = [column.help for column in COLUMNS if column.name == "rating"]
    assert f'title="{help_}"' in page
    assert 'aria-label="ratings &quot;of&quot; &lt;people&gt;"' in page


def test_a_finding_has_the_columns_that_are_declared() -> None:
    finding = Finding(ROWS, "x", 1, columns=COLUMNS)
    assert finding.interval == STUDENT.caption
    assert "Ada &lt;b&gt;" in finding._repr_html_()
    assert Finding(ROWS.assign(low=None), "x", 1, columns=COLUMNS).interval == ""
    with pytest.raises(ValueError, match="other"):
        Finding(ROWS.assign(other=1), "x", 1, columns=COLUMNS)
    with pytest.raises(ValueError, match="high"):
        Finding(ROWS.drop(columns="high"), "x", 1, columns=COLUMNS)


def test_people_are_hidden_where_a_column_names_them() -> None:
    """Elsewhere the same word is another's name."""
    rows = ROWS.assign(judge=["Ada", "gpt"], why=["Ada", "so"])
    hidden = hide(rows, {"Ada": "person-1"}, COLUMNS)
    assert hidden["judge"].tolist() == ["person-1", "gpt"]
    assert hidden["why"].tolist() == ["Ada", "so"]


def test_attributes_stand_beside_each_other() -> None:
    judge, share = COLUMNS[0], COLUMNS[2]
    rows = pd.DataFrame(
        {
            "judge": ["b", "a", "b"], "attribute": ["tone", "tone", "sense"],
            "share": [0.5, NAN, 0.72], "share_low": [NAN, NAN, 0.68],
            "share_high": [NAN, NAN, 0.761], "why": None,
        }
    )  # fmt: skip
    grid = lay_across(rows, [judge, Column("why", "why")], share)
    assert [heading.label for heading in grid.headings] == ["judge", "tone", "sense"]
    cells = [[cell.text for cell in row] for row in grid.rows]
    assert cells == [["b", "50%", "72% (68 to 76)"], ["a", "–", "–"]]


# ---- How numbers are written where a plain format would not do


REACHED = Unit(",.0f", infinite="not reached")


def test_points_are_of_a_hundred() -> None:
    assert POINTS.write(0.0342) == "+3.4"
    assert POINTS.write(-0.0001) == "0.0"
    assert POINTS.write_with_range(0.0342, -0.01, 0.0784) == "+3.4 (-1.0 to +7.8)"
    narrow = POINTS.write_with_range(0.03421, 0.03421, 0.03424)
    assert narrow == "+3.42 (+3.42 to +3.42)", "a digit more does not change the unit"
    assert REACHED.write(math.inf) == "not reached"
    assert REACHED.write_range(100.0, math.inf) == f"100 to {REACHED.write(math.inf)}"
    assert REACHED.write_range(math.inf, math.inf) == "not reached"
    assert REACHED.write(math.nan) == NONE
    assert Unit(".0%").write(math.inf) == "∞"
    assert [YES_NO.write(value) for value in (True, np.bool_(False), None)] == ["yes", "no", NONE]
    for value, form, said in (
        (0.724, ".0%", "72%"), (-0.001, ".0%", "0%"), (-0.001, "+.2f", "0.00"),
        (12345, ",.0f", "12,345"), (-2.5, "+.1f", "-2.5"), (NAN, ".2f", "–"),
        (None, ",.0f", "–"),
    ):  # fmt: skip
        assert Unit(form).write(value) == said


def test_many_names_are_the_first_and_how_many_more() -> None:
    """A leaderboard of 114 systems once listed 113 names in each row."""
    of = Names(noun="system")
    many = tuple(f"s{number}" for number in range(113))
    assert of.write(many) == "113 systems"
    assert of.write_whole(many) == "s0, s1, s2 and 110 more"
    whole = [of.write_whole(many[:n]) for n in (0, 1, 2, 4)]
    assert whole == [NONE, "s0", "s0, s1", "s0, s1, s2, s3"]
