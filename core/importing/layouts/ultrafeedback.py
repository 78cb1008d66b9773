"""UltraFeedback (openbmb/UltraFeedback): completions of an instruction by several models, each
rated by GPT-4 for several aspects.

A row has instruction, completions (model, response, annotations: aspect -> Rating). A rating "N/A"
is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.importing.cells import Cells, named, required
from core.importing.entry import SCORE, TEXT, Entry, is_score
from core.importing.layout import Layout, has
from core.importing.templates import read_with
from core.records import Kind

NO_RATING = "n/a"


def _read(number: int, cells: Cells) -> Iterator[Entry]:
    about = {"context": named(cells, "instruction")}
    for completion in required(cells, "completions", list):
        text = {**about, "system": named(completion, "model"), "sample": 0}
        yield {"sort": TEXT, **text, "text": completion.get("response")}
        for aspect, annotation in (completion.get("annotations") or {}).items():
            rating = annotation.get("Rating") if isinstance(annotation, Mapping) else None
            if is_score(rating) and str(rating).strip().casefold() != NO_RATING:
                yield {
                    "sort": SCORE, **text, "attribute": aspect, "judge": "gpt-4",
                    "judge_kind": Kind.LLM.value, "value": rating,
                }  # fmt: skip


_HAS = has("instruction", "completions", "models")

LAYOUT = Layout(
    "ultrafeedback",
    "UltraFeedback",
    {read_with(_read): lambda source: not source.mapping and _HAS(source)},
    ("instruction", "response"),
)
