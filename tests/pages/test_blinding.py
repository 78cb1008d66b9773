"""Nothing but the texts tells systems apart before a vote: no number, no key, no side."""

from __future__ import annotations

import asyncio
import random
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import pytest
from playwright.sync_api import Page
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from core import sample_study
from core.pairing import open_default
from core.records import Generation, Item
from core.store import Store
from tests import inviting
from tests.app_server import Server
from tests.browserless import visit
from tests.campaigns.test_sides import guesses
from tests.pages.annotating import Annotator
from tests.study import add_texts

IMPORTED = "imported"
SYSTEMS = tuple(f"quartz-{name}" for name in "abcdefgh")
PEOPLE, VOTES = 8, 16
READING = 0.4  # seconds before a press: quicker is not counted
NUMBER = re.compile("[0-9a-f]{16,}|[0-9]{1,9}")
SIDE = re.compile(
    r'<section class="tandem-side-[ab]".*?<div class="tandem-text" dir="auto">(.*?)</div></section>',
    re.DOTALL,
)
CANDIDATE = re.compile(r'(<div class="tandem-text" dir="auto">).*?(</div>)', re.DOTALL)


FAR = 0.5 + 0.23
"""Of 128 fair coins so many fall as foreseen once in two million times (5 standard deviations)."""


@dataclass(frozen=True)
class Shown:
    """One question: which system stands left and right, and all else that came with it, in words."""

    systems: tuple[str, str]
    places: dict[str, str]


def imported(path: Path) -> None:
    """Eight systems one after the other on every item, as an importer writes them."""
    with Store(path) as store:
        texts = (
            Generation(f"i{n}", name, 0, f"text {place} of item {n}")
            for n in range(12)
            for place, name in enumerate(SYSTEMS)
        )
        items = [Item(f"i{n}", f"Context of {n}.") for n in range(12)]
        add_texts(store, IMPORTED, texts, items=items)
        open_default(store, IMPORTED)


def sample(path: Path) -> None:
    with Store(path) as store:
        sample_study.load(store)
        # So that everybody is asked, not only those who come first.
        store.connection.execute("UPDATE campaign_attributes SET overlap = 8")


def shown(frames: Sequence[ForwardMsg], systems: dict[str, str]) -> Shown:
    """What these frames say, by where it stands; the texts, which people must see, are cut out."""
    places: dict[str, str] = {}
    sides: tuple[str, str] | None = None
    for frame in frames:
        body = frame.delta.new_element.html.body
        if found := SIDE.findall(body):
            a, b = (systems[unescape(text)] for text in found)
            sides = (a, b)
            copy = ForwardMsg.FromString(frame.SerializeToString())
            copy.delta.new_element.html.body = CANDIDATE.sub(r"\1\2", body)
            copy.ClearField("hash")  # of the texts, which are shown
            frame = copy
        # A run of the script has a random name of its own.
        if frame.WhichOneof("type") not in ("new_session", "script_finished"):
            path = ".".join(map(str, frame.metadata.delta_path))
            places[f"{frame.WhichOneof('type')} {path}"] = unescape(str(frame))
    assert sides
    return Shown(sides, places)


async def look(server: Server, dataset: str, systems: dict[str, str]) -> dict[str, list[Shown]]:
    """What each of PEOPLE was shown before each of VOTES votes."""

    async def annotate(name: str) -> list[Shown]:
        seen = []
        link = inviting.code(server.store, name)
        async with visit(server.page("annotate", dataset=dataset, invitation=link)) as tab:
            await tab.open()
            for _ in range(VOTES):
                seen.append(shown(tab.frames, systems))
                tab.frames.clear()
                await asyncio.sleep(READING)
                await tab.press("A is better")
        return seen

    people = [f"person {chr(97 + place)}" for place in range(PEOPLE)]
    return dict(zip(people, await asyncio.gather(*map(annotate, people)), strict=True))


