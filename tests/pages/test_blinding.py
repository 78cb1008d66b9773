"""Nothing a browser receives before a vote tells systems apart, but for the texts themselves."""

from __future__ import annotations

import asyncio
import random
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Sequence
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
from core.records import Attribute, Dataset, Generation, Item, System
from core.runs import execution
from core.store import Store
from tests import inviting
from tests.app_server import Server, serving
from tests.browserless import visit
from tests.pages.annotating import Annotator

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


@dataclass(frozen=True)
class Shown:
    """One question: which system stands left and right, and all else that came with it, in words."""

    systems: tuple[str, str]
    places: dict[str, str]


def imported(path: Path) -> str:
    """Eight systems one after the other on every item, as an importer writes them."""
    with Store(path) as store:
        store.datasets.add(Dataset(IMPORTED))
        store.datasets.add_attributes(IMPORTED, [Attribute("overall")])
        store.datasets.add_items(IMPORTED, (Item(f"i{n}", f"Context of {n}.") for n in range(12)))
        store.datasets.add_systems(IMPORTED, map(System, SYSTEMS))
        texts = (
            Generation(f"i{n}", name, 0, f"text {place} of item {n}")
            for n in range(12)
            for place, name in enumerate(SYSTEMS)
        )
        store.datasets.add_generations(IMPORTED, texts)
        open_default(store, IMPORTED)
    return IMPORTED


def sample(path: Path) -> str:
    with Store(path) as store:
        sample_study.load(store)
        # So that everybody is asked, not only those who come first.
        store.connection.execute("UPDATE campaign_attributes SET overlap = 8")
        for run in store.runs.unfinished():  # a quarter of a minute that no annotator sees
            execution.cancel(store, run)
        return store.datasets.names()[0]


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


async def look(server: Server, dataset: str, systems: dict[str, str]) -> list[Shown]:
    """What PEOPLE were shown before each of VOTES votes."""

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

    people = [annotate(f"person {chr(97 + place)}") for place in range(PEOPLE)]
    return [one for seen in await asyncio.gather(*people) for one in seen]


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
def test_no_number_in_the_frames_before_a_vote_predicts_the_system(fill, tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    dataset = fill(path)
    with closing(sqlite3.connect(path)) as db:
        systems = dict(
            db.execute(
                """SELECT g.text, s.name FROM generations g JOIN systems s ON s.id = g.system
                WHERE s.dataset = ? AND g.sample = 0""",
                (dataset,),
            )
        )
    # In a thread of its own: a browser of another test may keep an event loop running in this one.
    with serving(path) as server, ThreadPoolExecutor(1) as thread:
        seen = thread.submit(asyncio.run, look(server, dataset, systems)).result()
    assert len(seen) == PEOPLE * VOTES
    left = Counter(name for one in seen for name in one.systems)
    assert len(left) == len(set(systems.values()))
    assert telling(seen) == []
    everything = "\n".join(text for one in seen for text in one.places.values())
    assert not [name for name in set(systems.values()) if name in everything]


def test_it_would_see_a_key_that_holds_row_ids() -> None:
    rng = random.Random(0)
    rows = [(rng.randint(1, 192), rng.randint(1, 192)) for _ in range(128)]
    seen = [
        Shown(
            (SYSTEMS[(a - 1) % 8], SYSTEMS[(b - 1) % 8]),
            {"delta 0": f"id: vote-a-1-{a}-{b}-0"},
        )
        for a, b in rows
    ]
    assert "delta 0 number 1 mod 8: 64 of 64" in telling(seen)
    assert not [found for found in telling(seen) if "number 2" in found]


@pytest.mark.browser
def test_the_page_itself_holds_sealed_keys_alone(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    dataset = imported(path)
    attributes = """() => [...document.querySelectorAll("body *")].flatMap(
        (element) => [...element.attributes].map((a) => a.name + "=" + a.value))"""
    with serving(path) as server:
        link = inviting.code(path, "Ada")
        page.goto(server.page("annotate", dataset=dataset, invitation=link))
        ada = Annotator(page)
        for _ in range(4):
            ada.look()
            values = page.evaluate(attributes)
            assert not [value for value in values for name in SYSTEMS if name in value]
            keys = {
                word.rpartition("-")[2]
                for value in values
                for word in value.split()
                if "st-key-" in word
            }
            assert keys
            assert all(re.fullmatch("[0-9a-f]{16}|nothing|hidden", key) for key in keys), keys
            ada.vote("1")
