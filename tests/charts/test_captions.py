"""Captions: a picture says by itself what it shows, of how much, how surely, and how it was made."""

from __future__ import annotations

import re
from functools import partial

import pandas as pd

from core.findings.leaderboard.chart import ratings
from core.labels import file_name
from core.rendering.charts import Caption, CaptionedChart, picture
from core.rendering.charts.pictures import ON_PAPER

SIGNATURE = "win-ratio|judges:human|attribute:all|ties:half|boot:100|over:items|seed:0|v:0.1.0"
CAPTION = Caption(
    "How good each system is",
    "1,680 judgements",
    "95% intervals: Wilson score with an effective sample size, as answers about one item differ.",
    SIGNATURE,
)
ROWS = pd.DataFrame(
    {
        "system": ["heron", "wren"], "rating": [0.75, 0.25], "low": [0.5, 0.0],
        "high": [1.0, 0.5], "rank": [1, 2], "rank_low": [1, 2], "rank_high": [1, 2], "judgements": [8, 8],
    }
)  # fmt: skip
DRAWING = CaptionedChart(partial(ratings, ROWS, "win-ratio"), CAPTION)


def test_a_file_says_everything() -> None:
    drawn = picture(DRAWING.draw_captioned(), "svg").decode()
    said = " ".join(re.findall(r">([^<>]+)</t(?:ext|span)>", drawn))
    for part in (CAPTION.title, f"{CAPTION.n}. {CAPTION.interval}"):
        assert part in said
    assert SIGNATURE in said.replace("| ", "|")
    heard = DRAWING.draw_captioned().to_dict()["description"]
    assert heard.startswith("How good each system is. 1,680 judgements. 95%")
    assert re.search(r"\b2 systems\b.*\bbest first\b", heard)


def test_a_page_has_the_caption_in_words_that_wrap_as_wide_as_it_is() -> None:
    for theme in ("light", "dark"):
        chart = DRAWING.on_screen(theme).to_dict()
        assert "title" not in chart
        assert chart["description"].startswith(f"{CAPTION.title}. {CAPTION.n}. {CAPTION.interval}")


def test_what_no_picture_can_hold_is_replaced() -> None:
    """XML has no bell; the name that says "u0007" with a backslash is another."""
    rows = ROWS.assign(system=["a\x07bell\ufffe", r"b\u0007"])
    drawn = CaptionedChart(partial(ratings, rows, "win-ratio"), CAPTION).draw_captioned()
    said = re.findall(r">([^<>]+)</text>", picture(drawn, "svg").decode())
    assert "a\ufffdbell\ufffd" in said
    assert r"b\u0007" in said
    assert picture(drawn, "png").startswith(b"\x89PNG")


def test_a_long_signature_breaks_between_settings() -> None:
    long = Caption("All", "9 answers", signature=f"{SIGNATURE}|{SIGNATURE}")
    lines = CaptionedChart(DRAWING.draw, long).draw_captioned().to_dict()["title"]["subtitle"][1:]
    assert "".join(lines) == long.signature
    assert all(line.endswith("|") and len(line) <= ON_PAPER for line in lines[:-1])


def test_files_are_named_by_data_set_and_what_they_show() -> None:
    for dataset, file in (
        ("summeval", "summeval_leaderboard.svg"),
        ("My study / 2 .", "My-study-2_leaderboard.svg"),
        ("../../etc", "etc_leaderboard.svg"),
        ("研究", "研究_leaderboard.svg"),
        ("???", "data_leaderboard.svg"),
    ):
        assert file_name(dataset, "leaderboard", "svg") == file
