"""Form for the pairs of a new campaign: attributes, systems, how many, and how they are chosen."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.findings.separability import label_metrics
from core.pairing import Choice
from core.records import Kind
from pages.components.shared.filters import read_item_set
from pages.components.shared.frame import Study
from pages.components.shared.settings import (
    KEPT,
    Offered,
    choose_number,
    choose_setting,
    choose_several,
    describe_setting,
)

EACH = "each other"
KEPT_AS_BEFORE = ("seed", "encoder", "origin", "accept_error", "certainty", "signal")
"""What no field asks for."""


class ChoiceForm:
    """Form for the choice of pairs, which begins with the choice `before`."""

    def __init__(self, study: Study, key: str, before: Choice) -> None:
        self._study, self._key, self._before = study, key, before
        self._values: dict[str, Any] = {}

    def choose_size(self) -> None:
        """Ask for the attributes, the number of pairs and the item set."""
        sets = self._study.store.item_sets.names(self._study.dataset)
        named = read_item_set(sets, "Choose another one, or ask about all items.")
        about, number, *items = st.columns([2, 1, 1] if sets else [3, 1])
        attributes = self._study.store.datasets.attributes(self._study.dataset)
        self._choose_some(about, "attributes", [attribute.name for attribute in attributes])
        budget = choose_number(
            number, Choice, "budget", self._before.budget or 0, min_value=0, step=10,
            key=self._make_key("budget"), **KEPT,
        )  # fmt: skip
        self._values["budget"] = budget or None
        if sets:
            wanted = self._before.item_set or named
            place = sets.index(wanted) if wanted in sets else ""  # another set resets the widget
            self._values["item_set"] = choose_setting(
                items[0], Choice, "item_set", _name({"": "all items"}, sets),
                value=wanted, key=self._make_key(f"item set {place}"), **KEPT,
            )  # fmt: skip

    def choose_pairs(self) -> None:
        """Ask for the systems, the pairing strategy, the samples and the subset."""
        datasets = self._study.store.datasets
        systems = datasets.systems(self._study.dataset)
        which, against = st.columns([3, 1])
        self._choose_some(which, "systems", systems)
        self._choose(against, "against", _name({"": EACH}, systems))
        if len(systems) > 2:  # two systems are one pair
            pairs = {pair: " – ".join(pair) for pair in combinations(systems, 2)}
            self._choose_some(st.container(), "pairs", pairs)
        how, samples, subset = st.columns([2, 1, 1])
        self._choose(how, "way")
        self._values["samples"] = choose_number(
            samples, Choice, "samples", self._before.samples, key=self._make_key("samples"), **KEPT
        )
        subsets = datasets.subsets(self._study.dataset)
        self._choose(subset, "subset", _name({"": "all"}, subsets), disabled=not subsets)
        further = {
            "separability": self._choose_by_separability,
            "informative": self._choose_by_value,
            "rest": self._choose_by_value,
            "uncertain": self._choose_uncertain,
        }
        further.get(self._values["way"], lambda: None)()

    def read(self) -> Choice:
        """Return the choice. Raises TandemError for an impossible one."""
        kept = {name: getattr(self._before, name) for name in KEPT_AS_BEFORE}
        return Choice(dataset=self._study.dataset, **{**kept, **self._values})

    def _make_key(self, name: str) -> str:
        return f"{name} {self._key}"

    def _choose(
        self, row: DeltaGenerator, name: str, offered: Offered | None = None, **looks: Any
    ) -> None:
        value = getattr(self._before, name)
        self._values[name] = choose_setting(
            row, Choice, name, offered, value=value, key=self._make_key(name), **KEPT, **looks
        )

    def _choose_some(self, row: DeltaGenerator, name: str, offered: Offered) -> None:
        """Ask for some of the values of a data set; an empty choice means all."""
        chosen = [one for one in getattr(self._before, name) if one in offered]
        self._values[name] = choose_several(
            row,
            Choice,
            name,
            chosen,
            offered=offered,
            placeholder="all",
            key=self._make_key(name),
            **KEPT,
        )

    def _choose_by_separability(self) -> None:
        metric, draw, place = st.columns([2, 2, 3])
        before = self._before
        self._values["separability"] = choose_setting(
            metric, Choice, "separability", label_metrics(),
            value=before.separability or "bertscore-length",
            key=self._make_key("separability"), **KEPT,
        )  # fmt: skip
        self._choose(draw, "draw")
        ends = (before.low, before.high) if before.separability else (0.0, 1.0)
        span = tuple(sorted(min(max(end, -1.0), 1.0) for end in ends))
        self._values["low"], self._values["high"] = place.slider(
            "Separability", -1.0, 1.0, span, 0.05, key=self._make_key("range"), **KEPT
        )

    def _choose_by_value(self) -> None:
        models = self._list_models()
        chosen = [one for one in self._before.judges if one in models]
        if self._before.way == "informative":
            self._values["separability"] = self._before.separability
        self._values["judges"] = choose_several(
            st.container(), Choice, "judges", chosen, offered=models,
            placeholder="all language models", key=self._make_key("judges"), **KEPT,
        )  # fmt: skip

    def _choose_uncertain(self) -> None:
        judge, gap = st.columns([3, 2])
        self._choose(
            judge, "judge", self._list_models(), placeholder="no model has judged here yet"
        )
        self._values["judge"] = self._values["judge"] or ""
        self._values["gap"] = gap.slider(
            **describe_setting(Choice, "gap"), min_value=0.0, max_value=0.5,
            value=self._before.gap, step=0.01, key=self._make_key("gap"), **KEPT,
        )  # fmt: skip

    def _list_models(self) -> list[str]:
        frame = self._study.store.judgement_frames.judges(self._study.dataset)
        return sorted({*frame.loc[frame["kind"].isin([Kind.LLM, Kind.BASELINE]), "judge"]})


def _name(first: dict[str, str], names: list[str]) -> dict[str, str]:
    """Map the values in `first` to their labels, and each name to itself."""
    return first | {name: name for name in names}
