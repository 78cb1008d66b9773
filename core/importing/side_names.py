"""What the two systems of a pair are called in a file that does not name them."""

from __future__ import annotations

from core.importing.layout import Source
from core.records import setting


def name_sides(source: Source, places: tuple[str, str]) -> tuple[str, str]:
    """The names that were given, else the places of their texts, which a note says."""
    if len(source.systems) == 2:
        return source.systems[0], source.systems[1]
    source.tally.notes[
        f"it does not say whose texts they are, so the systems are called {places[0]} and "
        f"{places[1]}; {setting('systems')} FIRST SECOND names them"
    ] = None
    return places
