"""Who gave a mark, told from the rater's name: metrics may stand beside people in one table."""

from __future__ import annotations

import re

from core.importing.layout import Source
from core.records import Kind

METRIC = re.compile(
    r"(sacre)?bleu|rouge|meteor|chrf|nist|cider|spice|bert[-_ ]?score|bart[-_ ]?score|"
    r"mover[-_ ]?score|bleurt|comet|mauve|perplexity|cosine",
    re.IGNORECASE,
)
"""How the names of metrics begin that compare a text with others and ask nobody."""


def kind_of(rater: str, source: Source) -> Kind:
    """What a rater is: as it was said of it, a metric by its name, else as all of the file."""
    if rater in source.kinds:
        return source.kinds[rater]
    return Kind.BASELINE if METRIC.match(rater) else source.kind
