"""Who gave a mark, told from the rater's name: metrics may stand beside people in one table."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from core.importing.layout import Source
from core.records import Kind, TandemError, setting

METRIC = re.compile(
    r"(sacre)?bleu|rouge|meteor|chrf|nist|cider|spice|bert[-_ ]?score|bart[-_ ]?score|"
    r"mover[-_ ]?score|bleurt|comet|mauve|perplexity|cosine",
    re.IGNORECASE,
)
"""How the names of metrics begin that compare a text with others and ask nobody."""


def kind_of(rater: str, source: Source) -> Kind:
    """What a rater is: as it was said of it, a metric by its name, else as all of the file."""
    return source.kinds[rater] if rater in source.kinds else usual_kind(rater, source.kind)


def usual_kind(rater: str, kind: Kind) -> Kind:
    """What a rater is of whom nothing was said, `kind` being that of all of the file."""
    return Kind.BASELINE if METRIC.match(rater) else kind


def raters_of(fields: Iterable[str]) -> list[str]:
    """Who gave the marks of a table with these fields, score:RATER:ATTRIBUTE among them, in their
    order; '' where a column names nobody.
    """
    marks = (field.removeprefix("score:") for field in fields if field.startswith("score:"))
    return list(dict.fromkeys(mark.rpartition(":")[0] for mark in marks))


def check_kinds(named: Iterable[str], there: Collection[str]) -> None:
    """Raises TandemError where a kind was named of somebody who gave no marks."""
    wrong = next((rater for rater in named if rater not in there), None)
    if wrong is not None:
        whom = ", ".join(filter(None, there))
        raise TandemError(
            f"{setting('kinds')} {wrong}: no column is score:{wrong}:ATTRIBUTE; "
            + (f"they are by {whom}" if whom else "there are no raters in columns")
        )
