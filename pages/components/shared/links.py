"""The address of a study, as its visitors open it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import streamlit as st

from core.access import LOCAL_ADDRESS, find_address
from core.store import Store
from pages.components.shared.frame import PAGES
from pages.components.shared.visitor import is_loopback

PAGE_NAMES = {Path(entry.path).stem: entry.name for entry in PAGES if entry.path != "app.py"}
"""The names of pages in addresses, and in the menu. The first page has none in its address."""


def find_link_address(store: Store) -> str:
    """Return the address that links begin with: the study's own, or the one it is opened under."""
    return find_address(store, find_opened_address())


def find_opened_address() -> str:
    """Return the address under which this page was opened, without the page."""
    parts = urlsplit(st.context.url or LOCAL_ADDRESS)
    path = parts.path.rstrip("/")
    folder, _, page = path.rpartition("/")
    if page in PAGE_NAMES:
        path = folder
    # The framework takes a base path that ends like a page's name for that page.
    return urlunsplit((parts.scheme, parts.netloc, get_base_path() or path, "", ""))


def get_base_path() -> str:
    """Return the path under which this server serves the app; '' for none."""
    return str(st.get_option("server.baseUrlPath") or "").strip("/")


def opens_here_only(address: str) -> bool:
    """Check whether an address can be opened on this machine only."""
    return is_loopback(urlsplit(address).hostname)
