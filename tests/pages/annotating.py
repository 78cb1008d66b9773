"""An annotator in front of the screen, who writes down what they see and what they press."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from playwright.sync_api import Page, expect

PRESSED = {"1": "a", "2": "tie", "3": "b", "4": "both_bad", "s": "skipped"}
# milliseconds before a key is pressed: quicker is not counted, as nobody can have read the pair
LOOK = 350
AGAIN = """({key, times}) => addEventListener("keydown", () => {
  for (let n = 0; n < times; n++)
    document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
}, {once: true, capture: true})"""
"""The next press of a key is so many more, before anything else happens."""


@dataclass(frozen=True)
class Seen:
    """One question as it stands on the screen. `key` is how the page tells it from every other."""

    key: str
    attribute: str
    text_a: str
    text_b: str


@dataclass(frozen=True)
class Vote:
    """A question and what became of it, by the annotator's own notes or by the store."""

    attribute: str
    text_a: str
    text_b: str
    answer: str
    withdrawn: bool = False


@dataclass
class Annotator:
    """Reads the page, presses keys, and keeps a ledger of both."""

    page: Page
    ledger: list[Vote] = field(default_factory=list)

    def see(self) -> Seen:
        """The question on the screen; a card that says that the question changes is passed."""
        card = self.page.locator('[class*="st-key-go-on-"] button')
        expect(self.page.locator(".tandem-side-b .tandem-text").or_(card).first).to_be_visible()
        if card.count():
            expect(card).to_be_focused()
            self.page.keyboard.press("Enter")
            expect(card).to_have_count(0)
        button = self.page.locator('[class*="st-key-vote-a-"]')
        expect(button.get_by_role("button")).to_be_visible()
        key, *_ = re.findall(r"st-key-vote-a-(\S+)", button.get_attribute("class") or "")
        attribute = self.page.locator(".tandem-where").text_content() or ""
        return Seen(key, attribute, self.text("a"), self.text("b"))

    def text(self, side: str) -> str:
        return self.page.locator(f".tandem-side-{side} .tandem-text").text_content() or ""

    def vote(self, key: str, *, times: int = 1) -> Seen:
        """Look at the question, press a key so many times at once, and wait for the next one."""
        seen = self.look()
        if times > 1:  # with it: on a busy machine single presses last until the next question
            self.page.evaluate(AGAIN, {"key": key, "times": times - 1})
        self.page.keyboard.press(key)
        self.ledger.append(Vote(seen.attribute, seen.text_a, seen.text_b, PRESSED[key]))
        return self.next_after(seen)

    def look(self) -> Seen:
        seen = self.see()
        self.page.wait_for_timeout(LOOK)
        return seen

    def next_after(self, seen: Seen) -> Seen:
        try:
            expect(self.page.locator(f".st-key-vote-a-{seen.key}")).to_have_count(0)
        except AssertionError as error:
            raise AssertionError(f"{seen} stays: {self.page.inner_text('body')}") from error
        return self.see()

    def undo(self) -> Seen:
        """Take back the latest answer that still counts."""
        seen = self.look()
        self.page.keyboard.press("z")
        latest = max(place for place, vote in enumerate(self.ledger) if not vote.withdrawn)
        self.ledger[latest] = replace(self.ledger[latest], withdrawn=True)
        return self.next_after(seen)


def stored(store: Path, annotator: str) -> list[Vote]:
    """What a store holds of one annotator, in the order given."""
    with closing(sqlite3.connect(store)) as db:
        rows = db.execute(
            """SELECT t.name, a.text, b.text, coalesce(j.outcome, j.failure),
                j.withdrawn_at IS NOT NULL
            FROM judgements j JOIN judges w ON w.id = j.judge
            JOIN comparisons c ON c.id = j.comparison JOIN attributes t ON t.id = c.attribute
            JOIN generations a ON a.id = c.generation_a JOIN generations b ON b.id = c.generation_b
            WHERE w.name = ? ORDER BY j.id""",
            (annotator,),
        ).fetchall()
    return [
        Vote(attribute, a, b, answer, bool(withdrawn))
        for attribute, a, b, answer, withdrawn in rows
    ]
