"""The pages that a page leads to, whatever its links are called."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def list_destinations(app: AppTest) -> list[str]:
    """Return the addresses of the pages behind its links, from top to bottom, its menu aside."""
    return [link.proto.page for link in app.main.get("page_link")]
