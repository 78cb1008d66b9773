"""The one way to show a chart on a page: under its title, with the files to take it home as."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from core.analysis.judgements import Result
from core.charts import Caption, Drawing
from pages.components.shared.downloads import picture_downloads
from pages.components.shared.notice import several
from pages.components.shared.style import theme


def show_picture(
    name: str,
    drawing: Drawing,
    numbers: pd.DataFrame,
    *,
    brushed: str = "",
) -> dict[str, Any]:
    """The picture, and its files: `name` says in theirs what it shows, the `numbers` behind it are
    in the order of the screen. Returns the range that was `brushed` with the selection of that
    name.
    """
    chart = drawing.on_screen(theme())
    fills = getattr(chart, "width", None) == "container"
    with st.container(gap=None):
        event: Any = st.altair_chart(
            chart,
            width="stretch" if fills else "content",
            theme=None,
            key=f"{name} picture",
            on_select="rerun" if brushed else "ignore",
        )
        with st.popover("Download", type="tertiary", key=f"{name} files"):
            picture_downloads(name, drawing, numbers)
    return dict(event["selection"].get(brushed, {})) if brushed else {}


def caption(result: Result, title: str, interval: str, n: str = "") -> Caption:
    """What stands above a picture of a result; `n` where it is of something else than all of its
    judgements.
    """
    return Caption(title, n or several(result.judgements, "judgement"), interval, result.signature)
