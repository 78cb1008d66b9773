"""Form for how a campaign asks people, and for its check answers, editable at any time."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.campaigns import USUAL_SECONDS, Design, NewChecks, get_pace
from core.settings import list_settings
from pages.components.shared.cached_report import cached_report
from pages.components.shared.frame import Study
from pages.components.shared.settings import KEPT, choose_number, choose_setting, describe_setting

FILE_HELP = (
    "A CSV with the columns item, better, worse (names of systems). It may also have "
    "attribute, role (training or gold), feedback."
)
GOLD_HELP = (
    "Drawn from the pairs whose answer gold labels know: those of a file, or what was decided "
    "where people disagreed."
)
ATTENTION_HELP = "Each shows a text beside its own words in disorder."
ANSWERS = ("tie", "both_bad", "strength", "confidence", "comment")
TOGETHER = {False: "attribute after attribute", True: "all attributes of a pair"}


_get_pace = cached_report("Looking at people's pace …")(get_pace)


def learn_pace(study: Study) -> float:
    """Return the seconds that people take for an answer; the usual ones until it is counted."""
    return _get_pace(study.store, study.dataset, study.judgements_stamp, otherwise=USUAL_SECONDS)


def design_form(key: str, before: Design) -> tuple[Design, NewChecks]:
    """Show the form, and return the design and the checks to add.

    Raises TandemError if they are impossible.
    """
    design = choose_order(key, choose_people(key, before))
    design = choose_answers(key, design)
    with st.expander("Practice and checks"):
        design, checks = choose_checks(key, design)
    with st.expander("Instructions and consent"):
        design = write_words(key, design)
    return design, checks


def choose_people(key: str, before: Design) -> Design:
    """Ask for the number of people, votes per pair, answers per person, and the deadline."""
    people, overlap, quota, deadline = st.columns(4)
    return replace(
        before,
        people=_number(people, key, "people", before.people or 0) or None,
        overlap=_number(overlap, key, "overlap", before.overlap),
        quota=_number(quota, key, "quota", before.quota or 0) or None,
        deadline=_choose_day(deadline, key, before.deadline),
    )


def _choose_day(at: DeltaGenerator, key: str, before: str) -> str:
    shown = describe_setting(Design, "deadline")
    first = date.fromisoformat(before) if before else None
    chosen = at.date_input(**shown, value=first, format="YYYY-MM-DD", key=f"deadline {key}", **KEPT)
    return chosen.isoformat() if isinstance(chosen, date) else ""


def choose_order(key: str, before: Design) -> Design:
    """Ask for the order of pairs, and how many come twice."""
    order, again, _ = st.columns([2, 1, 1])
    share = choose_number(
        again, Design, "repeat_share", 100 * before.repeat_share, min_value=0.0, max_value=100.0,
        step=5.0, format="%.4g", key=f"repeat_share {key}", **KEPT,
    )  # fmt: skip
    return replace(
        before,
        repeat_share=share / 100,
        order=choose_setting(
            order, Design, "order", value=before.order, key=f"order {key}", **KEPT
        ),
    )


def _number(at: DeltaGenerator, key: str, name: str, before: int) -> int:
    least = list_settings(Design)[name].least or 0
    return int(
        choose_number(at, Design, name, before, min_value=least, key=f"{name} {key}", **KEPT)
    )


def choose_answers(key: str, before: Design) -> Design:
    """Ask for the answers besides A and B, and for the order of the attributes."""
    declared = list_settings(Design)
    beside = st.container(horizontal=True)  # breaks where a window is narrow
    chosen = beside.pills(
        "Besides A and B, people may say",
        ANSWERS,
        selection_mode="multi",
        default=[name for name in ANSWERS if getattr(before, name)],
        format_func=lambda name: declared[name].label,
        key=f"answers {key}",
        **KEPT,
    )
    row = beside.segmented_control(
        **describe_setting(Design, "together"),
        options=list(TOGETHER),
        default=before.together,
        format_func=TOGETHER.__getitem__,
        key=f"together {key}",
        **KEPT,
    )
    reasons = st.text_area(
        **describe_setting(Design, "reasons"),
        value="\n".join(before.reasons),
        placeholder="clearer\nmore complete",
        key=f"reasons {key}",
        **KEPT,
        height=80,
    )
    return replace(
        before,
        **{name: name in (chosen or []) for name in ANSWERS},
        together=bool(row),
        reasons=tuple(line.strip() for line in reasons.splitlines() if line.strip()),
    )


def choose_checks(
    key: str, before: Design, new: NewChecks | None = None
) -> tuple[Design, NewChecks]:
    """Ask for a file of known answers, the number of checks, and what happens when people fail."""
    new = new or NewChecks()
    file, gold, attention = st.columns([3, 1, 1])
    upload = file.file_uploader(
        "Pairs whose answer is known", type="csv", help=FILE_HELP, key=f"known {key}",
        on_change=_choose_file, args=(key,),
    )  # fmt: skip
    known = upload.getvalue() if upload else _use_kept_file(file, key, new.known)
    pairs = gold.number_input(
        "Gold pairs", 0, None, new.gold, help=GOLD_HELP, key=f"gold {key}", **KEPT
    )
    number = attention.number_input(
        "Attention checks",
        0,
        None,
        new.attention,
        help=ATTENTION_HELP,
        key=f"attention {key}",
        **KEPT,
    )
    checks = new._replace(
        known=known,
        gold=int(pairs),
        attention=int(number),
        at_most=new.at_most and number == new.attention,
    )
    every, failure, allowed = st.columns(3)
    design = replace(
        before,
        check_every=_number(every, key, "check_every", before.check_every),
        on_failure=choose_setting(
            failure, Design, "on_failure", value=before.on_failure, key=f"on_failure {key}", **KEPT
        ),
        failures_allowed=_number(allowed, key, "failures_allowed", before.failures_allowed),
    )
    return design, checks


def _use_kept_file(at: DeltaGenerator, key: str, known: bytes | None) -> bytes | None:
    """Offer to use the file that a draft keeps, since the browser keeps none; None if unwanted."""
    if known is None:
        return None
    wanted = at.toggle("Use the file that the draft keeps", value=True, key=f"kept {key}", **KEPT)
    return known if wanted else None


def _choose_file(key: str) -> None:
    """Stop using the kept file once somebody removes the file they chose."""
    st.session_state[f"kept {key}"] = st.session_state[f"known {key}"] is not None


def write_words(key: str, before: Design) -> Design:
    """Ask for the instructions and consent that people read before their first pair."""
    words = {
        name: st.text_area(
            **describe_setting(Design, name),
            value=getattr(before, name),
            key=f"{name} {key}",
            **KEPT,
        ).strip()
        for name in ("instructions", "consent")
    }
    return replace(before, **words)