def telling(seen: Sequence[Shown]) -> list[str]:
    """The numbers from which the system of A follows: by place and remainder, those that predict it
    on the second half, when read by what they meant on the first, much better than chance.
    """
    values: dict[str, dict[int, int]] = defaultdict(dict)
    for place, one in enumerate(seen):
        for where, text in one.places.items():
            for order, number in enumerate(NUMBER.findall(text)):
                base = 16 if len(number) > 9 else 10
                values[f"{where} number {order}"][place] = int(number, base)
    systems = [one.systems[0] for one in seen]
    chance = max(Counter(systems).values()) / len(systems)
    train = set(range(0, len(seen), 2))
    found = []
    for where, numbers in values.items():
        if len(set(numbers.values())) == 1:
            continue
        for modulus in range(2, 65):
            meaning: dict[int, Counter[str]] = defaultdict(Counter)
            for place in train & numbers.keys():
                meaning[numbers[place] % modulus][systems[place]] += 1
            test = [
                meaning[rest].most_common(1)[0][0] == systems[place]
                for place in numbers.keys() - train
                if meaning[rest := numbers[place] % modulus]
            ]
            if len(test) >= 20 and sum(test) / len(test) > chance + (1 - chance) / 2:
                found.append(f"{where} mod {modulus}: {sum(test)} of {len(test)}")
    return found


@pytest.mark.parametrize("fill", [imported, sample])
def test_neither_a_number_before_a_vote_nor_names_tell_the_systems(
    fill: Callable[[Path], None], shared_server: Server
) -> None:
    shared_server.begin(fill)
    with Store(shared_server.store) as store:
        dataset = store.datasets.names()[0]
    with closing(sqlite3.connect(shared_server.store)) as db:
        systems = dict(
            db.execute(
                """SELECT g.text, s.name FROM generations g JOIN systems s ON s.id = g.system
                WHERE s.dataset = ? AND g.sample = 0""",
                (dataset,),
            )
        )
    # In a thread of its own: a browser of another test may keep an event loop running in this one.
    with ThreadPoolExecutor(1) as thread:
        people = thread.submit(asyncio.run, look(shared_server, dataset, systems)).result()
    seen = [one for shown in people.values() for one in shown]
    assert len(seen) == PEOPLE * VOTES
    left = Counter(name for one in seen for name in one.systems)
    assert len(left) == len(set(systems.values()))
    assert telling(seen) == []
    everything = "\n".join(text for one in seen for text in one.places.values())
    assert not [name for name in set(systems.values()) if name in everything]
    if fill is imported:
        assert_names_do_not_tell_the_sides(people, shared_server.store)


def assert_names_do_not_tell_the_sides(people: dict[str, list[Shown]], path: Path) -> None:
    """Nor items; and each vote is of what was on the screen."""
    seen = [(who, _item(one), *one.systems) for who, shown in people.items() for one in shown]
    for how, guess in guesses(IMPORTED):
        right = sum(guess(who, item, sorted((a, b))) == int(a > b) for who, item, a, b in seen)
        assert 1 - FAR < right / len(seen) < FAR, how
    with closing(sqlite3.connect(path)) as db:
        stored = db.execute(
            """SELECT w.name, i.key, sa.name, sb.name FROM judgements j
            JOIN judges w ON w.id = j.judge JOIN comparisons c ON c.id = j.comparison
            JOIN items i ON i.id = c.item JOIN systems sa ON sa.id = c.system_a
            JOIN systems sb ON sb.id = c.system_b"""
        ).fetchall()
    assert sorted(stored) == sorted(seen)


def _item(one: Shown) -> str:
    [number] = set(re.findall(r"Context of (\d+)\.", str(one.places)))
    return f"i{number}"


def test_it_would_see_a_key_that_holds_row_ids() -> None:
    rng = random.Random(0)
    rows = [(rng.randint(1, 192), rng.randint(1, 192)) for _ in range(128)]
    seen = [
        Shown((SYSTEMS[(a - 1) % 8], SYSTEMS[(b - 1) % 8]), {"delta 0": f"id: vote-a-1-{a}-{b}-0"})
        for a, b in rows
    ]
    assert "delta 0 number 1 mod 8: 64 of 64" in telling(seen)
    assert not [found for found in telling(seen) if "number 2" in found]


@pytest.mark.browser
def test_the_page_itself_holds_sealed_keys_alone(page: Page, shared_server: Server) -> None:
    shared_server.begin(imported)
    attributes = """() => [...document.querySelectorAll("body *")].flatMap(
        (element) => [...element.attributes].map((a) => a.name + "=" + a.value))"""
    link = inviting.code(shared_server.store, "Ada")
    page.goto(shared_server.page("annotate", dataset=IMPORTED, invitation=link))
    ada = Annotator(page)
    for _ in range(4):
        ada.look()
        values = page.evaluate(attributes)
        assert not [value for value in values for name in SYSTEMS if name in value]
        words = [word for value in values for word in value.split() if "st-key-" in word]
        keys = {word.rpartition("-")[2] for word in words}
        assert keys
        assert all(re.fullmatch("[0-9a-f]{16}|nothing|hidden", key) for key in keys), keys
        ada.vote("1")
