"""Addresses: where others open a study, the links that begin there, and the codes in them."""

from __future__ import annotations

import secrets
from hashlib import sha256
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


BYTES = 24  # 192 bits: nobody guesses one, however many there are


def new_code() -> str:
    """Draw a code of 32 letters, digits, - and _."""
    return secrets.token_urlsafe(BYTES)


def hash_of(code: str) -> str:
    """Hash a code, as only the hash is kept. A plain hash is enough: slow and salted ones protect
    passwords that can be guessed, and nobody can try out 192 random bits.
    """
    return sha256(code.encode()).hexdigest()
