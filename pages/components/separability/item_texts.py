"""One item opened: the texts of both systems side by side, and how alike every two of them are."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.analysis.separability import likeness
from core.charts import separability as charts
from core.similarity import METRICS
from pages.components.separability.choices import Choice
from pages.components.shared.frame import Study
from pages.components.shared.notice import lead, small
from pages.components.shared.report import downloads
from pages.components.shared.style import theme
from pages.components.shared.texts import show_samples

WORDS = {
    0: "is not known",
    1: "is plain: each system writes much the same each time, and not what the other writes",
    2: "is small: both systems write something else each time",
    3: "is plain: one system writes much the same each time, and not what the other writes",
    4: "is small: all texts are alike",
}


def opened_item(study: Study, choice: Choice, row: pd.Series | None) -> None:
    """The texts and the matrix of the item of a row."""
    if row is None:
        return
    one, two = str(row["system_a"]), str(row["system_b"])
    found = likeness(study.store, study.dataset, str(row["item"]), (one, two), choice.how)
    about = study.store.datasets.summary().set_index("dataset").loc[study.dataset]
    st.subheader("The texts of an item", anchor=False)
    lead(
        f"{row['item']}: the difference of {one} and {two} {WORDS[int(row['scenario'])]} "
        f"({row['separability']:.2f})."
    )
    texts = found.texts
    sides = [
        list(zip(of["label"], of["text"], strict=True))
        for of in (texts[texts["side"] == s] for s in "AB")
    ]
    show_samples(found.context, str(about["context_noun"]), (one, two), sides)
    chart = charts.likeness(found.matrix, texts["label"].tolist(), theme=theme())
    st.altair_chart(chart, width="content", theme=None)
    small(
        f"How alike every two texts are, by {METRICS[choice.how.metric].label}, "
        "before normalisation; "
        "A0 and A0 "
        "would be 1. Blocks that stand out along the diagonal mean that the systems can be told "
        "apart."
    )
    with st.expander("Download this item"):
        paper = charts.likeness(found.matrix, texts["label"].tolist())
        downloads("item", {"similarities": found.matrix, "texts": texts}, paper)
