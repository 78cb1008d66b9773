"""Form for how a campaign asks people, and for its check answers, editable at any time."""

from __future__ import annotations

from datetime import date

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.campaigns import USUAL_SECONDS, Design, NewChecks, get_pace
from core.settings import list_settings
from pages.components.shared.cached_report import cached_report
from pages.components.shared.frame import Study
from pages.components.shared.settings import KEPT, SettingsForm, choose_setting, describe_setting

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
    """Show the form, and return the design and the checks to add.

    Raises TandemError if they are impossible.
    """
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
