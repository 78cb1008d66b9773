"""Choice of the judgements for a page, by attribute, subset and more in a row.

If there are no judgements, a hint says where to get some.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.findings.judgements import Selection, list_comparers, note_item_set
from core.findings.judges import MEASURES
from core.pairing import STRATEGIES
from core.similarity import METRICS
from pages.components.shared.address import set_item_set, wanted_item_set
from pages.components.shared.frame import Study, next_step_links
from pages.components.shared.notice import notice, show_caption
from pages.components.shared.settings import choose_setting, describe_setting

ALL = "all attributes"
# pixels of a choice: names stay legible, and choices that do not fit go into another row
WIDE = 208


def comparers_of(study: Study, what: str) -> pd.DataFrame:
    """Return the judges that compare in the data set; if nobody does, say how to get `what`."""
    every = list_comparers(study.store, study.dataset)
    judges = every[~every["by_name"]]
    if judges.empty and len(study.store.datasets.systems(study.dataset)) < 2:
        notice(f"Nothing to compare yet. {what} needs texts by at least two systems.")
        next_step_links(data="Import texts")
    elif judges.empty and len(every):
        notice(
            "There are scores here, and no judgements yet. Together and Correlation show what the "
            f"scores say. Annotate some pairs or run a judge to see {what.lower()}."
        )
        next_step_links(
            together="Together", correlation="Correlation", annotate="Annotate", judge="Run a judge"
        )
    elif judges.empty:
        notice(f"No judgements yet. Annotate some pairs or run a judge to see {what.lower()}.")
        next_step_links(annotate="Annotate", judge="Run a judge")
    return judges


def choose_selection(
    study: Study, row: DeltaGenerator | None = None, *, judges: pd.DataFrame, key: str = ""
) -> Selection:
    """Ask for the attribute and subset, among those that these judges have compared."""
    row = row or st.container(horizontal=True)
    attribute = choose_attribute(judges["attribute"], row)
    selection = Selection(
        study.dataset,
        subset=choose_subset(study, row),
        attribute=attribute,
        item_set=choose_item_set(study, row),
    )
    return choose_answers(study, selection, key)


def choose_attribute(attributes: pd.Series, row: DeltaGenerator) -> str | None:
    """Ask for one of these attributes; None means all, also where there is only one."""
    names = list(dict.fromkeys(attributes))
    attribute = row.selectbox("Attribute", [ALL, *names] if len(names) > 1 else names, width=WIDE)
    return None if attribute == ALL or len(names) < 2 else attribute


def choose_subset(study: Study, row: DeltaGenerator) -> str | None:
    """Ask for a subset; None means all. Nothing is asked if there is at most one."""
    subsets = study.store.datasets.subsets(study.dataset)
    if len(subsets) < 2:
        return None
    return row.selectbox(
        "Subset", [None, *subsets], format_func=lambda name: name or "all subsets", width=WIDE
    )


def read_item_set(names: Sequence[str], instead: str) -> str:
    """Return the item set that the address names, '' if it names none.

    If it is deleted, say so and what happens `instead`, and drop it from the address.
    """
    wanted = wanted_item_set()
    if wanted and wanted not in names:
        notice(f"There is no item set {wanted} here: it was deleted. {instead}")
        set_item_set("")
        return ""
    return wanted


def choose_item_set(study: Study, row: DeltaGenerator) -> str | None:
    """Ask for an item set, at first the one in the address; None means all items.

    Nothing is asked if the data set has no item set.
    """
    names = study.store.item_sets.names(study.dataset)
    wanted = read_item_set(names, "All items are shown.")
    if not names:
        return None
    key = f"item set {study.dataset}"
    st.session_state[key] = wanted if wanted in names else ""
    chosen = row.selectbox(
        **describe_setting(Selection, "item_set"),
        options=["", *names],
        format_func=lambda name: name or "all items",
        key=key,
        on_change=_follow_item_set,
        args=(key,),
        width=WIDE,
    )
    if chosen and study.store.item_sets.get(study.dataset, chosen).by_answers:
        show_caption(
            "\n".join(note_item_set(study.store, Selection(study.dataset, item_set=chosen)))
        )
    return chosen or None


def _follow_item_set(key: str) -> None:
    set_item_set(st.session_state[key])


def choose_answers(
    study: Study, selection: Selection, key: str = "", more: DeltaGenerator | None = None
) -> Selection:
    """Ask which runs count, and which repeated items count as one, if there is a choice. `key`
    separates two such choices on a page; `more` is an existing container for further choices.
    """
    runs = study.store.runs.load_asking(study.dataset)
    repeats = study.store.datasets.has_families(study.dataset, contexts=True)
    if len(runs) < 2 and not repeats:
        return selection
    names = dict(zip(runs["run"], runs["judge"], strict=True))
    row = (more or st.expander("More")).container(horizontal=True)
    if repeats:
        chosen = choose_setting(row, Selection, "families", width=WIDE, key=f"families{key}")
        selection = replace(selection, families=chosen)
    if len(runs) < 2:
        return selection
    chosen = row.multiselect(
        "Runs",
        list(names)[::-1],
        format_func=lambda run: f"{run} · {names[run]}",
        placeholder="all runs",
        help="Only the answers of these runs count, for models and baselines.",
        key=f"runs{key}",
    )
    strategies = _choose_values(row, "Pairs", runs["strategy"], _strategy, key)
    trials = _choose_values(row, "Trials", runs["trial"], str, key)
    return replace(
        selection, runs=tuple(chosen), strategies=tuple(strategies), trials=tuple(trials)
    )


def _choose_values(
    row: DeltaGenerator, label: str, values: pd.Series, called: Callable[[Any], str], key: str
) -> list[Any]:
    """Ask for some of these values. Nothing is asked if there is only one."""
    there = sorted(values.unique().tolist())
    if len(there) < 2:
        return []
    return row.multiselect(
        label, there, format_func=called, placeholder=f"all {label.lower()}", key=f"{label}{key}"
    )


def _strategy(name: str) -> str:
    """Return the label of a strategy; a run that scores has its task as its name."""
    return STRATEGIES[name].label if name in STRATEGIES else name


def choose_measure(known: Sequence[str]) -> str:
    """Ask for the measure that judges are compared with."""
    if len(known) < 2:
        return known[0]
    labels = {name: MEASURES[name].label for name in known}
    return str(
        st.segmented_control(
            "Compared with", known, format_func=labels.__getitem__, default=known[0], required=True
        )
    )


def lacks_texts(study: Study, needs: str) -> bool:
    """Check whether the data set has no texts at all. If so, say what needs them, such as "A judge
    reads texts", and what works instead.
    """
    if not study.store.datasets.lacks_texts(study.dataset):
        return False
    notice(f"{needs}, and {study.dataset} holds votes without theirs. Import the texts first.")
    next_step_links(data="Import texts", leaderboard="See the leaderboard")
    return True


def label_metrics(names: Iterable[str] = METRICS) -> dict[str, str]:
    """Return the labels of these similarity metrics."""
    return {name: METRICS[name].label for name in names}
