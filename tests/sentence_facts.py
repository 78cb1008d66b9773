"""Facts in what the program says: its figures, and the sentences that name something.

A test that reads them does not depend on the words around them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

FIGURE = re.compile(r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?")


def list_figures(text: str) -> list[float]:
    """The numbers of a text in its order; a percentage is its number, 34% is 34."""
    return [float(figure.replace(",", "")) for figure in FIGURE.findall(text)]


def find_sentences(sentences: Iterable[str], pattern: str) -> list[str]:
    """The sentences, or notes, in which a pattern occurs."""
    return [sentence for sentence in sentences if re.search(pattern, sentence)]
