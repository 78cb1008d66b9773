"""How a campaign asks people: the part of its form that can be changed at any time."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.campaigns import ON_FAILURE, ORDERS, Design
from pages.components.campaigns.known_answers import NewChecks, choose_checks

ANSWERS = {
    "tie": "Tie",
    "both_bad": "Both bad",
    "strength": "How much better",
    "confidence": "How sure",
    "comment": "Comment",
}
TOGETHER = {False: "attribute after attribute", True: "all attributes of a pair"}
CONSENT = (
    "People agree to this text before their first pair, and again before their next answer when "
    "you reword it. Empty: nothing to agree to."
)
INSTRUCTIONS = (
    "Markdown. People see it before their first pair, and at a key. **Examples** help more than "
    "definitions."
)


def design_form(key: str, before: Design) -> tuple[Design, NewChecks]:
    """The design as it stands in the form, and checks to add. Raises TandemError for one that
    cannot be.
    """
    design = _people(key, before)
    design = _answers(key, design)
    with st.expander("Checks: training, gold pairs, attention"):
        checks = choose_checks(key)
        design = _checks(key, design)
    with st.expander("Instructions and consent"):
        design = _words(key, design)
    return design, checks


def _people(key: str, before: Design) -> Design:
    overlap, quota, again, order = st.columns(4)
    at_most = quota.number_input(
        "Questions per person",
        0,
        value=before.quota or 0,
        help="At most. 0: no limit.",
        key=f"quota {key}",
    )
    return replace(
        before,
        overlap=int(
            overlap.number_input(
                "People per pair",
                1,
                value=before.overlap,
                help="How many people answer each pair. Two or more show how far they agree.",
                key=f"overlap {key}",
            )
        ),
        quota=int(at_most) or None,
        repeat_share=again.number_input(
            "Asked twice, %",
            0.0,
            100.0,
            100 * before.repeat_share,
            5.0,
            format="%.4g",
            help="This share of the pairs comes a second time, after ten others or more: "
            "it shows how far people agree with themselves.",
            key=f"repeat {key}",
        )
        / 100,
        order=order.selectbox(
            "Order",
            list(ORDERS),
            list(ORDERS).index(before.order),
            format_func=ORDERS.__getitem__,
            key=f"order {key}",
            help="The order in which pairs are planned. It holds for pairs that are added.",
        ),
    )


def _answers(key: str, before: Design) -> Design:
    offered, together = st.columns([3, 2])
    chosen = offered.pills(
        "Besides A and B, people may say",
        list(ANSWERS),
        selection_mode="multi",
        default=[name for name in ANSWERS if getattr(before, name)],
        format_func=ANSWERS.__getitem__,
        key=f"answers {key}",
    )
    row = together.segmented_control(
        "Asked in a row",
        list(TOGETHER),
        default=before.together,
        format_func=TOGETHER.__getitem__,
        key=f"together {key}",
        help="Attribute after attribute keeps one question in mind. All attributes of a pair "
        "saves reading it again, and lets one answer colour the next.",
    )
    reasons = st.text_area(
        "Reasons to tick, one a line",
        "\n".join(before.reasons),
        placeholder="clearer\nmore complete",
        help="None: nothing to tick.",
        key=f"reasons {key}",
        height=80,
    )
    return replace(
        before,
        **{name: name in (chosen or []) for name in ANSWERS},
        together=bool(row),
        reasons=tuple(line.strip() for line in reasons.splitlines() if line.strip()),
    )


def _checks(key: str, before: Design) -> Design:
    every, failure, allowed = st.columns(3)
    return replace(
        before,
        check_every=int(
            every.number_input(
                "A check after so many answers",
                1,
                value=before.check_every,
                key=f"every {key}",
            )
        ),
        on_failure=failure.selectbox(
            "When somebody fails one",
            list(ON_FAILURE),
            list(ON_FAILURE).index(before.on_failure),
            format_func=ON_FAILURE.__getitem__,
            key=f"failure {key}",
        ),
        failures_allowed=int(
            allowed.number_input(
                "Failures allowed",
                0,
                value=before.failures_allowed,
                help="Counts where people are asked no more.",
                key=f"allowed {key}",
            )
        ),
    )


def _words(key: str, before: Design) -> Design:
    return replace(
        before,
        instructions=st.text_area(
            "Instructions", before.instructions, help=INSTRUCTIONS, key=f"instructions {key}"
        ).strip(),
        consent=st.text_area("Consent", before.consent, help=CONSENT, key=f"consent {key}").strip(),
    )
