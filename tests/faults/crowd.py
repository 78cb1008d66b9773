"""People who annotate whatever happens, and write down what they were shown."""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import WebSocketException

from tests.browserless import Visitor, visit

READING = 0.35  # seconds a pair is on the screen: quicker is not counted
UNDO = 0.1  # of all presses
AGAIN = 0.3  # seconds until a page that shows no pair is loaded again
ANSWERS = {"A is better": "a", "Tie": "tie", "B is better": "b", "Both bad": "both_bad"}
SCREEN = re.compile(r"vote-a-(\S+)$")  # in the name of a button
OUTDATED = re.compile("Not counted: |Too quick|Out of date")
UNSAVED = re.compile("Not saved: |Not counted: |Too quick")
SAID = re.compile(r'tandem-said" role="status">([^<]*)<')


@dataclass
class Annotator:
    """One person: for each screen, by its key, what they pressed there, and what was confirmed by
    the next pair; how often they pressed Undo, and were told that it was. `said` is every problem a
    page told them of.
    """

    name: str
    addresses: list[str]
    pause: float = READING  # seconds between two presses
    pressed: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    confirmed: dict[str, str] = field(default_factory=dict)
    undo_pressed: int = 0
    undone: int = 0
    said: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    async def annotate(self, leaving: asyncio.Event) -> None:
        """Vote until it is time to leave. Where no server answers, try another one."""
        rng, place = random.Random(self.name), 0
        while not leaving.is_set():
            try:
                async with visit(self.addresses[place % len(self.addresses)]) as tab:
                    await tab.open()
                    self._read(tab)
                    while not leaving.is_set() and screen(tab):
                        await asyncio.sleep(self.pause)
                        if self.confirmed and rng.random() < UNDO:
                            await self._undo(tab)
                        else:
                            await self._vote(tab, rng.choice(list(ANSWERS)))
            except (OSError, WebSocketException, TimeoutError, EOFError):
                place += 1
            await asyncio.sleep(AGAIN)

    async def _vote(self, tab: Visitor, label: str) -> None:
        before = screen(tab)
        self.pressed[before].append(ANSWERS[label])
        tab.frames.clear()
        await tab.press(label)
        problems = self._read(tab)
        if screen(tab) != before and not any(UNSAVED.match(problem) for problem in problems):
            self.confirmed[before] = ANSWERS[label]

    async def _undo(self, tab: Visitor) -> None:
        self.undo_pressed += 1
        tab.frames.clear()
        await tab.press("Undo")
        self._read(tab)
        self.undone += any("Undone: " in said for said in sayings(tab.frames))

    def _read(self, tab: Visitor) -> list[str]:
        """What the page says stands in the way."""
        problems = list(alerts(tab.frames))
        self.said += [text for text in problems if not OUTDATED.match(text)]
        self.broken += [
            str(frame)[:500]
            for frame in tab.frames
            if b"Traceback" in frame.SerializeToString()
            or frame.delta.new_element.WhichOneof("type") == "exception"
        ]
        return problems


def screen(tab: Visitor) -> str:
    """The key of the question on the screen; "" where there is none."""
    found = SCREEN.search(tab.buttons.get("A is better", ""))
    return found[1] if found else ""


def alerts(frames: list[ForwardMsg]) -> Iterator[str]:
    """What a page says in red, and what it says of a press that did not count."""
    for frame in frames:
        body = frame.delta.new_element.html.body
        if 'role="alert"' in body:
            yield unescape(re.sub("<[^>]+>", " ", body)).strip()
    yield from (said for said in sayings(frames) if UNSAVED.match(said))


def sayings(frames: list[ForwardMsg]) -> Iterator[str]:
    """What a page says beside the question of what was pressed last."""
    for frame in frames:
        yield from map(unescape, SAID.findall(frame.delta.new_element.html.body))


def lost(crowd: list[Annotator], stored: Counter[tuple[str, str, str]]) -> list[str]:
    """Count votes that were confirmed and are missing or doubled, or that nobody gave."""
    pressed = {
        (person.name, key, answer)
        for person in crowd
        for key, answers in person.pressed.items()
        for answer in answers
    }
    screens = Counter[tuple[str, str]]()
    for (name, key, _), count in stored.items():
        screens[name, key] += count
    return [
        *(
            f"{person.name} was shown that {answer!r} on {key} is saved, and it is not there"
            for person in crowd
            for key, answer in list(person.confirmed.items())
            if (person.name, key, answer) not in stored
        ),
        *(f"{screen} is there {count} times" for screen, count in screens.items() if count > 1),
        *(f"{vote} is there, and was never pressed" for vote in stored if vote not in pressed),
    ]
