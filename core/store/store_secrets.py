"""Secrets of a store: no annotator can compute what is drawn with them."""

from __future__ import annotations

import hmac

from .connection import StorePart

SIDES = "sides"
"""The secret of draws that annotators must not foresee."""


class StoreSecrets(StorePart):
    """Secrets of a store.

    They are made with the store, come along in its backups, and go into no export or report.
    """

    def draw(self, *parts: object) -> int:
        """Draw a number from 0 to 2^63 - 1: always the same for these parts in this store, and
        unforeseeable without its secret.
        """
        return int.from_bytes(self._digest(*parts)[:8], "big") >> 1

    def hash(self, *parts: object) -> str:
        """Hash these parts with the store's secret as salt: 64 hex digits, others in each store."""
        return self._digest(*parts).hex()

    def _digest(self, *parts: object) -> bytes:
        secret = self._db.value("SELECT value FROM secrets WHERE name = ?", (SIDES,))
        text = "\x1f".join(map(str, parts))
        return hmac.digest(secret, text.encode(), "sha256")
