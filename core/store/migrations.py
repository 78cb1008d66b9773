"""Steps that bring a store of an earlier schema to today's: one from each number to the next.

A change of `tables/` needs a step here. A step that was published is never edited.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

FIRST = 24
"""The schema of the first step. Stores of an earlier one are refused."""
DROPPED = (
    *(("trigger", f"planned_{what}") for what in ("added", "counted", "removed")),
    *(("trigger", name) for name in ("person_answered", "person_withdrew")),
    *(
        ("index", f"planned_{what}")
        for what in ("bundle", "comparison", "next", "pairs", "stratum")
    ),
    *(("index", name) for name in ("plans_campaign", "idx__sqlite_migrations_migration_set_name")),
    ("table", "_sqlite_migrations"),
)
"""What stores of schema 24 have that a step drops, and no step brings back."""


class Step(NamedTuple):
    """From one schema to the next, in SQL. `forward` brings a store along with its rows. `back`
    makes an empty store of the next schema one of this, so that an archive of it can be unpacked.

    Both run in a transaction, without the triggers of append-only tables, and without foreign keys,
    which are checked before it ends. A view of all columns has to be made again. SQL may call
    `hash_wording(context)`.
    """

    forward: str
    back: str


def _read_step(name: str) -> str:
    """Read a script of `steps/`, which holds those that are longer than a page."""
    return (Path(__file__).parent / f"steps/{name}.sql").read_text(encoding="utf-8")


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
    # How a campaign chose its pairs was JSON, with what differed from the defaults of its time.
    Step(
        forward="""
            ALTER TABLE campaigns ADD COLUMN way TEXT NOT NULL DEFAULT '';
            ALTER TABLE campaigns ADD COLUMN attributes TEXT NOT NULL DEFAULT '[]'
                CHECK (json_valid(attributes));
            ALTER TABLE campaigns ADD COLUMN systems TEXT NOT NULL DEFAULT '[]'
                CHECK (json_valid(systems));
            ALTER TABLE campaigns ADD COLUMN against TEXT NOT NULL DEFAULT '';
            ALTER TABLE campaigns ADD COLUMN pairs TEXT NOT NULL DEFAULT '[]'
                CHECK (json_valid(pairs));
            ALTER TABLE campaigns ADD COLUMN subset TEXT NOT NULL DEFAULT '';
            ALTER TABLE campaigns ADD COLUMN samples INTEGER NOT NULL DEFAULT 1;
            ALTER TABLE campaigns ADD COLUMN budget INTEGER;
            ALTER TABLE campaigns ADD COLUMN seed INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE campaigns ADD COLUMN separability TEXT NOT NULL DEFAULT '';
            ALTER TABLE campaigns ADD COLUMN encoder TEXT NOT NULL DEFAULT '';
            ALTER TABLE campaigns ADD COLUMN draw TEXT NOT NULL DEFAULT '';
            ALTER TABLE campaigns ADD COLUMN low REAL;
            ALTER TABLE campaigns ADD COLUMN high REAL;
            ALTER TABLE campaigns ADD COLUMN judge TEXT NOT NULL DEFAULT '';
            ALTER TABLE campaigns ADD COLUMN gap REAL;
            ALTER TABLE campaigns ADD COLUMN judges TEXT NOT NULL DEFAULT '[]'
                CHECK (json_valid(judges));
            ALTER TABLE campaigns ADD COLUMN origin TEXT NOT NULL DEFAULT '';
            UPDATE campaigns SET
                way = coalesce(json_extract(choice, '$.way'), 'random'),
                attributes = coalesce(json_extract(choice, '$.attributes'), '[]'),
                systems = coalesce(json_extract(choice, '$.systems'), '[]'),
                against = coalesce(json_extract(choice, '$.against'), ''),
                pairs = coalesce(json_extract(choice, '$.pairs'), '[]'),
                subset = coalesce(json_extract(choice, '$.subset'), ''),
                samples = coalesce(json_extract(choice, '$.samples'), 1),
                budget = json_extract(choice, '$.budget'),
                seed = coalesce(json_extract(choice, '$.seed'), 0),
                separability = coalesce(json_extract(choice, '$.separability'), ''),
                encoder = coalesce(json_extract(choice, '$.encoder'), ''),
                draw = coalesce(json_extract(choice, '$.draw'), 'proportional'),
                low = coalesce(json_extract(choice, '$.low'), -1),
                high = coalesce(json_extract(choice, '$.high'), 1),
                judge = coalesce(json_extract(choice, '$.judge'), ''),
                gap = coalesce(json_extract(choice, '$.gap'), 0.1),
                judges = coalesce(json_extract(choice, '$.judges'), '[]'),
                origin = coalesce(json_extract(choice, '$.origin'), '')
                WHERE choice <> '{}';
            ALTER TABLE campaigns DROP COLUMN choice;
        """,
        back="""
            ALTER TABLE campaigns DROP COLUMN way;
            ALTER TABLE campaigns DROP COLUMN attributes;
            ALTER TABLE campaigns DROP COLUMN systems;
            ALTER TABLE campaigns DROP COLUMN against;
            ALTER TABLE campaigns DROP COLUMN pairs;
            ALTER TABLE campaigns DROP COLUMN subset;
            ALTER TABLE campaigns DROP COLUMN samples;
            ALTER TABLE campaigns DROP COLUMN budget;
            ALTER TABLE campaigns DROP COLUMN seed;
            ALTER TABLE campaigns DROP COLUMN separability;
            ALTER TABLE campaigns DROP COLUMN encoder;
            ALTER TABLE campaigns DROP COLUMN draw;
            ALTER TABLE campaigns DROP COLUMN low;
            ALTER TABLE campaigns DROP COLUMN high;
            ALTER TABLE campaigns DROP COLUMN judge;
            ALTER TABLE campaigns DROP COLUMN gap;
            ALTER TABLE campaigns DROP COLUMN judges;
            ALTER TABLE campaigns DROP COLUMN origin;
            ALTER TABLE campaigns ADD COLUMN choice TEXT NOT NULL DEFAULT '{}'
                CHECK (json_valid(choice));
        """,
    ),
    # Runs and the attributes of campaigns stood in one table.
    Step(forward=_read_step("to27"), back=_read_step("from27")),
    # Items that repeat a prompt, a document or a template counted as if each were new.
    Step(forward=_read_step("to28"), back=_read_step("from28")),
    # What a study promises before its first look stood nowhere.
    Step(forward=_read_step("to29"), back=_read_step("from29")),
    # Simulated annotators could only be stored as people, or as a rule.
    Step(forward=_read_step("to30"), back=_read_step("from30")),
    # All texts were shown to the character, so that is how those of earlier votes were seen.
    Step(forward=_read_step("to31"), back=_read_step("from31")),
    # Files that say how long their texts are, without the texts, were read without that.
    Step(
        forward="ALTER TABLE generations ADD COLUMN length INTEGER CHECK (length >= 0);",
        back="ALTER TABLE generations DROP COLUMN length;",
    ),
    # People came in one by one, each by a link of their own.
    Step(forward=_read_step("to33"), back=_read_step("from33")),
    # Items worth another look could be found, and not be named.
    Step(forward=_read_step("to34"), back=_read_step("from34")),
    # Votes said in which format their texts were read, and answers to checks did not.
    Step(forward=_read_step("to35"), back=_read_step("from35")),
    # What was typed for a new campaign was lost when its page was reloaded.
    Step(forward=_read_step("to36"), back=_read_step("from36")),
    # A vote in one data set threw away what was computed of all others.
    Step(forward=_read_step("to37"), back=_read_step("from37")),
)
"""From `FIRST` to 25, from there to 26, and so on."""
