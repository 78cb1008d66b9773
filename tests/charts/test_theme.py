"""Charts: what is in the picture, in both themes, and that its colours can be told apart."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from functools import partial

import pandas as pd

from core.findings.leaderboard.chart import _spread_labels, matches, ratings, records, slopes
from core.labels import file_name
from core.rendering.charts import Caption, CaptionedChart, picture
from core.rendering.charts import theme as charts
from core.rendering.charts.pictures import ON_PAPER
from core.statistics.ratings import RATINGS

NAN = float("nan")
ROWS = pd.DataFrame({
    "system": ["heron", "a <b> & c", "never compared"], "rating": [0.75, 0.25, NAN],
    "low": [0.5, 0.0, NAN], "high": [1.0, 0.5, NAN], "rank": [1, 1, None],
    "rank_low": [1, 1, None], "rank_high": [2, 2, None], "judgements": [8, 8, 0],
}).astype({"rank": "Int64", "rank_low": "Int64", "rank_high": "Int64"})  # fmt: skip


def test_rows_are_drawn_best_first_without_those_never_compared() -> None:
    for theme in ("light", "dark"):
        drawn = ratings(ROWS, "win-ratio", theme=theme).to_dict()
        (rows,) = drawn["datasets"].values()
        assert [row["system"] for row in rows] == ["heron", "a <b> & c"]
        tooltips = drawn["layer"][0]["encoding"]["tooltip"]
        texts = {tooltip["title"]: rows[0][tooltip["field"]] for tooltip in tooltips}
        assert (texts["95% ranks"], texts["95% interval"]) == ("1 to 2", "50.0% to 100.0%")
        assert drawn["layer"][0]["encoding"]["y"]["sort"] == ["heron", "a <b> & c"]
        assert drawn["config"]["background"] == charts.PALETTES[theme].paper
        assert "http" not in json.dumps({**drawn, "$schema": ""})


def test_slopes_are_coloured_by_whether_the_change_is_certain() -> None:
    for theme in ("light", "dark"):
        rows = pd.DataFrame(
            {
                "system": ["up", "down", "chance", "unrated"], "elo": [1000, 1010, 990, float("nan")],
                "rating": [1020, 1000, 991, float("nan")], "change": [20, -10, 1, float("nan")],
                "change_low": [5, -20, -3, float("nan")], "change_high": [30, -1, 6, float("nan")],
                "low": float("nan"), "high": float("nan"),
            }
        )  # fmt: skip
        drawn = slopes(rows, theme=theme).to_dict()
        points = [row for data in drawn["datasets"].values() for row in data]
        moved = {row["system"]: row["moved"] for row in points}
        assert moved == {"up": "up", "down": "down", "chance": "not certain"}
        values = {(row["system"], row["method"]): row["value"] for row in points}
        assert values["down", "sep-Elo"] == 1000
        places = sorted({row["label"] for row in points}, reverse=True)
        assert places[0] == 1020
        assert charts.picture(slopes(rows), "svg")
    # Labels are moved apart and keep their order.
    assert len({method.axis for method in RATINGS.values()} - {""}) == len(RATINGS)
    apart = _spread_labels(pd.Series({"a": 10.0, "b": 9.5, "c": 4.0, "d": 9.4}), 2.0)
    assert apart.to_dict() == {"a": 10.0, "b": 8.0, "d": 6.0, "c": 4.0}


def test_records_are_shares_of_won_tied_and_lost() -> None:
    """Both bad is a part of its own, where anybody said so."""
    columns = ["opponent", "wins", "ties", "both_bad", "losses", "judgements"]
    rows = pd.DataFrame([("y", 3, 0, 0, 1, 4), ("x", 1, 1, 0, 2, 4)], columns=columns)
    drawn = records(rows).to_dict()
    bars = max(drawn["datasets"].values(), key=len)
    assert {(row["opponent"], row["kind"]): row["part"] for row in bars} == {
        ("x", "wins"): 0.25, ("x", "ties"): 0.25, ("x", "losses"): 0.5,
        ("y", "wins"): 0.75, ("y", "ties"): 0, ("y", "losses"): 0.25,
    }  # fmt: skip
    assert drawn["layer"][0]["encoding"]["y"]["sort"] == ["y", "x"], "as the rows are"
    svg = charts.picture(records(rows.assign(both_bad=[0, 4])), "svg").decode()
    assert "both bad" in svg
    assert svg.count("n = 4") >= 2


def test_a_matrix_is_coloured_where_it_is_certain() -> None:
    """x beats y surely, z perhaps; its cells say of how many answers."""
    columns = ["system", "opponent", "share", "low", "high", "judgements"]
    rows = pd.DataFrame([
        ("family/x", "family/y", 0.9, 0.8, 0.95, 40), ("family/y", "family/x", 0.1, 0.05, 0.2, 40),
        ("family/x", "family/z", 0.9, 0.4, 0.99, 3),
    ], columns=columns)  # fmt: skip
    drawn = matches(rows, ["family/x", "family/y", "family/z"])
    cells = max(drawn.to_dict()["datasets"].values(), key=len)
    assert [round(cell["clear"], 2) for cell in cells] == [0.3, -0.3, 0]
    assert [(cell["row"], cell["column"], cell["n"]) for cell in cells] == [
        ("x", "y", "40"), ("y", "x", "40"), ("x", "z", "3"),
    ]  # fmt: skip
    assert {cell["system"] for cell in cells} == {"family/x", "family/y"}, "whole on hover"


def test_a_picture_shows_the_systems() -> None:
    svg = ET.fromstring(charts.picture(ratings(ROWS, "win-ratio"), "svg"))
    words = {element.text for element in svg.iter()}
    assert {"heron", "a <b> & c", "never compared"} & words == {"heron", "a <b> & c"}
    png = charts.picture(ratings(ROWS, "elo"), "png", width=400)
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(png[16:20], "big") >= 800, "twice the size"
    named = ratings(ROWS.assign(system=["a name of twenty-nine letters", "b", "c"]), "elo")
    for width, is_whole in ((720, True), (300, False)):  # names leave room to the plot
        svg = ET.fromstring(charts.picture(named, "svg", width=width))
        words = {element.text for element in svg.iter()}
        assert ("a name of twenty-nine letters" in words) == is_whole


def test_colours_of_text_stand_out_from_the_paper() -> None:
    """Contrast by WCAG 2.2, 1.4.3: at least 3 for large or bold text, 4.5 else."""
    for name in ("a", "b", "ink", "quiet"):
        for theme in ("light", "dark"):
            palette = charts.PALETTES[theme]
            both = getattr(palette, name), palette.paper
            darker, lighter = sorted(map(_luminance, both))
            assert (lighter + 0.05) / (darker + 0.05) >= (3.0 if name in "ab" else 4.5)


def _luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(share * c for share, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


# ---- Captions: a picture says by itself what it shows, of how much, how surely, and how made


SIGNATURE = "win-ratio|judges:human|attribute:all|ties:half|boot:100|over:items|seed:0|v:0.1.0"
CAPTION = Caption(
    "How good each system is",
    "1,680 judgements",
    "95% intervals: Wilson score with an effective sample size, as answers about one item differ.",
    SIGNATURE,
)
CAPTIONED = ROWS[:2].assign(system=["heron", "wren"])
DRAWING = CaptionedChart(partial(ratings, CAPTIONED, "win-ratio"), CAPTION)


def test_a_file_says_everything() -> None:
    """A page has the caption in words that wrap as wide as it is."""
    drawn = picture(DRAWING.draw_captioned(), "svg").decode()
    said = " ".join(re.findall(r">([^<>]+)</t(?:ext|span)>", drawn))
    for part in (CAPTION.title, f"{CAPTION.n}. {CAPTION.interval}"):
        assert part in said
    assert SIGNATURE in said.replace("| ", "|")
    heard = DRAWING.draw_captioned().to_dict()["description"]
    assert heard.startswith("How good each system is. 1,680 judgements. 95%")
    assert re.search(r"\b2 systems\b.*\bbest first\b", heard)
    for theme in ("light", "dark"):
        chart = DRAWING.on_screen(theme).to_dict()
        assert "title" not in chart
        assert chart["description"].startswith(f"{CAPTION.title}. {CAPTION.n}. {CAPTION.interval}")
    # A long signature breaks between settings.
    long = Caption("All", "9 answers", signature=f"{SIGNATURE}|{SIGNATURE}")
    lines = CaptionedChart(DRAWING.draw, long).draw_captioned().to_dict()["title"]["subtitle"][1:]
    assert "".join(lines) == long.signature
    assert all(line.endswith("|") and len(line) <= ON_PAPER for line in lines[:-1])


def test_what_no_picture_can_hold_is_replaced() -> None:
    """XML has no bell; the name that says "u0007" with a backslash is another."""
    rows = CAPTIONED.assign(system=["a\x07bell\ufffe", r"b\u0007"])
    drawn = CaptionedChart(partial(ratings, rows, "win-ratio"), CAPTION).draw_captioned()
    said = re.findall(r">([^<>]+)</text>", picture(drawn, "svg").decode())
    assert "a\ufffdbell\ufffd" in said
    assert r"b\u0007" in said
    assert picture(drawn, "png").startswith(b"\x89PNG")


def test_files_are_named_by_data_set_and_what_they_show() -> None:
    for dataset, name in (
        ("summeval", "summeval"), ("My study / 2 .", "My-study-2"), ("../../etc", "etc"),
        ("研究", "研究"), ("???", "data"),
    ):  # fmt: skip
        assert file_name(dataset, "leaderboard", "svg") == f"{name}_leaderboard.svg"
