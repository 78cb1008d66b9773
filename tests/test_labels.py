"""Names that run the other way keep that to themselves."""

from __future__ import annotations

import pytest

from core.labels import isolated

OVERRIDE, ISOLATE, END = "\u202e", "\u2068", "\u2069"


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("gpt leads: 72% of 480", "gpt leads: 72% of 480"),
        (f"{OVERRIDE}tpg leads: 72%", f"{ISOLATE}{OVERRIDE}tpg{END} leads: 72%"),
        (f"a{OVERRIDE}b · coherence", f"{ISOLATE}a{OVERRIDE}b{END} · coherence"),
        ("דוד 72% (68 to 76)", f"{ISOLATE}דוד{END} 72% (68 to 76)"),
        # A name cannot end its isolation before its time.
        (f"x{END}{OVERRIDE}y won", f"{ISOLATE}x{OVERRIDE}y{END} won"),
        ("naïve 李雷 é won", "naïve 李雷 é won"),
    ],
)
def test_a_name_that_runs_the_other_way_turns_nothing_else_around(
    sentence: str, shown: str
) -> None:
    assert isolated(sentence) == shown
