"""Addresses: where others open a study, and the links that begin there."""

from __future__ import annotations

from urllib.parse import urlencode

from ..records import TandemError, option_ref
from ..store import Store

ADDRESS = "address"
"""The setting that says under which address others open this study."""

LOCAL_ADDRESS = "http://localhost:8501"

INVITATION = "invitation"
"""The parameter of an address that holds the code of a personal link."""


def find_address(store: Store, default: str = LOCAL_ADDRESS) -> str:
    """Return the address under which others open a study; the default where none is set."""
    return store.settings.get(ADDRESS) or default


def check_address(address: str) -> None:
    """Raise TandemError unless links can begin with this address."""
    if not address.startswith(("http://", "https://")):
        raise TandemError(
            f"{option_ref('address')} {address!r} does not begin with http:// or https://"
        )
    if set(address) & set("?#"):
        raise TandemError(
            f"{option_ref('address')} {address!r} holds a ? or #: give it without what follows "
            "there"
        )


def write_link(address: str, page: str = "", **parameters: str) -> str:
    """Build the link to a page of the study at this address: '' is the first page."""
    return f"{address.rstrip('/')}/{page}?{urlencode(parameters)}"
