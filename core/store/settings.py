"""Settings of the whole store, made by its owner, such as who may come in."""

from __future__ import annotations

from .connection import StorePart


class StoreSettings(StorePart):
    """Settings kept in the store: texts by name."""

    def get(self, name: str, default: str = "") -> str:
        """Return the value of a setting; `default` where it was never set."""
        found = self._db.value("SELECT value FROM settings WHERE name = ?", (name,))
        return default if found is None else str(found)

    def put(self, name: str, value: str) -> None:
        """Set the value of a setting."""
        with self._db.transaction():
            self._db.replace_row("settings", {"name": name, "value": value})
