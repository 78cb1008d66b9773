"""Pictures on pages: there is one way to show them, which gives each its title and its files."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest
from pyarrow.ipc import open_stream
from streamlit.testing.v1 import AppTest

from core.rendering.charts import CaptionedChart
from core.store import Store
from tests.paths import ROOT

ONE_WAY = ROOT / "pages/components/shared/picture.py"
DRAWERS = ("altair_chart", "vega_lite_chart", "line_chart", "bar_chart", "scatter_chart", "pyplot")


def test_no_page_shows_a_chart_in_another_way() -> None:
    for path in (ROOT / "pages").rglob("*.py"):
        calls = [
            node
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in DRAWERS
        ]
        assert len(calls) == (path == ONE_WAY), path


def _board() -> None:
    """A picture as a page shows it, and the same as altair and Streamlit alone would."""
    from functools import partial

    import pandas as pd
    import streamlit as st

    from core.findings.leaderboard.chart import ratings
    from core.rendering.charts import Caption, CaptionedChart
    from pages.components.shared.picture import show_picture

    st.session_state["dataset"] = "tiny"
    rows = pd.DataFrame(
        {
            "system": ["b", "a"], "rating": [0.75, 0.25], "low": [0.5, None], "high": [1.0, None],
            "judgements": [4, 4], "rank": [1.0, 2.0], "rank_low": [1.0, 1.0], "rank_high": [2.0, 2.0],
            "tied_with": [["a"], ["b"]], "wins": [3, 1], "losses": [1, 3], "ties": [0, 0],
        }
    )  # fmt: skip
    rows = rows.head(st.session_state.get("rows", 2))
    drawing = CaptionedChart(
        partial(ratings, rows, "win-ratio"), Caption("Ratings", "4 judgements")
    )
    show_picture("board", drawing.draw, drawing.caption, rows)
    st.altair_chart(drawing.on_screen("light"), theme=None)


def _drawn(app: AppTest) -> list[tuple[str, list[list[Any]]]]:
    """What the browser is sent of each chart: the drawing and its rows, however laid out."""
    return [
        (
            re.sub(r'"name": "[0-9a-f]{32}"', '"name": ""', element.proto.spec),
            [open_stream(each.data.data).read_all().to_pylist() for each in element.proto.datasets],
        )
        for element in app.get("vega_lite_chart")
    ]


def test_a_chart_is_drawn_once_for_all_readers_and_shows_what_it_would_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn, on_screen = [], CaptionedChart.on_screen
    monkeypatch.setattr(
        CaptionedChart,
        "on_screen",
        lambda self, theme: drawn.append(theme) or on_screen(self, theme),
    )
    with Store(tmp_path / "store.sqlite3") as store:
        path = store.path
    readers = [AppTest.from_function(_board) for _ in range(5)]
    for reader in readers:
        reader.session_state["store path"] = path
        assert not reader.run().exception
        shared, alone = _drawn(reader)
        assert json.loads(shared[0]) == json.loads(alone[0])
        assert shared[1] == alone[1] != []
    assert len(drawn) == 1 + len(readers)  # once for all, and by each alone
    readers[0].session_state["rows"] = 1
    fewer, alone = _drawn(readers[0].run())
    assert fewer == alone != shared
    assert len(drawn) == 3 + len(readers)


def test_a_chart_that_could_not_be_drawn_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_screen, broken = CaptionedChart.on_screen, [True]

    def draw(self: CaptionedChart, theme: str) -> Any:
        if broken:
            raise MemoryError
        return on_screen(self, theme)

    monkeypatch.setattr(CaptionedChart, "on_screen", draw)
    reader = AppTest.from_function(_board)
    with Store(tmp_path / "store.sqlite3") as store:
        reader.session_state["store path"] = store.path
    assert reader.run().exception
    broken.clear()
    assert not reader.run().exception
    assert len(_drawn(reader)) == 2


def _many() -> None:
    """A page of 53 rows, two of each system."""
    import pandas as pd
    import streamlit as st

    from pages.components.shared.tables import first_rows

    names = [*(f"gpt-{n}" for n in range(50)), "Claude-2", "llama", "vicuna"]
    rows = pd.DataFrame({"system": names})
    rows = pd.concat([rows, rows])
    st.dataframe(first_rows(rows, "system", "system", "board"))


def test_of_many_rows_the_first_are_shown_and_all_are_found() -> None:
    app = AppTest.from_function(_many).run()
    assert not app.exception
    shown = app.dataframe[0].value["system"]
    assert shown.tolist() == [f"gpt-{n}" for n in range(15)] * 2
    app.multiselect[0].set_value(["Claude-2"]).run()
    assert app.dataframe[0].value["system"].tolist()[-2:] == ["gpt-14", "Claude-2"]
    app.toggle[0].set_value(True).run()
    assert len(app.dataframe[0].value) == 106


def _table() -> None:
    import pandas as pd

    from core.rendering import COUNT, SHARE, Column
    from pages.components.shared.tables import choose_row, show_rows

    rows = pd.DataFrame(
        {"judge": ["a <b>", ""], "n": [1680, None], "share": [-0.001, 0.5], "unsaid": 1}
    )
    columns = [
        Column("judge", "judge"),
        Column("share", "share", SHARE, "a tie counts half"),
        Column("n", "answers", COUNT),
    ]
    show_rows(rows, columns, "Judges")
    choose_row(rows, columns, "chosen")


def test_a_table_has_numbers_under_headings_to_the_right_and_no_none() -> None:
    app = AppTest.from_function(_table).run()
    assert not app.exception
    said = app.get("html")[0].proto.body
    assert re.findall(r"<th[^>]*>([^<]*)</th>", said) == ["judge", "share", "answers"]
    right = re.findall(r'<(t[hd])[^>]* class="tandem-right"[^>]*>([^<]*)<', said)
    assert right == [
        ("th", "share"), ("th", "answers"), ("td", "0%"), ("td", "1,680"), ("td", "50%"),
        ("td", "–"),
    ]  # fmt: skip
    assert re.findall(r"<td>([^<]*)</td>", said) == ["a &lt;b&gt;", "–"]
    looks = json.loads(app.dataframe[0].proto.columns)
    forms = {name: look.get("type_config", {}).get("format") for name, look in looks.items()}
    assert forms == {"judge": None, "share": "%.0f%%", "answers": None, "_index": None}
    assert app.dataframe[0].value["share"].tolist() == [-0.1, 50]
