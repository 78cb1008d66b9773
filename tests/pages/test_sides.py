"""Over the server's own socket: which text stands left cannot be computed from what is shown."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from tests import inviting
from tests.app_server import Server, serving
from tests.browserless import visit
from tests.campaigns.test_sides import guesses
from tests.pages.test_blinding import IMPORTED, READING, imported, shown

PEOPLE, VOTES = 8, 15
FAR = 0.5 + 0.23
"""Of 120 fair coins so many fall as foreseen once in two million times (5 standard deviations)."""


async def look(server: Server, systems: dict[str, str]) -> list[tuple[str, str, str, str]]:
    """(annotator, item, system shown as A, as B) of what PEOPLE are shown."""

    async def annotate(name: str) -> list[tuple[str, str, str, str]]:
        seen = []
        link = inviting.code(server.store, name)
        async with visit(server.page("annotate", dataset=IMPORTED, invitation=link)) as tab:
            await tab.open()
            for _ in range(VOTES):
                one = shown(tab.frames, systems)
                [item] = set(re.findall(r"Context of (\d+)\.", str(one.places)))
                seen.append((name, f"i{item}", *one.systems))
                tab.frames.clear()
                await asyncio.sleep(READING)
                await tab.press("A is better")
        return seen

    people = [annotate(f"person {chr(97 + place)}") for place in range(PEOPLE)]
    return [one for seen in await asyncio.gather(*people) for one in seen]


def test_names_and_items_do_not_tell_the_sides(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    imported(path)
    with closing(sqlite3.connect(path)) as db:
        systems = dict(
            db.execute("SELECT g.text, s.name FROM generations g JOIN systems s ON s.id = g.system")
        )
    with serving(path) as server, ThreadPoolExecutor(1) as thread:
        seen = thread.submit(asyncio.run, look(server, systems)).result()
    assert len(seen) == PEOPLE * VOTES
    for how, guess in guesses(IMPORTED):
        right = sum(guess(who, item, sorted((a, b))) == int(a > b) for who, item, a, b in seen)
        assert 1 - FAR < right / len(seen) < FAR, how
    with closing(sqlite3.connect(path)) as db:  # and each vote is of what was on the screen
        stored = db.execute(
            """SELECT w.name, i.key, sa.name, sb.name FROM judgements j
            JOIN judges w ON w.id = j.judge JOIN comparisons c ON c.id = j.comparison
            JOIN items i ON i.id = c.item JOIN systems sa ON sa.id = c.system_a
            JOIN systems sb ON sb.id = c.system_b"""
        ).fetchall()
    assert sorted(stored) == sorted(seen)
