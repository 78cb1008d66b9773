"""Sentences about annotators: all of them, one of them, and their disputes."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import pandas as pd

from ...labels import join_names, pluralize
from ..judgements import Finding
from .columns import ANNOTATORS
from .worries import Worry

SHARES = {
    "p_first": ("decisions", "took the first text in {share} of {n:,} decisive answers"),
    "agreement": ("shared", "agrees with others in {share} of {n:,} comparisons"),
    "self_agreement": ("repeated", "agrees with their own first answer in {share} of {n:,}"),
}
"""A share -> of what it is, and the sentence that says it."""


def describe_annotators(result: Finding) -> str:
    """Describe how many people gave how many votes, and whose votes to read."""
    rows = result.rows
    people = "1 person has" if len(rows) == 1 else f"{len(rows):,} people have"
    if result.facts["simulated"]:
        have = "has" if len(rows) == 1 else "have"
        people = f"{pluralize(len(rows), 'simulated annotator')} {have}"
    given = f"{people} given {result.judgements:,} votes."
    worried = rows[rows["worries"].astype(bool)].to_dict("records")
    if not worried:
        return f"{given} Nobody gives reason to worry that chance would not give."
    if len(worried) == 1:
        return f"{given} {describe_worries(worried[0])}"
    names = join_names([str(row["annotator"]) for row in worried])
    return f"{given} Read the votes of {names} below: more than chance is behind them."


def describe_worries(row: Mapping[Hashable, Any]) -> str:
    """Explain why to read a person's votes, with the figure behind each worry."""
    columns = {column.name: column for column in ANNOTATORS}
    written = {name: column.unit.write(row[name]) for name, column in columns.items()}
    said = {
        Worry.SPEED: f"{written['too_fast']} of {written['timed']} first looks too fast",
        Worry.SIDE: f"the first text in {columns['p_first'].write_with_range(row)} of "
        f"{written['decisions']} decisive answers",
        Worry.GOLD: f"{written['gold_passed']} of {written['gold_answered']} gold pairs passed",
        Worry.ATTENTION: f"{written['attention_passed']} of {written['attention_answered']} "
        "attention checks passed",
        Worry.REPEATS: f"{written['self_agreement']} of {written['repeated']} second answers as "
        "the first",
        Worry.MISFIT: f"infit {written['infit']}, where {columns['infit'].write_range(row)} is "
        "usual",
    }
    reasons = join_names([said[Worry(worry)] for worry in row["worries"]])
    return f"Read {row['annotator']}'s votes before they count: {reasons}."


def describe_annotator(row: Mapping[Hashable, Any]) -> str:
    """Describe the figures of a person with their intervals."""
    return " ".join(_describe_figures(row))


def _describe_figures(row: Mapping[Hashable, Any]) -> Iterator[str]:
    days = pluralize(int(row["days"]), "day")
    yield f"{row['answered']:,} answered, {row['skipped']:,} skipped, on {days}."
    columns = {column.name: column for column in ANNOTATORS}
    for name, (of, said) in SHARES.items():
        if row[of]:
            text = said.format(share=columns[name].write_with_range(row), n=int(row[of]))
            yield f"{text[:1].upper()}{text[1:]}."
    for role in ("gold", "attention"):
        if row[f"{role}_answered"]:
            checks = pluralize(int(row[f"{role}_answered"]), f"{role} check")
            yield f"Passed {row[f'{role}_passed']:,} of {checks}."
    if pd.notna(row["infit"]):
        infit = columns["infit"]
        yield f"Infit {infit.unit.write(row['infit'])}; {infit.write_range(row)} is usual."


def describe_disputes(rows: pd.DataFrame) -> str:
    """Describe on how many pairs people disagree, and how many of these are decided."""
    if rows.empty:
        return "People agree on every pair that several of them judged."
    decided = int(rows["decided"].notna().sum())
    done = "None of them is decided"
    if decided:
        done = f"{decided:,} of them {'is' if decided == 1 else 'are'} decided"
    return f"People disagree on {pluralize(len(rows), 'pair')}. {done}."
