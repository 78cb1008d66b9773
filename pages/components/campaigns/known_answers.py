"""Pairs whose answer is known: a file of them, and attention checks made from the texts."""

from __future__ import annotations

import streamlit as st

from core.campaigns import NewChecks

FILE_HELP = (
    "A CSV with the columns item, better, worse (names of systems) and, if you like, attribute, "
    "role (training or gold), feedback."
)
GOLD_HELP = (
    "Drawn from the pairs whose answer gold labels know: those of a file, or what was decided "
    "where people disagreed."
)
ATTENTION_HELP = "Each shows a text beside its own words in disorder."


def choose_checks(key: str) -> NewChecks:
    """A file of known answers, and how many attention checks to make."""
    file, gold, attention = st.columns([3, 1, 1])
    upload = file.file_uploader(
        "Pairs whose answer is known", type="csv", help=FILE_HELP, key=f"known {key}"
    )
    return NewChecks(
        upload.getvalue() if upload else None,
        int(gold.number_input("Gold pairs", 0, help=GOLD_HELP, key=f"gold {key}")),
        int(
            attention.number_input(
                "Attention checks", 0, help=ATTENTION_HELP, key=f"attention {key}"
            )
        ),
    )
