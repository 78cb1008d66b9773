"""Every page of a store in which every name and text would be more than words, looked at in what the
server sends. What the browser makes of it is seen in test_hostile.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.message import Message
from lxml import html
from streamlit.testing.v1 import AppTest

from pages.components.annotate.script import CODE
from pages.components.shared.frame import MENU
from tests import hostile
from tests.paths import ROOT

PAGES = [path for pages in MENU.values() for path in pages]

HOSTILE = re.compile(
    r"evil\.test|pwned|\$5 and|:material/home|__class__|\{\{7\*7|DROP TABLE|\\input\{|\\write18|"
    r"=HYPERLINK|@SUM\(|alert\(1\)|\.\./\.\./"
)
VERBATIM = {
    *("Html.body", "PageLink.query_string", "Code.code_text", "Text.body"),  # Html: see below
    *("Selectbox.options", "Selectbox.raw_value", "MultiSelect.options", "MultiSelect.raw_values"),
    *("TextInput.default", "TextInput.placeholder", "TextArea.default", "TextArea.placeholder"),
    *("VegaLiteChart.spec", "Block.form.form_id"),
}
"""Where Streamlit shows text as it is. Everything else it sends may be Markdown, which fetches
pictures, sets formulas and has links.
"""

TAGS = {
    *("b", "br", "button", "details", "div", "h1", "h2", "h3", "i", "input", "li", "p", "section"),
    *("span", "style", "summary", "table", "tbody", "td", "th", "thead", "tr", "ul"),
}


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Message]]:
    """page -> what the server sends of it."""
    path = tmp_path_factory.mktemp("hostile") / "store.sqlite3"
    hostile.fill(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TANDEM_STORE", str(path))
        patch.setenv("TANDEM_TRACEBACK", "1")
        return {page: _drawn(page) for page in PAGES}


def _drawn(page: str) -> list[Message]:
    app = AppTest.from_file(ROOT / "app.py", default_timeout=120)
    app.query_params.update({"annotator": "Eve", "dataset": hostile.DATASET})
    if page != "app.py":
        app.switch_page(page)
    app.run()
    assert not app.exception
    return [node.proto for node in _nodes(app._tree) if isinstance(_proto(node), Message)]


def _proto(node: Any) -> Any:
    return getattr(node, "proto", None)


def _nodes(block: Any) -> Iterator[Any]:
    for child in block.children.values():
        yield child
        if hasattr(child, "children"):
            yield from _nodes(child)


def _strings(message: Message, path: str) -> Iterator[tuple[str, str]]:
    for field, value in message.ListFields():
        name = f"{path}.{field.name}"
        for each in value if field.is_repeated else [value]:
            if isinstance(each, Message):
                yield from _strings(each, name)
            elif isinstance(each, str):
                yield name, each


def strings(messages: list[Message]) -> list[tuple[str, str]]:
    return [each for one in messages for each in _strings(one, type(one).__name__)]


@pytest.mark.parametrize("page", PAGES)
class TestWords:
    def test_none_is_where_markdown_is_read(
        self, sent: dict[str, list[Message]], page: str
    ) -> None:
        shown = [place for place, text in strings(sent[page]) if HOSTILE.search(text)]
        assert shown, "the page shows none of them"
        assert {place for place in shown if not place.endswith((".id", ".form_id"))} <= VERBATIM

    def test_none_is_html(self, sent: dict[str, list[Message]], page: str) -> None:
        for place, body in strings(sent[page]):
            if place != "Html.body":
                continue
            for element in html.fragment_fromstring(body, create_parent="p").iter():
                if element.tag == "script":
                    assert element.text == CODE
                    continue
                assert element.tag in TAGS
                assert element.tag != "style" or not HOSTILE.search(element.text or "")
                for name, value in element.attrib.items():
                    assert not name.startswith("on")
                    assert name not in ("href", "src", "srcset", "action", "formaction")
                    assert name != "style" or not HOSTILE.search(value)

    def test_none_is_a_program_of_a_chart(self, sent: dict[str, list[Message]], page: str) -> None:
        """In an expression of Vega's they stand between quotes, and nothing has an address."""
        for place, spec in strings(sent[page]):
            if place == "VegaLiteChart.spec":
                for key, text in _values(json.loads(spec)):
                    assert key not in ("url", "href", "$schema_url"), key
                    if key.lower().endswith(("expr", "calculate", "test", "filter", "signal")):
                        bare = re.sub(r'"(\\.|[^"\\])*"', '""', text)
                        assert not HOSTILE.search(bare), text
                        assert '"__proto__":' not in text, "Vega draws nothing"

    def test_none_moves_the_cursor_of_a_log(
        self, sent: dict[str, list[Message]], page: str
    ) -> None:
        """Sentences have no control characters; candidates, which are shown verbatim, may."""
        for place, body in strings(sent[page]):
            if place == "Html.body" and "tandem-text" not in body:
                assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", body)


def _values(spec: Any, key: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(spec, dict):
        for name, value in spec.items():
            yield from _values(value, name)
    elif isinstance(spec, list):
        for value in spec:
            yield from _values(value, key)
    elif isinstance(spec, str):
        yield key, spec
