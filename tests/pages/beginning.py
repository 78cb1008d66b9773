"""How tests of pages begin: the store of a server, an annotator in front of a pair; and what a page
then says.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page
from streamlit.testing.v1 import AppTest

from core.store import Store
from tests.app_server import Server
from tests.pages.annotating import Annotator, stored
from tests.pages.drawn import find


def filling(fill: Callable[[Store], object]) -> Any:
    """The fixture `fill` of a module, whose server begins with what this puts into a store."""

    def begin(path: Path) -> None:
        with Store(path) as store:
            fill(store)

    return pytest.fixture(scope="module")(lambda: begin)


def sit_down(page: Page, server: Server, dataset: str, who: str) -> Annotator:
    """An annotator who looks at the first question."""
    page.goto(server.page("annotate", dataset=dataset, annotator=who))
    annotator = Annotator(page)
    annotator.look()
    return annotator


def press_key(annotator: Annotator, key: str) -> None:
    """Look at the question, press a key, and wait for the next one."""
    seen = annotator.look()
    annotator.page.keyboard.press(key)
    annotator.next_after(seen)


def given(server: Server, who: str) -> list[str]:
    """What somebody has answered, withdrawn or not."""
    return [vote.answer for vote in stored(server.store, who)]


def said(app: AppTest) -> str:
    """All that a page says, its code and what is quoted, too."""
    bodies = [element.proto.body for element in app.get("html")]
    quoted = (app.title, app.text, app.code, app.markdown)
    return " ".join([*bodies, *(element.value for kind in quoted for element in kind)])


def can_start(app: AppTest) -> bool:
    return not find(app.button, "Start").disabled
