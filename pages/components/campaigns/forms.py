"""Forms of a campaign: its pairs, how people are asked about them, and its check answers."""

from __future__ import annotations

from datetime import date
from itertools import combinations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.campaigns import USUAL_SECONDS, Design, NewChecks, get_pace
from core.findings.separability import label_metrics
from core.pairing import Choice
from core.records import Kind
from core.settings import list_settings
from pages.components.shared.cached_report import cached_report
from pages.components.shared.filters import read_item_set
from pages.components.shared.frame import Study
from pages.components.shared.settings import KEPT, SettingsForm, choose_setting, describe_setting

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
        metric, draw, *places = st.columns([3, 3, 2, 2])
        before = self.before
        usual = before.separability or "bertscore-length"
        self.ask(metric, "separability", label_metrics(), value=usual)
        self.ask(draw, "draw")
        ends = (before.low, before.high) if before.separability else (0.0, 1.0)
        for place, name, end in zip(places, ("low", "high"), ends, strict=True):
            first = min(max(end, -1.0), 1.0)
            self.ask(place, name, value=first, span=(-1.0, 1.0), step=0.05)

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
        self.ask(gap, "gap", step=0.01)

    def _list_models(self) -> list[str]:
        frame = self._study.store.judgement_frames.judges(self._study.dataset)
        return sorted({*frame.loc[frame["kind"].isin([Kind.LLM, Kind.BASELINE]), "judge"]})


def _name(first: dict[str, str], names: list[str]) -> dict[str, str]:
    return first | {name: name for name in names}


ANSWERS = ("tie", "both_bad", "strength", "confidence", "comment")
TOGETHER = {False: "attribute after attribute", True: "all attributes of a pair"}


_get_pace = cached_report("Looking at people's pace …")(get_pace)


def learn_pace(study: Study) -> float:
    """Return the seconds that people take for an answer; the usual ones until it is counted."""
    return _get_pace(study.store, study.dataset, study.judgements_stamp, otherwise=USUAL_SECONDS)


class DesignForm(SettingsForm[Design]):
    """Form for the design of a campaign, which begins with the design `before`."""

    def __init__(self, key: str, before: Design) -> None:
        super().__init__(before, key, **KEPT)

    def choose_people(self) -> None:
        """Ask for the number of people, votes per pair, answers per person, and the deadline."""
        people, overlap, quota, deadline = st.columns(4)
        self.ask_limit(people, "people")
        self.ask(overlap, "overlap")
        self.ask_limit(quota, "quota")
        first = date.fromisoformat(self.before.deadline) if self.before.deadline else None
        chosen = deadline.date_input(
            **describe_setting(Design, "deadline"), value=first, format="YYYY-MM-DD",
            key=f"deadline {self.key}", **KEPT,
        )  # fmt: skip
        self.values["deadline"] = chosen.isoformat() if isinstance(chosen, date) else ""

    def choose_order(self) -> None:
        """Ask for the order of pairs, and how many come twice."""
        order, again, _ = st.columns([2, 1, 1])
        share = choose_setting(
            again, Design, "repeat_share", value=100 * self.before.repeat_share, max_value=100.0,
            step=5.0, format="%.4g", key=f"repeat_share {self.key}", **KEPT,
        )  # fmt: skip
        self.values["repeat_share"] = share / 100
        self.ask(order, "order")

    def choose_answers(self) -> None:
        """Ask for the answers besides A and B, and for the order of the attributes."""
        declared = list_settings(Design)
        beside = st.container(horizontal=True)  # breaks where a window is narrow
        chosen = beside.pills(
            "Besides A and B, people may say", ANSWERS, selection_mode="multi",
            default=[name for name in ANSWERS if getattr(self.before, name)],
            format_func=lambda name: declared[name].label, key=f"answers {self.key}", **KEPT,
        )  # fmt: skip
        self.values |= {name: name in (chosen or []) for name in ANSWERS}
        row = beside.segmented_control(
            **describe_setting(Design, "together"), options=list(TOGETHER),
            default=self.before.together, format_func=TOGETHER.__getitem__,
            key=f"together {self.key}", **KEPT,
        )  # fmt: skip
        self.values["together"] = bool(row)
        self.ask(st.container(), "reasons", placeholder="clearer\nmore complete", height=80)

    def choose_checks(self, new: NewChecks | None = None) -> NewChecks:
        """Ask for a file of known answers, the number of checks, and what happens when people
        fail. Returns the checks to add.
        """
        new = new or NewChecks()
        file, gold, attention = st.columns([3, 1, 1])
        upload = file.file_uploader(
            **describe_setting(NewChecks, "known"), type="csv", key=f"known {self.key}",
            on_change=_choose_file, args=(self.key,),
        )  # fmt: skip
        checks = SettingsForm(new, self.key, **KEPT)
        checks.values["known"] = (
            upload.getvalue() if upload else _use_kept_file(file, self.key, new.known)
        )
        checks.ask(gold, "gold")
        number = checks.ask(attention, "attention")
        checks.values["at_most"] = new.at_most and number == new.attention
        every, failure, allowed = st.columns(3)
        self.ask(every, "check_every")
        self.ask(failure, "on_failure")
        self.ask(allowed, "failures_allowed")
        return checks.read()

    def write_words(self) -> None:
        """Ask for the instructions and consent that people read before their first pair."""
        for name in ("instructions", "consent"):
            self.ask(st.container(), name, height=None)


def design_form(key: str, before: Design) -> tuple[Design, NewChecks]:
    """Show the form; return the design and the checks. Raises TandemError for impossible ones."""
    form = DesignForm(key, before)
    form.choose_people()
    form.choose_order()
    form.choose_answers()
    with st.expander("Practice and checks"):
        checks = form.choose_checks()
    with st.expander("Instructions and consent"):
        form.write_words()
    return form.read(), checks


def _use_kept_file(at: DeltaGenerator, key: str, known: bytes | None) -> bytes | None:
    """Offer to use the file that a draft keeps, since the browser keeps none; None if unwanted."""
    if known is None:
        return None
    wanted = at.toggle("Use the file that the draft keeps", value=True, key=f"kept {key}", **KEPT)
    return known if wanted else None


def _choose_file(key: str) -> None:
    """Stop using the kept file once somebody removes the file they chose."""
    st.session_state[f"kept {key}"] = st.session_state[f"known {key}"] is not None
