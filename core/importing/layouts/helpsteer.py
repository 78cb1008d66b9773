"""HelpSteer3's preferences (nvidia/HelpSteer3): two responses to a conversation, and how much
better the first (-3 to -1) or the second (1 to 3) is; 0 is a tie.

A row has context (a list of messages), response1, response2 and overall_preference. The models are
not named.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.importing.cells import Cells, as_mark
from core.importing.conversations import transcript
from core.importing.entry import VOTE
from core.importing.layout import Layout, Source, has
from core.importing.side_names import name_sides
from core.importing.templates import Constant, Template, read_by, template
from core.records import Outcome

PLACES = ("response1", "response2")
STEPS = 3


def _votes(source: Source) -> Iterator[Template]:
    first, second = name_sides(source, PLACES)
    yield template(
        VOTE, context=lambda cells: transcript(cells.get("context")), system_a=Constant(first),
        text_a="response1", system_b=Constant(second), text_b="response2", subset="domain",
        outcome=_outcome, strength=lambda cells: abs(_preference(cells)) / STEPS or None,
    )  # fmt: skip


def _outcome(cells: Cells) -> Outcome:
    preference = _preference(cells)
    return Outcome.TIE if not preference else Outcome.A if preference < 0 else Outcome.B


def _preference(cells: Cells) -> float:
    preference = as_mark(cells.get("overall_preference"), "the preference")
    if abs(preference) > STEPS:
        raise ValueError(f"the preference {preference:g} is not between -{STEPS} and {STEPS}")
    return preference


_HAS = has("context", *PLACES, "overall_preference", "individual_preference")

LAYOUT = Layout(
    "helpsteer",
    "HelpSteer3's preferences",
    {read_by(_votes): lambda source: not source.mapping and _HAS(source)},
    ("prompt", "response"),
    settings=("systems", "kind"),
)
