"""The items of a data set, leafed through, and one with its texts and all answers about them."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.labels import OUTCOMES, pluralize
from core.store import Sought
from pages.components.judge.run_answers import reason
from pages.components.shared.frame import Study
from pages.components.shared.notice import show_caption
from pages.components.shared.tables import choose_line, turn_pages
from pages.components.shared.texts import show_candidates

PAGE = 10
BEGINNING = 120  # characters of a context that the table shows


def show_items(study: Study, sought: Sought) -> None:
    """Show a page of items, and the chosen one."""
    items = study.store.browsing.items
    frame, _ = turn_pages(
        lambda offset: items(sought, limit=PAGE, offset=offset), PAGE, f"browse-page-{hash(sought)}"
    )
    show_caption(f"{pluralize(frame.attrs['all'], 'item')}.")
    shown = frame.assign(context=frame["context"].str.slice(0, BEGINNING))
    hidden = [] if frame["subset"].any() else ["subset"]
    key = f"browsed-{hash((sought, tuple(frame['item'])))}"
    chosen = choose_line(shown.drop(columns=hidden), key)
    if chosen is None:
        show_caption("Choose a row to read its texts, and what was answered about them.")
    else:
        st.header("Texts", anchor=False)
        show_item(study, sought, frame["item"].iloc[chosen])


def show_item(study: Study, sought: Sought, item: str) -> None:
    """Show the texts of an item, and the answers about them that are sought."""
    store, noun = study.store, study.context_noun
    texts = store.browsing.texts(sought, item)
    labels = texts["system"]
    if texts["sample"].any():
        labels = labels + " · sample " + texts["sample"].astype(str)
    shown = [None if pd.isna(text) else str(text) for text in texts["text"]]
    context = str(store.datasets.items(sought.dataset, [item])["context"].iloc[0])
    text_format = store.datasets.text_format(sought.dataset, sought.attribute)
    show_candidates(context, noun, list(zip(labels, shown, strict=True)), text_format)
    answers = store.browsing.answers(sought, item)
    if answers.empty:
        show_caption("Nobody has answered anything about it yet.")
        return
    show_caption(f"{pluralize(len(answers), 'answer')} about it, votes of people first:")
    st.dataframe(
        _answers(answers, noun),
        hide_index=True,
        column_config={"P(A is better)": st.column_config.NumberColumn(format="%.3f")},
    )


def _answers(answers: pd.DataFrame, noun: str) -> pd.DataFrame:
    said = [
        comment or reason(raw, noun)
        for comment, raw in zip(answers["comment"], answers["raw"], strict=True)
    ]
    table = pd.DataFrame(
        {
            "attribute": answers["attribute"],
            "by": answers["judge"],
            "A": _label_systems(answers, "a"),
            "B": _label_systems(answers, "b"),
            "answer": answers["outcome"].map(OUTCOMES).fillna(answers["failure"]),
            "P(A is better)": answers["prob_a"],
            "what they said": said,
        }
    )
    empty = [name for name in ("P(A is better)",) if table[name].isna().all()]
    return table.drop(columns=empty)


def _label_systems(answers: pd.DataFrame, side: str) -> pd.Series:
    systems, samples = answers[f"system_{side}"], answers[f"sample_{side}"]
    return systems.where(samples == 0, systems + " #" + samples.astype(str))
