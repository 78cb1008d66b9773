"""Seeds: numbers that depend only on what they are for, not on what else is drawn."""

from __future__ import annotations

import hashlib


def draw(*parts: object) -> int:
    """Return a number from 0 to 2^63 - 1 that depends only on `parts`.

    It gives a seeded shuffle that does not change when pairs are added, and a coin toss that comes
    out the same after a reload.
    """
    text = "\x1f".join(map(str, parts))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 1


def seed_of(seed: int, *what: object) -> int:
    """Derive a 64-bit seed for one output from `seed` and what identifies the output.

    It does not depend on which other outputs are written.
    """
    return int.from_bytes(
        hashlib.blake2b(repr((seed, *what)).encode(), digest_size=8).digest(), "big"
    )
