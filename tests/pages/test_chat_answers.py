"""Forty answers of chat assistants, in Markdown, are read and voted on: twenty on a laptop, twenty on
a phone. Each shows its table, code and formula, runs the way its script does, and asks nothing of
the network.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.importing import importer
from core.records import Dataset, TextFormat
from core.store import Store, dataset_decisions
from tests.app_server import Server
from tests.pages.annotating import Annotator, stored
from tests.pages.tabs import TabPool

pytestmark = pytest.mark.browser
EACH = 20
ANSWER = """# Answer {marker}

In short, **yes**: the square of {n} is {square}.

| n | square |
| --- | --- |
| {n} | {square} |

```python
print({n} ** 2)  # a comment
```

$$x^2 = {square}$$

الجواب نعم، وهو {square}.

![chart](https://elsewhere.test/{marker}.png) from [here](https://elsewhere.test/page)
"""
MARKER = re.compile(r"Answer (\w+)")


def begin(store: Store) -> None:
    rows = [
        {
            "item": f"q{n}",
            "context": f"What is the square of {n}?",
            "system": system,
            "text": ANSWER.format(marker=f"{system}{n}", n=n, square=n * n),
        }
        for n in range(EACH)
        for system in ("left", "right")
    ]
    table = store.path.with_name("chat.jsonl")
    table.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    importer.load(store, [table], Dataset("chat"))
    dataset_decisions.set_text_format(store, "Eve", "chat", TextFormat.MARKDOWN)


@pytest.mark.parametrize(
    ("name", "device"),
    [
        ("Ada", {"viewport": {"width": 1366, "height": 768}}),
        ("Bo", {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}),
    ],
    ids=["laptop", "phone"],
)
def test_twenty_answers(tabs: TabPool, server: Server, name: str, device: dict) -> None:
    with Store(server.store) as store:  # as many for the second as for the first
        campaign = store.campaigns.list_all("chat")[-1]
        store.campaigns.edit(campaign.id, name=campaign.name, design={"overlap": 2}, overlap=2)
    asked: list[str] = []
    with tabs.lend(**device) as page:
        page.on("request", lambda request: asked.append(request.url.split("/")[2]))
        page.goto(server.page("annotate", dataset="chat"))
        page.get_by_label("Your name").fill(name)
        page.get_by_role("button", name="Start").click()
        annotator, ledger = Annotator(page), []
        for _ in range(EACH):
            seen = annotator.look()
            ledger.append(_read(page, device["viewport"]["width"]))
            button = page.locator(f".st-key-vote-a-{seen.key} button")
            if device.get("is_mobile"):
                page.locator(".tandem-side-b").evaluate("side => side.scrollIntoView()")
                button.tap()
            else:
                page.keyboard.press("1")
            expect(page.locator(f".st-key-vote-a-{seen.key}")).to_have_count(0)
        expect(page.get_by_text("All done. Thank you!")).to_be_visible()
    assert _stored(server.store, name) == ledger
    assert not [host for host in asked if "elsewhere" in host]


def _read(page: Page, width: int) -> tuple[str, str]:
    """The markers of A and B, once each has been seen to be set as its Markdown means it."""
    markers = []
    for side in "ab":
        text = page.locator(f".tandem-side-{side} .tandem-text")
        for inside, count in (("table", 1), ("pre code", 1), ("math", 1), ("img", 0)):
            expect(text.locator(inside)).to_have_count(count)
        expect(text.locator("a[href]")).to_have_count(0)
        box = text.bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width, "nothing is cut off at the side"
        arabic = text.locator("p", has_text="الجواب")
        assert arabic.evaluate("node => getComputedStyle(node).direction") == "rtl"
        markers.append(_mark(text.text_content() or ""))
    return markers[0], markers[1]


def _stored(path: Path, name: str) -> list[tuple[str, str]]:
    """What the store says that this person saw as A and B, in order, all votes for A."""
    votes = stored(path, name)
    assert {vote.answer for vote in votes} == {"a"}
    return [(_mark(vote.text_a), _mark(vote.text_b)) for vote in votes]


def _mark(text: str) -> str:
    found = MARKER.search(text)
    assert found
    return found[1]
