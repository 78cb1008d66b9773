"""Steps that bring a store of an earlier schema to today's: one from each number to the next.

Each is a file of `steps/` that names the schema it leads to. A change of `tables/` needs one. A
step that was published is never edited. They run in a transaction, without the triggers of
append-only tables, and without foreign keys, which are checked before it ends. A view of all
columns has to be made again. SQL may call `hash_wording(context)`.
"""

from __future__ import annotations

import re
from pathlib import Path

FIRST = 24
"""The schema of the first step. Stores of an earlier one are refused."""
STEPS = tuple(
    file.read_text(encoding="utf-8")
    for file in sorted((Path(__file__).parent / "steps").glob("to*.sql"))
)
"""The SQL from `FIRST` to 25, from there to 26, and so on."""
_FELL = (
    *(f"planned_{what}" for what in ("bundle", "comparison", "next", "pairs", "stratum")),
    "plans_campaign", "idx__sqlite_migrations_migration_set_name",
)  # fmt: skip
# Indexes of schema 24 that went with their tables.
_NAMED = re.compile(
    r"(?:CREATE|DROP|ALTER)\s+(?:UNIQUE )?(?:TABLE|INDEX|VIEW|TRIGGER)\s+"
    r"(?:IF (?:NOT )?EXISTS )?(\w+)|RENAME TO (\w+)"
)


def list_named_parts() -> set[str]:
    """List the tables, indexes, views and triggers that steps make, change or drop."""
    named = {name for step in STEPS for names in _NAMED.findall(step) for name in names if name}
    return named.union(_FELL)
