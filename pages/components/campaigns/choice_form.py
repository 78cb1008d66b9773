"""Form for the pairs of a new campaign: attributes, systems, how many, and how they are chosen."""

from __future__ import annotations

from itertools import combinations

import streamlit as st

from core.findings.separability import label_metrics
from core.pairing import Choice
from core.records import Kind
from pages.components.shared.filters import read_item_set
from pages.components.shared.frame import Study
from pages.components.shared.settings import KEPT, SettingsForm, describe_setting

EACH = "each other"
KEPT_AS_BEFORE = ("seed", "encoder", "origin", "accept_error", "certainty", "signal")
"""What no field asks for."""


class ChoiceForm(SettingsForm[Choice]):
    """Form for the choice of pairs, which begins with the choice `before`."""

    def __init__(self, study: Study, key: str, before: Choice) -> None:
        super().__init__(before, key, **KEPT)
        self._study, self._datasets = study, study.store.datasets

    def choose_size(self) -> None:
        """Ask for the attributes, the number of pairs and the item set."""
        sets = self._study.store.item_sets.names(self._study.dataset)
        named = read_item_set(sets, "Choose another one, or ask about all items.")
        about, number, *items = st.columns([2, 1, 1] if sets else [3, 1])
        attributes = self._datasets.attributes(self._study.dataset)
        self.ask(about, "attributes", [one.name for one in attributes], placeholder="all")
        self.ask_limit(number, "budget", step=10)
        if sets:
            wanted = self.before.item_set or named
            place = sets.index(wanted) if wanted in sets else ""  # another set resets the widget
            key = f"item set {place} {self.key}"
            self.ask(items[0], "item_set", _name({"": "all items"}, sets), value=wanted, key=key)

    def choose_pairs(self) -> None:
        """Ask for the systems, the pairing strategy, the samples and the subset."""
        systems = self._datasets.systems(self._study.dataset)
        which, against = st.columns([3, 1])
        self.ask(which, "systems", systems, placeholder="all")
        self.ask(against, "against", _name({"": EACH}, systems))
        if len(systems) > 2:  # two systems are one pair
            pairs = {pair: " – ".join(pair) for pair in combinations(systems, 2)}
            self.ask(st.container(), "pairs", pairs, placeholder="all")
        how, samples, subset = st.columns([2, 1, 1])
        way = self.ask(how, "way")
        self.ask(samples, "samples")
        subsets = self._datasets.subsets(self._study.dataset)
        self.ask(subset, "subset", _name({"": "all"}, subsets), disabled=not subsets)
        if way == "separability":
            self._choose_by_separability()
        elif way in ("informative", "rest"):
            self._choose_by_value()
        elif way == "uncertain":
            self._choose_uncertain()

    def read(self) -> Choice:
        """Return the choice. Raises TandemError for an impossible one."""
        kept = {name: getattr(self.before, name) for name in KEPT_AS_BEFORE}
        return Choice(dataset=self._study.dataset, **{**kept, **self.values})

    def _choose_by_separability(self) -> None:
        metric, draw, place = st.columns([2, 2, 3])
        before = self.before
        usual = before.separability or "bertscore-length"
        self.ask(metric, "separability", label_metrics(), value=usual)
        self.ask(draw, "draw")
        ends = (before.low, before.high) if before.separability else (0.0, 1.0)
        span = tuple(sorted(min(max(end, -1.0), 1.0) for end in ends))
        self.values["low"], self.values["high"] = place.slider(
            "Separability", -1.0, 1.0, span, 0.05, key=f"range {self.key}", **KEPT
        )

    def _choose_by_value(self) -> None:
        if self.before.way == "informative":
            self.values["separability"] = self.before.separability
        models = self._list_models()
        self.ask(st.container(), "judges", models, placeholder="all language models")

    def _choose_uncertain(self) -> None:
        judge, gap = st.columns([3, 2])
        nobody = "no model has judged here yet"
        self.values["judge"] = (
            self.ask(judge, "judge", self._list_models(), placeholder=nobody) or ""
        )
        self.values["gap"] = gap.slider(
            **describe_setting(Choice, "gap"), min_value=0.0, max_value=0.5,
            value=self.before.gap, step=0.01, key=f"gap {self.key}", **KEPT,
        )  # fmt: skip

    def _list_models(self) -> list[str]:
        frame = self._study.store.judgement_frames.judges(self._study.dataset)
        return sorted({*frame.loc[frame["kind"].isin([Kind.LLM, Kind.BASELINE]), "judge"]})


def _name(first: dict[str, str], names: list[str]) -> dict[str, str]:
    """Map the values in `first` to their labels, and each name to itself."""
    return first | {name: name for name in names}
