"""Charts of many rows: short names that stay apart, an axis at both ends, columns of attributes,
and matrices that say of how much each cell is.
"""

from __future__ import annotations

import re
from itertools import combinations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.findings.agreement.chart import matrix
from core.findings.leaderboard.chart import ratings
from core.rendering.charts import Estimate, Scale, dots, picture, short
from core.rendering.charts.axes import TALL

PREFIX = "openai:gpt-4o-mini-2024-07-18|mode:"


def test_long_names_leave_out_what_they_share_and_short_ones_stay() -> None:
    names = [f"{PREFIX}{mode}|prompt:{n}|t:0" for mode in ("pair", "score") for n in (1, 2)]
    assert list(short([*names, "baseline:longer", "baseline:random"]).values()) == [
        "pair|prompt:1|t:0", "pair|prompt:2|t:0", "score|prompt:1|t:0", "score|prompt:2|t:0",
        "baseline:longer", "baseline:random",
    ]  # fmt: skip


@given(st.lists(st.text("ab|/: ·-", min_size=1, max_size=60), unique=True, max_size=6))
def test_no_two_names_become_the_same(names: list[str]) -> None:
    assert len(set(short(names).values())) == len(names)


def _board(systems: int) -> str:
    rows = pd.DataFrame({"system": [f"s{n}" for n in range(systems)], "rating": 0.5})
    rows = rows.assign(low=0.4, high=0.6, rank=1, rank_low=1, rank_high=2, judgements=9)
    return picture(ratings(rows, "win-ratio"), "svg").decode()


def test_many_systems_have_the_axis_above_them_too() -> None:
    few, many = (_board(n).count(">40%</text>") for n in (TALL, TALL + 1))
    assert (few, many) == (1, 2)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_attributes_are_columns_and_judges_rows(theme: str) -> None:
    rows = pd.DataFrame(
        [
            {"judge": judge, "attribute": attribute, "label": f"{judge} · {attribute}",
             "kind": "llm", "share": 0.5, "low": 0.4, "high": low, "n": 9}
            for judge in ("gpt", "claude")
            for attribute, low in (("fluency", 0.6), ("coherence", None))
        ]
    )  # fmt: skip
    chart = dots(rows, "share", Estimate("share", "low", "high", "n"), theme=theme)
    drawn = picture(chart, "svg").decode()
    words = re.findall(r">([^<>]+)</text>", drawn)
    assert [words.count(name) for name in ("gpt", "claude", "fluency", "coherence")] == [1] * 4
    assert drawn.count('aria-roledescription="point"') == 4


@pytest.mark.parametrize(("attributes", "lines"), [(4, 1), (5, 2), (6, 2), (9, 3)])
def test_many_attributes_go_on_below_and_fit_a_laptop(attributes: int, lines: int) -> None:
    rows = pd.DataFrame({"attribute": [f"attribute {n}" for n in range(attributes)], "share": 0.5})
    rows = rows.assign(label="x", judge="openai:gpt-4-turbo", kind="llm", low=0.4, high=0.6, n=9)
    chart = dots(rows, "share", Estimate("share", "low", "high", "n"))
    drawn = picture(chart, "svg").decode()
    assert drawn.count(">openai:gpt-4-turbo</text>") == lines
    assert int(re.findall(r'width="(\d+)', drawn)[0]) < 1000


def test_a_cell_says_of_how_many_it_is_and_is_paler_where_that_says_little() -> None:
    pairs = pd.DataFrame(combinations("abc", 2), columns=["judge_1", "judge_2"]).assign(
        agreement=0.9, agreement_low=[0.89, 0.2, None], agreement_high=[0.91, 1.0, None],
        kappa=0.5, low=0.4, high=0.6, verdicts=[1234, 5, 1],
    )  # fmt: skip
    chart = matrix(pairs, "agreement", "same verdict")
    drawn = picture(chart, "svg").decode()
    words = re.findall(r">([^<>]+)</text>", drawn)
    assert [words.count(number) for number in ("1,234", "5", "1", "90%")] == [2, 2, 2, 6]
    (cells,) = (rows for rows in chart.to_dict()["datasets"].values() if "sure" in rows[0])
    sure = {cell["verdicts"]: round(cell["sure"], 2) for cell in cells}
    assert sure == {1234: 0.98, 5: 0.3, 1: 0.3}


def test_titles_of_narrow_columns_are_wrapped_and_each_column_of_odds_has_ticks() -> None:
    rows = pd.DataFrame({"attribute": list("abcd"), "odds": [1.2, 1.1, 1.45, 1.15]})
    rows = rows.assign(label="x", judge="x", kind="llm", low=0.9, high=1.8, n=9)
    scale = Scale(None, ".2~r", reference=1.0, log=True)
    title = "pairs with the same verdict in both orders"
    chart = dots(rows, title, Estimate("odds", "low", "high", "n"), scale)
    drawn = picture(chart, "svg").decode()
    words = re.findall(r">([^<>]+)</(?:text|tspan)>", drawn)
    assert title not in words
    assert words.count("1") == words.count("1.5") == 4


@pytest.mark.parametrize(("low", "high"), [(1.02, 1.18), (0.98, 1.03), (0.9, 11.9), (1.001, 1.009)])
def test_no_two_ticks_of_odds_read_alike(low: float, high: float) -> None:
    rows = pd.DataFrame({"label": ["x", "y"], "kind": "llm", "odds": [low, high], "n": 9})
    rows = rows.assign(low=rows["odds"], high=rows["odds"])
    scale = Scale(None, ".2~r", reference=1.0, log=True)
    chart = dots(rows, "odds if twice as long", Estimate("odds", "low", "high", "n"), scale)
    drawn = picture(chart, "svg").decode()
    ticks = re.findall(r">(\d+(?:\.\d+)?)</text>", drawn)
    assert len(ticks) > 2
    assert len(set(ticks)) == len(ticks), ticks
