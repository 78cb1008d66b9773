"""Choice of the judgements for a page, by attribute, subset and more, and hints about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.findings.judgements import Selection, list_comparers, note_item_set
from core.labels import VOTES, pluralize
from core.pairing import STRATEGIES
from core.records import Kind
from core.settings import get_default, list_settings
from core.store import Store, dataset_decisions
from pages.components.shared.address import ITEM_SET, bind_choice, read_parameter, set_choices
from pages.components.shared.frame import Study, next_step_links
from pages.components.shared.notice import notice, show_caption, show_done
from pages.components.shared.settings import choose_kept, describe_setting
from pages.components.shared.stores import store_action
from pages.components.shared.visitor import current_session

ALL = "all attributes"
# pixels of a choice: names stay legible, and choices that do not fit go into another row
WIDE = 208
IN_VIEW = 3  # choices that are seen at once


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


class Choices:
    """A row of choices: at most three in view, the others behind "More"."""

    def __init__(self) -> None:
        self._row = st.container(horizontal=True, vertical_alignment="bottom")
        self._further: DeltaGenerator | None = None
        self._left = IN_VIEW

    def place(self) -> DeltaGenerator:
        """Return the place of the next choice."""
        self._left -= 1
        return self._row if self._left >= 0 else self.further

    @property
    def further(self) -> DeltaGenerator:
        """The place of choices that few people make."""
        self._further = self._further or self._row.popover("More")
        return self._further


def choose_settings(
    choices: Choices, kinds: Sequence[type], values: dict[str, Any],
    offered: Mapping[str, Any], asked: Mapping[str, Mapping[str, Any]], names: Iterable[str],
    *, are_rarer: bool = False,
) -> None:  # fmt: skip
    """Ask for settings that these `kinds` of requests declare, and add what was chosen to `values`.

    One that plays no part beside the others is not asked, nor one of another method, nor one of
    which nothing is `offered`: values that depend on the data, or a function of what was chosen
    before. `asked` are further arguments of `choose_kept`. What few people choose is behind "More".
    """
    for name in names:
        kind = next(one for one in kinds if name in list_settings(one))
        declared = list_settings(kind)[name]
        usual = {one: get_default(kind, one) for one in list_settings(kind)}
        is_other = declared.methods and values.get("method") not in (None, "", *declared.methods)
        if is_other or (declared.part and not declared.part.plays({**usual, **values})):
            continue
        there = offered.get(name)
        there = there(values) if callable(there) else there
        if there is not None and not there:
            continue
        place = choices.further if are_rarer else choices.place()
        chosen = choose_kept(place, kind, name, there, **{"width": WIDE, **asked.get(name, {})})
        if chosen or usual[name] is not None:
            values[name] = chosen


def choose_selection(study: Study, choices: Choices, judges: pd.DataFrame) -> Selection:
    """Ask for the attribute and subset, among those that these judges have compared."""
    attribute = choose_attribute(judges["attribute"], choices)
    subset, item_set = choose_subset(study, choices), choose_item_set(study, choices)
    return Selection(study.dataset, subset=subset, attribute=attribute, item_set=item_set)


def choose_attribute(attributes: Iterable[str], choices: Choices) -> str | None:
    """Ask for one of these attributes; None means all, also where there is only one."""
    return _choose_part(choices, "Attribute", list(dict.fromkeys(attributes)), ALL)


def choose_subset(study: Study, choices: Choices) -> str | None:
    """Ask for a subset; None means all. Nothing is asked if there is at most one."""
    subsets = study.store.datasets.subsets(study.dataset)
    return _choose_part(choices, "Subset", subsets, "all subsets")


def _choose_part(choices: Choices, label: str, names: Sequence[str], whole: str) -> str | None:
    if len(names) < 2:
        return None
    chosen = choices.place().selectbox(
        label, ["", *names], format_func=lambda name: name or whole, width=WIDE,
        **bind_choice(label.lower(), "", names),
    )  # fmt: skip
    return chosen or None


def read_item_set(names: Sequence[str], instead: str) -> str:
    """Return the item set that the address names, '' if it names none.

    If it is deleted, say so and what happens `instead`, and drop it from the address.
    """
    wanted = read_parameter(ITEM_SET)
    if wanted and wanted not in names:
        notice(f"There is no item set {wanted} here: it was deleted. {instead}")
        set_choices({ITEM_SET: ""})
        return ""
    return wanted


def choose_item_set(study: Study, choices: Choices) -> str | None:
    """Ask for an item set, if there is one, at first that of the address; None means all items."""
    names = study.store.item_sets.names(study.dataset)
    read_item_set(names, "All items are shown.")
    if not names:
        return None
    place = choices.place()
    chosen = place.selectbox(
        **describe_setting(Selection, "item_set"),
        options=["", *names],
        format_func=lambda name: name or "all items",
        width=WIDE,
        **bind_choice(ITEM_SET, "", names),
    )
    if chosen and study.store.item_sets.get(study.dataset, chosen).by_answers:
        show_caption(
            "\n".join(note_item_set(study.store, Selection(study.dataset, item_set=chosen)))
        )
    return chosen or None


def choose_answers(study: Study, selection: Selection, choices: Choices) -> Selection:
    """Ask which runs count, and which repeated items count as one, if there is a choice."""
    runs = study.store.runs.load_asking(study.dataset)
    if study.store.datasets.has_families(study.dataset, contexts=True):
        families = choose_kept(choices.further, Selection, "families", width=WIDE)
        selection = replace(selection, families=families)
    if len(runs) < 2:
        return selection
    names = dict(zip(runs["run"], runs["judge"], strict=True))
    chosen = choices.further.multiselect(
        "Runs", list(names)[::-1], format_func=lambda run: f"{run} · {names[run]}",
        placeholder="all runs", **bind_choice("runs", (), list(names)),
        help="Only the answers of these runs count, for models and baselines.",
    )  # fmt: skip
    labels = {name: way.label for name, way in STRATEGIES.items()}
    # A run that scores has its task as the name of its strategy.
    strategies = _choose_values(
        choices, "Pairs", runs["strategy"], lambda name: labels.get(name, name)
    )
    trials = _choose_values(choices, "Trials", runs["trial"], str)
    return replace(
        selection, runs=tuple(chosen), strategies=tuple(strategies), trials=tuple(trials)
    )


def _choose_values(
    choices: Choices, label: str, values: pd.Series, called: Callable[[Any], str]
) -> list[Any]:
    there = sorted(values.unique().tolist())
    if len(there) < 2:
        return []
    placeholder = f"all {label.lower()}"
    return choices.further.multiselect(
        label,
        there,
        format_func=called,
        placeholder=placeholder,
        **bind_choice(label.lower(), (), there),
    )


def lacks_texts(study: Study, needs: str) -> bool:
    """Check whether the data set has no texts; if so, say what needs them and what works."""
    if not study.store.texts.lacks_texts(study.dataset):
        return False
    notice(f"{needs}, and {study.dataset} holds votes without theirs. Import the texts first.")
    next_step_links(data="Import texts", leaderboard="See the leaderboard")
    return True


SAID = "simulated votes withdrawn"


def show_simulated(study: Study) -> None:
    """Show the number of simulated votes, to withdraw, or that they were withdrawn."""
    show_done(SAID)
    answered = study.store.judgement_frames.count_answers(study.dataset)
    mine = answered[answered["kind"] == Kind.SIMULATED]
    if mine.empty:
        return
    votes = pluralize(int(mine["asked"].sum()), VOTES[Kind.SIMULATED])
    with st.container(horizontal=True, vertical_alignment="center"):
        show_caption(
            f"{votes} of {pluralize(len(mine), 'annotator')} are here to show what the pages do. "
            "A program drew them. They never count as people's votes."
        )
        st.button(
            "Withdraw simulated votes", on_click=_withdraw, args=(study.dataset,),
            key="withdraw-simulated",
        )  # fmt: skip


@store_action()
def _withdraw(store: Store, dataset: str) -> None:
    number = dataset_decisions.withdraw_simulated(store, current_session().audit_name, dataset)
    st.session_state[SAID] = (
        f"{number:,} simulated votes and scores are withdrawn. They stay in the store, and count "
        "nowhere."
    )
