"""Pairs whose answer is known: a file of them, and attention checks made from the texts."""

from __future__ import annotations

import csv
import io
from typing import NamedTuple

import streamlit as st

from core.campaigns import known_answers
from core.records import TandemError
from core.store import Campaign, Store

FILE_HELP = (
    "A CSV with the columns item, better, worse (names of systems) and, if you like, attribute, "
    "role (training or gold), feedback."
)
GOLD_HELP = (
    "Drawn from the pairs whose answer gold labels know: those of a file, or what was decided "
    "where people disagreed."
)
ATTENTION_HELP = "Each shows a text beside its own words in disorder."


class NewChecks(NamedTuple):
    """Checks to add: a CSV of known answers, if any; so many gold pairs and attention checks."""

    known: bytes | None = None
    gold: int = 0
    attention: int = 0


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


def add_checks(store: Store, campaign: Campaign, checks: NewChecks) -> None:
    """Raises TandemError for a file that cannot be read, with nothing added."""
    rows = (
        known_answers.from_rows(store, campaign, _rows(checks.known))
        if checks.known is not None
        else []
    )
    if checks.attention:
        rows = [*rows, *known_answers.attention(store, campaign, checks.attention)]
    if checks.gold:
        rows = [*rows, *known_answers.gold(store, campaign, checks.gold)]
    known_answers.add(store, campaign, rows)


def _rows(content: bytes) -> list[dict[str, str]]:
    try:
        rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    except (UnicodeDecodeError, csv.Error) as error:
        raise TandemError(f"the file of known answers is no CSV in UTF-8: {error}") from error
    if not rows:
        raise TandemError(
            f"the file of known answers has no rows: it takes the columns {known_answers.COLUMNS}"
        )
    return rows
