"""A few pairs of texts worth reading: those on which people or judges are split."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.findings.agreement import describe_split, list_splits
from core.findings.judgements import Selection
from core.labels import capitalise, several
from core.store import Store
from pages.components.shared.cached_report import cached_report
from pages.components.shared.faults import told
from pages.components.shared.frame import Study
from pages.components.shared.notice import small
from pages.components.shared.texts import show_texts

SPLIT = """The pairs on which verdicts are most evenly split, one of each item: people where they
are split, else people and models together."""
NONE = pd.DataFrame()


def show_splits(study: Study) -> None:
    """Three pairs with their texts, where the texts are here."""
    if study.store.datasets.lacks_texts(study.dataset):
        return
    with told():
        rows = _list(study.store, Selection(study.dataset), study.judgements_stamp, otherwise=NONE)
        if rows.empty:
            return
        st.header("Worth reading", anchor=False, help=SPLIT)
        for row in rows.to_dict("records"):
            _show(study, pd.Series(row))


@cached_report("Looking for pairs worth reading …")
def _list(store: Store, selection: Selection) -> pd.DataFrame:
    return list_splits(store, selection)


def _show(study: Study, row: pd.Series) -> None:
    context, *texts = study.store.datasets.pair_texts(
        int(row["candidate_1"]), int(row["candidate_2"])
    )
    said = capitalise(describe_split(row))
    systems = (str(row["system_1"]), str(row["system_2"]))
    votes = (several(int(row["first"]), "vote"), several(int(row["second"]), "vote"))
    titles = tuple(f"{system}: {count}" for system, count in zip(systems, votes, strict=True))
    small(f"{row['item']}: {' or '.join(systems)}?")
    with st.expander(f"{said}."):  # a name would be read as Markdown here
        show_texts(context, study.context_noun, tuple(texts), titles=titles, folded=True)
