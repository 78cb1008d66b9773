"""The random code of a personal link, and the hash under which it is kept."""

from __future__ import annotations

import secrets
from hashlib import sha256

BYTES = 24  # 192 bits: nobody guesses one, however many there are


def new_code() -> str:
    """Draw a code of 32 letters, digits, - and _."""
    return secrets.token_urlsafe(BYTES)


def hash_of(code: str) -> str:
    """Hash a code, as only the hash is kept. A plain hash is enough: slow and salted ones protect
    passwords that can be guessed, and nobody can try out 192 random bits.
    """
    return sha256(code.encode()).hexdigest()
