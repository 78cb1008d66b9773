"""A page as it is drawn without a browser, and what a test reads and does there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from streamlit.testing.v1 import AppTest

from pages.components.shared.frame import SECTIONS
from tests.paths import ROOT

PAGES = ("", *sorted(path.stem for path in (ROOT / "pages").glob("*.py")), *SECTIONS)
"""Every page by its address, and every section by its name; the first is the app's own."""


def draw(page: str = "", **parameters: str) -> AppTest:
    """Draw a page, or a section by its name, of the store of $TANDEM_STORE, as a browser does."""
    if page in SECTIONS:
        page, parameters = SECTIONS[page], {"section": page, **parameters}
    app = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    app.query_params.update(parameters)
    if page:
        app.switch_page(f"pages/{page}.py")
    return run(app)


def run(app: AppTest) -> AppTest:
    """Draw it again: nobody meets an exception."""
    app.run()
    assert not app.exception, app.exception
    return app


def words(app: Any) -> str:
    """All that a page, or a part of it, says; styles aside."""
    html = [element.proto.body for element in app.get("html")]
    return "\n".join(text for text in html if not text.startswith("<style"))


def labels(elements: Iterable[Any]) -> list[str]:
    return [element.label for element in elements]


def find(elements: Iterable[Any], label: str) -> Any:
    """The first widget with this label."""
    return next(element for element in elements if element.label == label)


def press(app: AppTest, label: str) -> AppTest:
    find(app.button, label).click()
    return run(app)


def choose(app: AppTest, label: str, value: object) -> AppTest:
    """Choose in the last list with this label, which is below all else of its name."""
    [*_, box] = [box for box in app.selectbox if box.label == label]
    box.set_value(value)
    return run(app)


def write(app: AppTest, kind: str, label: str, value: object) -> AppTest:
    """Fill in the first field of a kind, as text_input, with this label."""
    find(getattr(app, kind), label).set_value(value)
    return run(app)
