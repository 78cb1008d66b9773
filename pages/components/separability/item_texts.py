"""One item opened: the texts of both systems side by side, and how alike every two of them are."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from core.findings.separability import chart as charts
from core.findings.separability import likeness, sentences
from core.rendering.charts import Caption, CaptionedChart
from core.similarity import METRICS
from pages.components.separability.choices import SeparabilityChoice
from pages.components.shared.downloads import downloads
from pages.components.shared.frame import Study
from pages.components.shared.notice import lead, several, small
from pages.components.shared.picture import show_picture
from pages.components.shared.texts import show_samples

FIRST = 2  # texts of each system that are shown at once


def show_item(
    study: Study, choice: SeparabilityChoice, row: pd.Series | None, signature: str
) -> None:
    """The texts and the similarity matrix of the item of a row; `signature` is separability's."""
    if row is None:
        return
    systems = str(row["system_a"]), str(row["system_b"])
    item = likeness(study.store, study.dataset, str(row["item"]), systems, choice.settings)
    st.header("How alike the texts of the chosen item are", anchor=False)
    left, right = st.columns([1, 1], gap="medium")
    with right:
        lead(sentences.describe_item(row))
        small(
            "Similarity of each pair of texts before normalisation, by "
            f"{METRICS[choice.settings.metric].label}. "
            "Blocks along the diagonal show that the systems can be told apart."
        )
    texts = item.texts
    with left:
        drawn = partial(charts.likeness, item.matrix, texts["label"].tolist())
        number = several(len(texts), "text")
        above = Caption(f"Texts of {row['item']}", number, signature=signature)
        show_picture("item-texts", CaptionedChart(drawn, above), item.matrix)
    most = int(texts.groupby("side").size().max())
    every = most <= FIRST or st.toggle(f"Show all {most} texts of each system")
    sides = [
        list(zip(side["label"], side["text"], strict=True))[: most if every else FIRST]
        for side in (texts[texts["side"] == name] for name in "AB")
    ]
    show_samples(item.context, study.context_noun, systems, sides)
    downloads("item", {"texts": texts})
