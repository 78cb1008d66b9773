"""How a store of an earlier schema gets today's: a step from each number to the next.

Whoever changes `tables/` adds a step here. A step that was published is never edited.
"""

from __future__ import annotations

from typing import NamedTuple

FIRST = 24
"""The schema of the first step. Stores of an earlier one are refused."""


class Step(NamedTuple):
    """From one schema to the next, in SQL. `forward` brings a store along with its rows. `back`
    makes an empty store of the next schema one of this, so that an archive of it can be unpacked.

    Both run in a transaction, without the triggers of append-only tables, and without foreign keys,
    which are checked before it ends. A view of all columns has to be made again.
    """

    forward: str
    back: str


STEPS = (
    # Whether a server answers was read off a SPEC, or off the settings of a run that writes texts.
    Step(
        forward="""
            ALTER TABLE judges ADD COLUMN served INTEGER NOT NULL DEFAULT 0
                CHECK (served IN (0, 1));
            UPDATE judges SET served = 1 WHERE spec GLOB 'openai:*';
            ALTER TABLE plans ADD COLUMN served INTEGER NOT NULL DEFAULT 0
                CHECK (served IN (0, 1));
            UPDATE plans SET served = 1
                WHERE task = 'generate' AND json_extract(settings, '$.model') GLOB 'openai:*';
            DROP TABLE IF EXISTS _sqlite_migrations;
        """,
        back="""
            ALTER TABLE judges DROP COLUMN served;
            ALTER TABLE plans DROP COLUMN served;
        """,
    ),
)
"""From `FIRST` to 25, and so on."""
