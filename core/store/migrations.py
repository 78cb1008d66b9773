"""The tables, as numbered migrations: a released one is never edited, the next change is the next
number, and `schema.VERSION` counts them.

`docs/data-model.md` says in words what each table is for.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

from core.moments import (
    CANONICAL,
    DateParts,
    common_order,
    date_parts,
    parse_moment,
    possible_orders,
)
from core.seeds import draw

migrations = Migrations("tandem")


@migrations()
def m001_texts(db: Database) -> None:
    """What is compared: data sets, items, systems, generations, attributes."""
    for statement in (
        """CREATE TABLE datasets (
            name TEXT PRIMARY KEY CHECK (name <> ''),
            source TEXT NOT NULL DEFAULT '',
            licence TEXT NOT NULL DEFAULT '',
            files TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(files)),  -- file name -> sha256
            context_noun TEXT NOT NULL DEFAULT 'context',
            candidate_noun TEXT NOT NULL DEFAULT 'text',
            instructions TEXT NOT NULL DEFAULT '',
            created_at TEXT NOT NULL
        ) STRICT""",
        """CREATE TABLE items (
            id INTEGER PRIMARY KEY,
            dataset TEXT NOT NULL REFERENCES datasets (name),
            key TEXT NOT NULL,
            context TEXT NOT NULL DEFAULT '',
            "references" TEXT NOT NULL DEFAULT '[]' CHECK (json_valid("references")),
            subset TEXT NOT NULL DEFAULT '',
            UNIQUE (dataset, key)
        ) STRICT""",
        """CREATE TABLE systems (
            id INTEGER PRIMARY KEY,
            dataset TEXT NOT NULL REFERENCES datasets (name),
            name TEXT NOT NULL,
            base TEXT NOT NULL DEFAULT '',
            decoding TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(decoding)),
            UNIQUE (dataset, name)
        ) STRICT""",
        """CREATE TABLE generations (
            id INTEGER PRIMARY KEY,
            item INTEGER NOT NULL REFERENCES items (id),
            system INTEGER NOT NULL REFERENCES systems (id),
            sample INTEGER NOT NULL DEFAULT 0,
            text TEXT,  -- NULL = not available, '' = really empty
            UNIQUE (item, system, sample)
        ) STRICT""",
        "CREATE INDEX generations_system ON generations (system, sample)",
        """CREATE TABLE attributes (
            id INTEGER PRIMARY KEY,
            dataset TEXT NOT NULL REFERENCES datasets (name),
            name TEXT NOT NULL,
            adjective TEXT NOT NULL DEFAULT '',
            question TEXT NOT NULL DEFAULT '',
            guideline TEXT NOT NULL DEFAULT '',
            UNIQUE (dataset, name)
        ) STRICT""",
    ):
        db.execute(statement)


@migrations()
def m002_judges(db: Database) -> None:
    """Who judges, and their absolute marks."""
    for statement in (
        """CREATE TABLE prompts (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            version INTEGER NOT NULL,
            template TEXT NOT NULL,
            UNIQUE (name, version)
        ) STRICT""",
        """CREATE TABLE judges (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE CHECK (name <> ''),
            kind TEXT NOT NULL CHECK (kind IN ('human', 'llm', 'baseline', 'gold')),
            spec TEXT NOT NULL DEFAULT '',
            prompt INTEGER REFERENCES prompts (id),
            mode TEXT NOT NULL DEFAULT '',
            labels TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(labels)),
            votes INTEGER NOT NULL DEFAULT 1,
            temperature REAL NOT NULL DEFAULT 0,
            truncation INTEGER
        ) STRICT""",
        """CREATE TABLE scores (
            id INTEGER PRIMARY KEY,
            generation INTEGER NOT NULL REFERENCES generations (id),
            attribute INTEGER NOT NULL REFERENCES attributes (id),
            judge INTEGER NOT NULL REFERENCES judges (id),
            trial INTEGER NOT NULL DEFAULT 0,
            value REAL,
            failure TEXT NOT NULL DEFAULT '',
            raw TEXT NOT NULL DEFAULT '',
            created_at TEXT NOT NULL,
            withdrawn_at TEXT,
            CHECK ((value IS NULL) = (failure <> ''))
        ) STRICT""",
        """CREATE UNIQUE INDEX scores_live ON scores (generation, attribute, judge, trial)
            WHERE withdrawn_at IS NULL""",
        "CREATE INDEX scores_attribute ON scores (attribute, judge)",
    ):
        db.execute(statement)


@migrations()
def m003_judgements(db: Database) -> None:
    """What is asked, what is planned, what was answered. Judgements are append-only: triggers see
    to it.
    """
    live = "NEW.withdrawn_at IS NULL"
    pair = """(SELECT c.{column} FROM comparisons c WHERE c.id = NEW.comparison)"""
    generation_1, generation_2 = (
        pair.format(column=column) for column in ("generation_1", "generation_2")
    )
    tally_row = """SELECT NEW.judge, c.attribute, c.system_a, c.system_b, NEW.order_known,
                coalesce(NEW.outcome, 'failed'), {sign} FROM comparisons c WHERE c.id =
                NEW.comparison"""
    count = """INSERT INTO tally (judge, attribute, system_a, system_b, order_known, outcome, count)
                {row}
                ON CONFLICT (judge, attribute, system_a, system_b, order_known, outcome)
                DO UPDATE SET count = count + excluded.count"""
    # A campaign counts the answers given in it, up to its overlap; a run only whether its judge has
    # been asked. Whoever has answered or skipped a pair no longer keeps others from it.
    campaign = f"""UPDATE planned SET votes = votes {{sign}} (NEW.outcome IS NOT NULL),
                lease_judge = nullif(lease_judge, NEW.judge)
                WHERE plan = NEW.plan AND comparison IS NULL
                AND generation_1 = {generation_1} AND generation_2 = {generation_2}"""
    run = """UPDATE planned SET votes = {asked} WHERE comparison = NEW.comparison AND plan IN
                (SELECT id FROM plans WHERE judge = NEW.judge AND trial = NEW.trial)"""
    columns = (
        "id, comparison, judge, trial, plan, outcome, prob_a, votes, failure, strength, "
        "confidence, comment, "
        "seconds, tokens, raw, screen, order_known, source_row, created_at"
    )
    old, new = (
        ", ".join(f"{row}.{column}" for column in columns.split(", ")) for row in ("OLD", "NEW")
    )
    for statement in (
        """CREATE TABLE comparisons (
            id INTEGER PRIMARY KEY,
            attribute INTEGER NOT NULL REFERENCES attributes (id),
            generation_a INTEGER NOT NULL REFERENCES generations (id),  -- shown first
            generation_b INTEGER NOT NULL REFERENCES generations (id),
            item INTEGER NOT NULL REFERENCES items (id),
            system_a INTEGER NOT NULL REFERENCES systems (id),
            system_b INTEGER NOT NULL REFERENCES systems (id),
            generation_1 INTEGER NOT NULL AS (min(generation_a, generation_b)) VIRTUAL,
            generation_2 INTEGER NOT NULL AS (max(generation_a, generation_b)) VIRTUAL,
            UNIQUE (attribute, generation_a, generation_b),
            CHECK (system_a <> system_b)
        ) STRICT""",
        "CREATE INDEX comparisons_pair ON comparisons (attribute, generation_1, generation_2)",
        """CREATE TABLE plans (
            id INTEGER PRIMARY KEY,
            dataset TEXT NOT NULL REFERENCES datasets (name),
            kind TEXT NOT NULL CHECK (kind IN ('campaign', 'run')),
            name TEXT NOT NULL DEFAULT '',
            -- a campaign has one; a run may ask several
            attribute INTEGER REFERENCES attributes (id),
            judge INTEGER REFERENCES judges (id),
            strategy TEXT NOT NULL,
            budget INTEGER,
            overlap INTEGER NOT NULL DEFAULT 1,
            ordering TEXT NOT NULL DEFAULT 'random',
            seed INTEGER NOT NULL DEFAULT 0,
            trial INTEGER NOT NULL DEFAULT 0,
            settings TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(settings)),
            versions TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(versions)),
            status TEXT NOT NULL CHECK (status IN ('open', 'queued', 'running', 'cancelled',
            'failed', 'done')),
            error TEXT NOT NULL DEFAULT '',
            heartbeat TEXT,
            created_at TEXT NOT NULL,
            started_at TEXT,
            finished_at TEXT,
            CHECK ((kind = 'run') = (judge IS NOT NULL))
        ) STRICT""",
        """CREATE TABLE planned (
            id INTEGER PRIMARY KEY,
            plan INTEGER NOT NULL REFERENCES plans (id),
            generation_1 INTEGER NOT NULL REFERENCES generations (id),
            generation_2 INTEGER NOT NULL REFERENCES generations (id),
            -- NULL in a campaign: sides are drawn when shown
            comparison INTEGER REFERENCES comparisons (id),
            priority INTEGER NOT NULL,
            probability REAL NOT NULL DEFAULT 1,  -- of inclusion in the plan
            votes INTEGER NOT NULL DEFAULT 0,
            lease_judge INTEGER REFERENCES judges (id),
            leased_at TEXT,
            CHECK (generation_1 < generation_2)
        ) STRICT""",
        "CREATE UNIQUE INDEX planned_pairs ON planned (plan, generation_1, generation_2, "
        "coalesce(comparison, 0))",
        "CREATE INDEX planned_next ON planned (plan, votes, priority, id)",
        "CREATE INDEX planned_comparison ON planned (comparison) WHERE comparison IS NOT NULL",
        "CREATE INDEX planned_lease ON planned (lease_judge, leased_at) WHERE lease_judge IS "
        "NOT NULL",
        """CREATE TABLE judgements (
            id INTEGER PRIMARY KEY,
            comparison INTEGER NOT NULL REFERENCES comparisons (id),
            judge INTEGER NOT NULL REFERENCES judges (id),
            trial INTEGER NOT NULL DEFAULT 0,
            plan INTEGER REFERENCES plans (id),  -- what asked for it; NULL = imported
            outcome TEXT CHECK (outcome IN ('a', 'b', 'tie', 'both_bad')),
            prob_a REAL CHECK (prob_a BETWEEN 0 AND 1),
            votes INTEGER NOT NULL DEFAULT 1,
            failure TEXT NOT NULL DEFAULT '',
            strength REAL,
            confidence REAL,
            comment TEXT NOT NULL DEFAULT '',
            seconds REAL,
            tokens INTEGER NOT NULL DEFAULT 0,
            raw TEXT NOT NULL DEFAULT '',
            screen TEXT NOT NULL DEFAULT '',
            order_known INTEGER NOT NULL DEFAULT 1,
            source_row TEXT NOT NULL DEFAULT '',
            created_at TEXT NOT NULL,
            withdrawn_at TEXT,
            CHECK ((outcome IS NULL) = (failure <> ''))
        ) STRICT""",
        """CREATE UNIQUE INDEX judgements_live ON judgements (comparison, judge, trial)
            WHERE withdrawn_at IS NULL""",
        # With the comparison, because the same file may be imported into two data sets.
        "CREATE UNIQUE INDEX judgements_source ON judgements (source_row) WHERE source_row <> ''",
        "CREATE INDEX judgements_withdrawn ON judgements (comparison, judge) WHERE withdrawn_at "
        "IS NOT NULL",
        "CREATE INDEX judgements_judge ON judgements (judge, id)",
        """CREATE INDEX judgements_failed ON judgements (judge, trial, failure)
            WHERE failure <> '' AND withdrawn_at IS NULL""",
        """CREATE TABLE similarities (
            metric TEXT NOT NULL,
            generation_1 INTEGER NOT NULL REFERENCES generations (id),
            generation_2 INTEGER NOT NULL REFERENCES generations (id),
            value REAL NOT NULL,
            PRIMARY KEY (metric, generation_1, generation_2),
            CHECK (generation_1 < generation_2)
        ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE tally (
            judge INTEGER NOT NULL REFERENCES judges (id),
            attribute INTEGER NOT NULL REFERENCES attributes (id),
            system_a INTEGER NOT NULL REFERENCES systems (id),
            system_b INTEGER NOT NULL REFERENCES systems (id),
            order_known INTEGER NOT NULL,
            outcome TEXT NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (judge, attribute, system_a, system_b, order_known, outcome)
        ) STRICT, WITHOUT ROWID""",
        f"""CREATE TRIGGER judgement_given AFTER INSERT ON judgements WHEN {live} BEGIN
                {count.format(row=tally_row.format(sign="1") + " AND true")};
                {campaign.format(sign="+")};
                {run.format(asked=1)};
            END""",
        f"""CREATE TRIGGER judgement_withdrawn AFTER UPDATE OF withdrawn_at ON judgements
            WHEN OLD.withdrawn_at IS NULL AND NEW.withdrawn_at IS NOT NULL BEGIN
                {count.format(row=tally_row.format(sign="-1") + " AND true")};
                {campaign.format(sign="-")};
                {run.format(asked=0)};
            END""",
        f"""CREATE TRIGGER judgements_are_final BEFORE UPDATE ON judgements
            WHEN OLD.withdrawn_at IS NOT NULL OR NEW.withdrawn_at IS NULL OR ({old}) IS NOT ({new})
            BEGIN SELECT raise(ABORT,
            'judgements are append-only: withdraw this one and add another'); END""",
        """CREATE TRIGGER judgements_stay BEFORE DELETE ON judgements
            BEGIN SELECT raise(ABORT, 'judgements are append-only: withdraw instead of deleting');
            END""",
    ):
        db.execute(statement)


@migrations()
def m004_tasks(db: Database) -> None:
    """A run may also score texts, sample them or measure how alike they are; what was read and
    written is counted.
    """
    columns = """id, dataset, kind, name, attribute, judge, strategy, budget, overlap, ordering,
    seed, trial, settings,
            versions, status, error, heartbeat, created_at, started_at, finished_at"""
    for statement in (
        # A check cannot be altered: the table is written anew, under the same name.
        """CREATE TABLE plans_new (
            id INTEGER PRIMARY KEY,
            dataset TEXT NOT NULL REFERENCES datasets (name),
            kind TEXT NOT NULL CHECK (kind IN ('campaign', 'run')),
            task TEXT NOT NULL DEFAULT 'compare' CHECK (task IN ('compare', 'score', 'generate',
            'measure')),
            name TEXT NOT NULL DEFAULT '',
            -- a campaign has one; a run may ask several
            attribute INTEGER REFERENCES attributes (id),
            judge INTEGER REFERENCES judges (id),
            strategy TEXT NOT NULL,
            budget INTEGER,
            overlap INTEGER NOT NULL DEFAULT 1,
            ordering TEXT NOT NULL DEFAULT 'random',
            seed INTEGER NOT NULL DEFAULT 0,
            trial INTEGER NOT NULL DEFAULT 0,
            -- what is asked: what a run is known by
            settings TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(settings)),
            -- how: limits, prices
            execution TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(execution)),
            versions TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(versions)),
            status TEXT NOT NULL CHECK (status IN ('open', 'queued', 'running', 'cancelled',
            'failed', 'done')),
            error TEXT NOT NULL DEFAULT '',
            heartbeat TEXT,
            per_second REAL NOT NULL DEFAULT 0,  -- the pace of late, for the time left
            created_at TEXT NOT NULL,
            started_at TEXT,
            finished_at TEXT,
            CHECK ((judge IS NOT NULL) = (kind = 'run' AND task IN ('compare', 'score')))
        ) STRICT""",
        f"INSERT INTO plans_new ({columns}) SELECT {columns} FROM plans",
        "DROP TABLE plans",
        "ALTER TABLE plans_new RENAME TO plans",
        # Where the model of a judge is served; '' = on this machine, or where its name alone says.
        "ALTER TABLE judges ADD COLUMN base_url TEXT NOT NULL DEFAULT ''",
        # Of `tokens`, how many were written by the model.
        "ALTER TABLE judgements ADD COLUMN completion_tokens INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE scores ADD COLUMN plan INTEGER REFERENCES plans (id)",
        "ALTER TABLE scores ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE scores ADD COLUMN completion_tokens INTEGER NOT NULL DEFAULT 0",
        # A sampled text that did not come has its reason, and can be asked for again.
        "ALTER TABLE generations ADD COLUMN plan INTEGER REFERENCES plans (id)",
        "ALTER TABLE generations ADD COLUMN failure TEXT NOT NULL DEFAULT '' CHECK (failure = "
        "'' OR text IS NULL)",
        "ALTER TABLE generations ADD COLUMN raw TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE generations ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE generations ADD COLUMN completion_tokens INTEGER NOT NULL DEFAULT 0",
        """CREATE TRIGGER judgements_tokens_are_final BEFORE UPDATE OF completion_tokens ON
            judgements
            BEGIN SELECT raise(ABORT,
            'judgements are append-only: withdraw this one and add another'); END""",
    ):
        db.execute(statement)


@migrations()
def m005_facts(db: Database) -> None:
    """What was read out of names and JSON texts gets columns; what is not withdrawn, views."""
    noted = (  # where what an answer says of itself is in its raw text
        """coalesce(json_extract(raw, '$.context_cut'), 0)""",
        """coalesce(json_extract(raw, '$.part_read'), 0)""",
    )
    says = """plan IS NOT NULL AND (raw LIKE '%"context_cut":%' OR raw LIKE '%"part_read":%')
            AND json_valid(raw)"""
    columns = """id comparison judge trial plan outcome prob_a votes failure strength confidence
        comment seconds tokens completion_tokens raw context_cut part_read screen order_known
        source_row created_at"""
    old, new = (
        ", ".join(f"{row}.{column}" for column in columns.split()) for row in ("OLD", "NEW")
    )
    for statement in (
        # Of what is random about a judge's answers.
        "ALTER TABLE judges ADD COLUMN seed INTEGER NOT NULL DEFAULT 0",
        # How many characters of the context did not fit; how many tokens a server says it read of
        # a prompt that has more, 0 where it read all.
        "ALTER TABLE judgements ADD COLUMN context_cut INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE judgements ADD COLUMN part_read INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE scores ADD COLUMN context_cut INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE scores ADD COLUMN part_read INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE generations ADD COLUMN part_read INTEGER NOT NULL DEFAULT 0",
        "DROP TRIGGER judgements_are_final",
        "DROP TRIGGER judgements_tokens_are_final",
        f"UPDATE judgements SET (context_cut, part_read) = ({', '.join(noted)}) WHERE {says}",
        f"UPDATE scores SET (context_cut, part_read) = ({', '.join(noted)}) WHERE {says}",
        f"UPDATE generations SET part_read = {noted[1]} WHERE {says}",
        f"""CREATE TRIGGER judgements_are_final BEFORE UPDATE ON judgements
            WHEN OLD.withdrawn_at IS NOT NULL OR NEW.withdrawn_at IS NULL OR ({old}) IS NOT ({new})
            BEGIN SELECT raise(ABORT,
            'judgements are append-only: withdraw this one and add another'); END""",
        "CREATE VIEW live_judgements AS SELECT * FROM judgements WHERE withdrawn_at IS NULL",
        "CREATE VIEW live_scores AS SELECT * FROM scores WHERE withdrawn_at IS NULL",
        # Which system a run writes texts of, and which draw of items it asks about.
        "ALTER TABLE plans ADD COLUMN system TEXT",
        "ALTER TABLE plans ADD COLUMN drawn TEXT",
        "UPDATE plans SET system = json_extract(settings, '$.system') WHERE task = 'generate'",
        "ALTER TABLE systems ADD COLUMN temperature REAL",  # NULL = not known
        """UPDATE systems
            SET temperature = CAST(json_extract(decoding, '$.temperature') AS REAL)""",
    ):
        db.execute(statement)
    for row, name in db.execute("SELECT id, name FROM judges WHERE spec <> ''").fetchall():
        if seed := _SEED.search(name):
            db.execute("UPDATE judges SET seed = ? WHERE id = ?", (int(seed[1]), row))
    drawn = "SELECT id, json_extract(settings, '$.drawn') FROM plans WHERE kind = 'run'"
    for row, items in db.execute(drawn).fetchall():
        if items:
            digest = draw_digest(json.loads(items))
            db.execute("UPDATE plans SET drawn = ? WHERE id = ?", (digest, row))


_SEED = re.compile(r"(?:^baseline:random|\|sample\|votes:\d+\|temperature:[^|]+)\|seed:(\d+)")
"""Where the name of a judge of schema 4 has its seed."""


def draw_digest(items: Sequence[tuple[str, float]]) -> str | None:
    """What tells one draw of items, with their probabilities, from another; None of no draw."""
    if not items:
        return None
    return hashlib.blake2b(json.dumps(items).encode(), digest_size=8).hexdigest()


@migrations()
def m006_secret(db: Database) -> None:
    """What turns row ids into names that tell nothing, where people judge who wrote a text."""
    db.execute("CREATE TABLE secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT")
    db.execute("INSERT INTO secrets (name, value) VALUES ('screen', randomblob(32))")


@migrations()
def m007_executions(db: Database) -> None:
    """How long each answer took, and what it was computed on."""
    db.execute("""CREATE TABLE executions (
        id INTEGER PRIMARY KEY,
        plan INTEGER NOT NULL REFERENCES plans (id),
        device TEXT NOT NULL,
        dtype TEXT NOT NULL,
        versions TEXT NOT NULL,
        began_at TEXT NOT NULL) STRICT""")
    db.execute("CREATE INDEX executions_by_plan ON executions (plan)")
    # judgements have had their seconds since a person was the first to judge
    for table in ("scores", "generations"):
        db.execute(f"ALTER TABLE {table} ADD COLUMN seconds REAL")
    for table in ("judgements", "scores", "generations"):
        db.execute(f"ALTER TABLE {table} ADD COLUMN waited REAL")
        db.execute(f"ALTER TABLE {table} ADD COLUMN execution INTEGER REFERENCES executions (id)")
    _only_withdrawn(db, "judgements")
    # A view keeps the columns that its table had.
    for table in ("judgements", "scores"):
        db.execute(f"DROP VIEW live_{table}")
        db.execute(f"CREATE VIEW live_{table} AS SELECT * FROM {table} WHERE withdrawn_at IS NULL")


def _only_withdrawn(db: Database, table: str) -> None:
    """Triggers of a table whose rows may be withdrawn, and nothing else about them may change; made
    anew once it has other columns.
    """
    columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
    old, new = (
        ", ".join(f'{row}."{column}"' for column in columns if column != "withdrawn_at")
        for row in ("OLD", "NEW")
    )
    for trigger in (f"{table}_are_final", f"{table}_stay"):
        db.execute(f"DROP TRIGGER IF EXISTS {trigger}")
    db.execute(f"""CREATE TRIGGER {table}_are_final BEFORE UPDATE ON {table}
        WHEN OLD.withdrawn_at IS NOT NULL OR NEW.withdrawn_at IS NULL OR ({old}) IS NOT ({new})
        BEGIN SELECT raise(ABORT,
        '{table} are append-only: withdraw this one and add another'); END""")
    db.execute(f"""CREATE TRIGGER {table}_stay BEFORE DELETE ON {table}
        BEGIN SELECT raise(ABORT, '{table} are append-only: withdraw instead of deleting'); END""")


@migrations()
def m008_expected(db: Database) -> None:
    """A run that asks for much is planned in portions: it says beforehand what it comes to."""
    db.execute("ALTER TABLE plans ADD COLUMN expected INTEGER NOT NULL DEFAULT 0")


@migrations()
def m009_scales(db: Database) -> None:
    """The scale a judge gives its marks on, which was from 1 to 10 for all."""
    db.execute("ALTER TABLE judges ADD COLUMN low INTEGER NOT NULL DEFAULT 1")
    db.execute("ALTER TABLE judges ADD COLUMN high INTEGER NOT NULL DEFAULT 10")


@migrations()
def m010_campaigns(db: Database) -> None:
    """Campaigns with a design, several of a data set; what their people agreed to and are told."""
    for statement in (
        """CREATE TABLE campaigns (
            id INTEGER PRIMARY KEY,
            dataset TEXT NOT NULL REFERENCES datasets (name),
            name TEXT NOT NULL CHECK (name <> ''),
            status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'paused', 'closed')),
            -- how people are asked
            design TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(design)),
            -- how its pairs were chosen; of the one that import opens nothing: all of them
            choice TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(choice)),
            created_at TEXT NOT NULL,
            closed_at TEXT,
            UNIQUE (dataset, name)
        ) STRICT""",
        # A campaign has a plan for each attribute.
        "ALTER TABLE plans ADD COLUMN campaign INTEGER REFERENCES campaigns (id)",
        "CREATE INDEX plans_campaign ON plans (campaign) WHERE campaign IS NOT NULL",
        # A study that was begun with all attributes of a pair together goes on so.
        """INSERT INTO campaigns (dataset, name, design, created_at)
            SELECT dataset, 'all pairs', '{"together": true}', min(created_at) FROM plans
            WHERE kind = 'campaign' GROUP BY dataset""",
        """UPDATE plans SET campaign = (SELECT id FROM campaigns c WHERE c.dataset = plans.dataset)
            WHERE kind = 'campaign'""",
        """CREATE TABLE consents (
            campaign INTEGER NOT NULL REFERENCES campaigns (id),
            judge INTEGER NOT NULL REFERENCES judges (id),
            text TEXT NOT NULL,  -- what they agreed to
            created_at TEXT NOT NULL,
            PRIMARY KEY (campaign, judge, text)
        ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE messages (
            id INTEGER PRIMARY KEY,
            campaign INTEGER NOT NULL REFERENCES campaigns (id),
            judge INTEGER REFERENCES judges (id),  -- NULL = to all
            text TEXT NOT NULL,
            sent_by TEXT NOT NULL,
            created_at TEXT NOT NULL,
            withdrawn_at TEXT
        ) STRICT""",
    ):
        db.execute(statement)


@migrations()
def m011_people(db: Database) -> None:
    """Who may do what, by which links; who decided what; whose votes statistics leave out."""
    for statement in (
        """CREATE TABLE people (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE CHECK (name <> ''),
            email TEXT NOT NULL DEFAULT '',
            role TEXT NOT NULL CHECK (role IN ('annotator', 'researcher', 'owner')),
            judge INTEGER REFERENCES judges (id),  -- once they have annotated
            created_at TEXT NOT NULL,
            seen_at TEXT,  -- when they last opened a page, to within some minutes
            left_at TEXT  -- since when they may do nothing any more
        ) STRICT""",
        "CREATE UNIQUE INDEX people_email ON people (lower(email)) WHERE email <> ''",
        "CREATE INDEX people_judge ON people (judge) WHERE judge IS NOT NULL",
        """INSERT INTO people (name, role, judge, created_at)
            SELECT w.name, 'annotator', w.id, min(j.created_at) FROM judgements j
            JOIN plans p ON p.id = j.plan AND p.kind = 'campaign' JOIN judges w ON w.id = j.judge
            GROUP BY w.id""",
        # A personal link. Of its code only the hash is kept.
        """CREATE TABLE invitations (
            id INTEGER PRIMARY KEY,
            person INTEGER NOT NULL REFERENCES people (id),
            campaign INTEGER REFERENCES campaigns (id),
            code_hash TEXT NOT NULL UNIQUE,
            created_at TEXT NOT NULL,
            expires_at TEXT,
            revoked_at TEXT,
            used_at TEXT  -- for the first time
        ) STRICT""",
        "CREATE INDEX invitations_person ON invitations (person)",
        # What its owner decided about the whole store, such as who may come in.
        "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
        """CREATE TABLE audit (
            id INTEGER PRIMARY KEY,
            at TEXT NOT NULL,
            who TEXT NOT NULL,
            action TEXT NOT NULL,
            subject TEXT NOT NULL,
            details TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(details))
        ) STRICT""",
        *_final("audit"),
        # Whose votes statistics leave out. Lifted, not deleted.
        """CREATE TABLE exclusions (
            id INTEGER PRIMARY KEY,
            dataset TEXT NOT NULL REFERENCES datasets (name),
            judge INTEGER NOT NULL REFERENCES judges (id),
            reason TEXT NOT NULL,
            excluded_by TEXT NOT NULL,
            created_at TEXT NOT NULL,
            lifted_by TEXT NOT NULL DEFAULT '',
            lifted_at TEXT
        ) STRICT""",
        """CREATE UNIQUE INDEX exclusions_live ON exclusions (dataset, judge)
            WHERE lifted_at IS NULL""",
    ):
        db.execute(statement)


@migrations()
def m012_assignment(db: Database) -> None:
    """Several people at a pair, pairs that go together, and pairs that are asked twice."""
    for statement in (
        # Several people may be at a pair that wants several votes: a lease is a row of its own.
        """CREATE TABLE leases (
            planned INTEGER NOT NULL REFERENCES planned (id),
            judge INTEGER NOT NULL REFERENCES judges (id),
            leased_at TEXT NOT NULL,
            PRIMARY KEY (planned, judge)
        ) STRICT, WITHOUT ROWID""",
        "CREATE INDEX leases_judge ON leases (judge, leased_at)",
        """INSERT INTO leases (planned, judge, leased_at) SELECT id, lease_judge, leased_at
            FROM planned WHERE lease_judge IS NOT NULL AND leased_at IS NOT NULL""",
        "DROP TRIGGER judgement_given",
        "DROP TRIGGER judgement_withdrawn",
        "DROP INDEX planned_lease",
        "ALTER TABLE planned DROP COLUMN lease_judge",
        "ALTER TABLE planned DROP COLUMN leased_at",
        # Which two systems a pair is of, where a campaign asks most where it is least certain.
        "ALTER TABLE planned ADD COLUMN stratum INTEGER NOT NULL DEFAULT 0",
        # Pairs of one bundle go to one person: the sampled texts of two systems on an item.
        "ALTER TABLE planned ADD COLUMN bundle INTEGER NOT NULL DEFAULT 0",
        "CREATE INDEX planned_bundle ON planned (plan, bundle) WHERE bundle > 0",
        "CREATE INDEX planned_stratum ON planned (plan, stratum, votes, priority, id) "
        "WHERE stratum > 0",
        *_counting(_COUNTS_ONCE),
        # What one person is to be asked a second time, once they have answered `after` questions.
        """CREATE TABLE repeats (
            planned INTEGER NOT NULL REFERENCES planned (id),
            judge INTEGER NOT NULL REFERENCES judges (id),
            after INTEGER NOT NULL,
            PRIMARY KEY (judge, planned)
        ) STRICT, WITHOUT ROWID""",
    ):
        db.execute(statement)


@migrations()
def m013_checks(db: Database) -> None:
    """Training, gold pairs and attention checks; reasons to tick."""
    for statement in (
        # Pairs whose answer is known. `expected` is the better of the two generations, 1 or 2, or
        # a tie; an attention check has one text, and shows it beside its own words in disorder.
        """CREATE TABLE checks (
            id INTEGER PRIMARY KEY,
            campaign INTEGER NOT NULL REFERENCES campaigns (id),
            attribute INTEGER NOT NULL REFERENCES attributes (id),
            role TEXT NOT NULL CHECK (role IN ('training', 'gold', 'attention')),
            generation_1 INTEGER NOT NULL REFERENCES generations (id),
            generation_2 INTEGER REFERENCES generations (id),
            expected TEXT NOT NULL CHECK (expected IN ('1', '2', 'tie')),
            feedback TEXT NOT NULL DEFAULT '',
            created_at TEXT NOT NULL,
            withdrawn_at TEXT,
            CHECK ((role = 'attention') = (generation_2 IS NULL))
        ) STRICT""",
        "CREATE INDEX checks_campaign ON checks (campaign, role)",
        # Answers to checks are no judgements: no statistic can take them in by mistake.
        """CREATE TABLE check_answers (
            id INTEGER PRIMARY KEY,
            "check" INTEGER NOT NULL REFERENCES checks (id),
            judge INTEGER NOT NULL REFERENCES judges (id),
            outcome TEXT CHECK (outcome IN ('a', 'b', 'tie', 'both_bad')),  -- NULL = skipped
            passed INTEGER NOT NULL CHECK (passed IN (0, 1)),
            seconds REAL,
            screen TEXT NOT NULL DEFAULT '',
            created_at TEXT NOT NULL,
            withdrawn_at TEXT
        ) STRICT""",
        """CREATE UNIQUE INDEX check_answers_live ON check_answers ("check", judge)
            WHERE withdrawn_at IS NULL""",
        "CREATE INDEX check_answers_judge ON check_answers (judge, id)",
        # Why, in the words that a campaign offers.
        "ALTER TABLE judgements ADD COLUMN reasons TEXT NOT NULL DEFAULT '[]' "
        "CHECK (json_valid(reasons))",
    ):
        db.execute(statement)
    _only_withdrawn(db, "check_answers")
    _only_withdrawn(db, "judgements")
    db.execute("DROP VIEW live_judgements")
    db.execute("CREATE VIEW live_judgements AS SELECT * FROM judgements WHERE withdrawn_at IS NULL")


# Whether statistics of its data set leave out who gave this answer: others are asked again.
_EXCLUDED = """EXISTS (SELECT 1 FROM plans p JOIN exclusions x ON x.dataset = p.dataset
    AND x.judge = NEW.judge AND x.lifted_at IS NULL WHERE p.id = NEW.plan)"""

# What of a person's answers a campaign counts.
_COUNTS_ONCE = f"NEW.trial = 0 AND NOT {_EXCLUDED}"


class _Counting(NamedTuple):
    """Statements of triggers that keep `tally`, and the votes of what is planned, as judgements are
    given and withdrawn. Those with a sign or a number in braces serve both.
    """

    tally: str
    campaign: str  # answers given in it that count, up to its overlap
    lease: str  # whoever has answered or skipped a pair no longer keeps others from it
    run: str  # only whether its judge has been asked


def _counting_of(once: str) -> _Counting:
    """A campaign counts the answers given in it that are `once` a person."""
    pair = """(SELECT {column} FROM comparisons WHERE id = NEW.comparison)"""
    planned = f"""plan = NEW.plan AND comparison IS NULL
        AND generation_1 = {pair.format(column="generation_1")}
        AND generation_2 = {pair.format(column="generation_2")}"""
    return _Counting(
        tally="""INSERT INTO tally (judge, attribute, system_a, system_b, order_known, outcome,
            count)
        SELECT NEW.judge, c.attribute, c.system_a, c.system_b, NEW.order_known,
            coalesce(NEW.outcome, 'failed'), {sign}1 FROM comparisons c
        WHERE c.id = NEW.comparison AND true
        ON CONFLICT (judge, attribute, system_a, system_b, order_known, outcome)
        DO UPDATE SET count = count + excluded.count""",
        campaign=f"""UPDATE planned SET votes = votes {{sign}} (NEW.outcome IS NOT NULL AND {once})
        WHERE {planned}""",
        lease=f"""DELETE FROM leases WHERE judge = NEW.judge
        AND planned IN (SELECT id FROM planned WHERE {planned})""",
        run="""UPDATE planned SET votes = {asked} WHERE comparison = NEW.comparison AND plan IN
        (SELECT id FROM plans WHERE judge = NEW.judge AND trial = NEW.trial)""",
    )


def _counting(once: str) -> tuple[str, ...]:
    tally, campaign, lease, run = _counting_of(once)
    return (
        f"""CREATE TRIGGER judgement_given AFTER INSERT ON judgements
            WHEN NEW.withdrawn_at IS NULL BEGIN
                {tally.format(sign="")};
                {campaign.format(sign="+")};
                {lease};
                {run.format(asked=1)};
            END""",
        f"""CREATE TRIGGER judgement_withdrawn AFTER UPDATE OF withdrawn_at ON judgements
            WHEN OLD.withdrawn_at IS NULL AND NEW.withdrawn_at IS NOT NULL BEGIN
                {tally.format(sign="-")};
                {campaign.format(sign="-")};
                {run.format(asked=0)};
            END""",
    )


def _final(table: str) -> tuple[str, ...]:
    """Triggers of a table whose rows never change."""
    return tuple(
        f"""CREATE TRIGGER {table}_{verb} BEFORE {verb} ON {table}
            BEGIN SELECT raise(ABORT, 'the {table} log is append-only'); END"""
        for verb in ("UPDATE", "DELETE")
    )


@migrations()
def m014_counts(db: Database) -> None:
    """How far campaigns and people are, counted as votes come in: no question waits for a count."""
    for statement in (
        # How many pairs of a campaign's plan have so many votes.
        """CREATE TABLE vote_counts (
            plan INTEGER NOT NULL REFERENCES plans (id),
            votes INTEGER NOT NULL,
            pairs INTEGER NOT NULL,
            PRIMARY KEY (plan, votes)
        ) STRICT, WITHOUT ROWID""",
        """INSERT INTO vote_counts (plan, votes, pairs)
            SELECT plan, votes, count(*) FROM planned WHERE comparison IS NULL GROUP BY 1, 2""",
        *_counting_pairs(),
        # How much a person has answered and skipped, second answers to a pair among them.
        """CREATE TABLE person_counts (
            judge INTEGER NOT NULL REFERENCES judges (id),
            plan INTEGER NOT NULL REFERENCES plans (id),
            answered INTEGER NOT NULL,
            skipped INTEGER NOT NULL,
            PRIMARY KEY (judge, plan)
        ) STRICT, WITHOUT ROWID""",
        """INSERT INTO person_counts (judge, plan, answered, skipped)
            SELECT j.judge, j.plan, count(j.outcome), count(*) - count(j.outcome)
            FROM plans p JOIN live_judgements j ON j.plan = p.id
            WHERE p.kind = 'campaign' GROUP BY 1, 2""",
        *_counting_people(),
    ):
        db.execute(statement)


def _counting_pairs() -> tuple[str, ...]:
    """Triggers that keep `vote_counts`."""
    add = """INSERT INTO vote_counts (plan, votes, pairs) VALUES (NEW.plan, NEW.votes, 1)
        ON CONFLICT (plan, votes) DO UPDATE SET pairs = pairs + 1"""
    remove = """UPDATE vote_counts SET pairs = pairs - 1
        WHERE plan = OLD.plan AND votes = OLD.votes"""
    return (
        f"""CREATE TRIGGER planned_added AFTER INSERT ON planned
            WHEN NEW.comparison IS NULL BEGIN {add}; END""",
        f"""CREATE TRIGGER planned_counted AFTER UPDATE OF votes ON planned
            WHEN NEW.comparison IS NULL AND NEW.votes <> OLD.votes BEGIN {remove}; {add}; END""",
        f"""CREATE TRIGGER planned_removed AFTER DELETE ON planned
            WHEN OLD.comparison IS NULL BEGIN {remove}; END""",
    )


def _counting_people() -> tuple[str, ...]:
    """Triggers that keep `person_counts`."""
    asked = "EXISTS (SELECT 1 FROM plans WHERE id = NEW.plan AND kind = 'campaign')"
    count = """INSERT INTO person_counts (judge, plan, answered, skipped)
        VALUES (NEW.judge, NEW.plan, {sign}(NEW.outcome IS NOT NULL), {sign}(NEW.outcome IS NULL))
        ON CONFLICT (judge, plan) DO UPDATE SET answered = answered + excluded.answered,
            skipped = skipped + excluded.skipped"""
    return (
        f"""CREATE TRIGGER person_answered AFTER INSERT ON judgements
            WHEN NEW.withdrawn_at IS NULL AND NEW.plan IS NOT NULL AND {asked}
            BEGIN {count.format(sign="")}; END""",
        f"""CREATE TRIGGER person_withdrew AFTER UPDATE OF withdrawn_at ON judgements
            WHEN OLD.withdrawn_at IS NULL AND NEW.withdrawn_at IS NOT NULL
            AND NEW.plan IS NOT NULL AND {asked}
            BEGIN {count.format(sign="-")}; END""",
    )


@migrations()
def m015_attacks(db: Database) -> None:
    """How a judge answers once a sentence is added to one of the texts: a run may measure that."""
    _written_anew(
        db,
        "plans",
        {"'measure')": "'measure', 'attack')", "('compare', 'score')": "('compare', 'score', "
         "'attack')"},
    )  # fmt: skip
    for statement in (
        # No judgements: no statistic can take them in by mistake. `attacked` is the side of the
        # text that the sentence was added to, `sentence` is as it is declared, not yet filled.
        """CREATE TABLE attack_answers (
            id INTEGER PRIMARY KEY,
            comparison INTEGER NOT NULL REFERENCES comparisons (id),
            judge INTEGER NOT NULL REFERENCES judges (id),
            trial INTEGER NOT NULL,
            attacked TEXT NOT NULL CHECK (attacked IN ('a', 'b')),
            sentence TEXT NOT NULL CHECK (sentence <> ''),
            plan INTEGER NOT NULL REFERENCES plans (id),
            execution INTEGER REFERENCES executions (id),
            outcome TEXT CHECK (outcome IN ('a', 'b', 'tie', 'both_bad')),
            prob_a REAL CHECK (prob_a BETWEEN 0 AND 1),
            votes INTEGER NOT NULL,
            failure TEXT NOT NULL,
            seconds REAL,
            waited REAL,
            tokens INTEGER NOT NULL,
            completion_tokens INTEGER NOT NULL,
            context_cut INTEGER NOT NULL,
            part_read INTEGER NOT NULL,
            raw TEXT NOT NULL,
            created_at TEXT NOT NULL,
            withdrawn_at TEXT,
            CHECK ((outcome IS NULL) = (failure <> ''))
        ) STRICT""",
        """CREATE UNIQUE INDEX attack_answers_live
            ON attack_answers (comparison, judge, trial, attacked, sentence)
            WHERE withdrawn_at IS NULL""",
        "CREATE INDEX attack_answers_judge ON attack_answers (judge, id)",
        "CREATE INDEX attack_answers_plan ON attack_answers (plan)",
        """CREATE VIEW live_attack_answers AS
            SELECT * FROM attack_answers WHERE withdrawn_at IS NULL""",
    ):
        db.execute(statement)
    _only_withdrawn(db, "attack_answers")


@migrations()
def m016_batches(db: Database) -> None:
    """Requests of a run that were handed over as a file, and wait for their answers."""
    for statement in (
        """CREATE TABLE batches (
            id INTEGER PRIMARY KEY,
            plan INTEGER NOT NULL REFERENCES plans (id),
            name TEXT NOT NULL DEFAULT '',  -- as the server calls it; '' = only written
            file TEXT NOT NULL DEFAULT '',
            submitted_at TEXT NOT NULL,
            ended_at TEXT
        ) STRICT""",
        "CREATE INDEX batches_open ON batches (plan) WHERE ended_at IS NULL",
        """CREATE TABLE batched (
            batch INTEGER NOT NULL REFERENCES batches (id),
            comparison INTEGER NOT NULL REFERENCES comparisons (id),
            PRIMARY KEY (batch, comparison)
        ) STRICT, WITHOUT ROWID""",
        "CREATE INDEX batched_comparison ON batched (comparison)",
    ):
        db.execute(statement)


@migrations()
def m017_batch_votes(db: Database) -> None:
    """Votes that came back for a comparison of which others are missing, as they were sent."""
    db.execute(
        """CREATE TABLE batch_votes (
            plan INTEGER NOT NULL REFERENCES plans (id),
            comparison INTEGER NOT NULL REFERENCES comparisons (id),
            request TEXT NOT NULL,  -- its name in the file of requests
            result TEXT NOT NULL,
            PRIMARY KEY (plan, request)
        ) STRICT"""
    )


@migrations()
def m018_imports(db: Database) -> None:
    """What belongs to no campaign is not looked for in one: imports spend their time on votes."""
    tally, campaign, lease, run = _counting_of(_COUNTS_ONCE)
    for statement in (
        "DROP TRIGGER judgement_given",
        f"""CREATE TRIGGER judgement_given AFTER INSERT ON judgements
            WHEN NEW.withdrawn_at IS NULL BEGIN
                {tally.format(sign="")};
                {run.format(asked=1)};
            END""",
        f"""CREATE TRIGGER judgement_in_campaign AFTER INSERT ON judgements
            WHEN NEW.withdrawn_at IS NULL AND NEW.plan IS NOT NULL BEGIN
                {campaign.format(sign="+")};
                {lease};
            END""",
    ):
        db.execute(statement)


@migrations()
def m019_sources(db: Database) -> None:
    """Imported rows are known by numbers, and looked for at their comparison: as texts of 90
    characters they were most of a large store, and what imports waited for.
    """
    for function in (_source_of, _mark_of, _occurrence_of):
        db.conn.create_function(function.__name__, 1, function, deterministic=True)
    for statement in (
        "CREATE TABLE sources (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT",
        "DROP TRIGGER judgements_are_final",
        "DROP VIEW live_judgements",
        "DROP INDEX judgements_source",
        "ALTER TABLE judgements ADD COLUMN source INTEGER REFERENCES sources (id)",
        "ALTER TABLE judgements ADD COLUMN source_mark INTEGER",
        "ALTER TABLE judgements ADD COLUMN source_occurrence INTEGER",
        # Its item is the row that it stood in first: it is looked for without it.
        "ALTER TABLE judgements ADD COLUMN itemless INTEGER NOT NULL DEFAULT 0",
        """INSERT INTO sources (name)
            SELECT DISTINCT _source_of(source_row) FROM judgements WHERE source_row <> ''""",
        """UPDATE judgements SET
            source = (SELECT id FROM sources WHERE name = _source_of(source_row)),
            source_mark = _mark_of(source_row), source_occurrence = _occurrence_of(source_row),
            itemless = EXISTS (SELECT 1 FROM comparisons c JOIN items i ON i.id = c.item
                WHERE c.id = comparison AND i.key GLOB 'row-[0-9]*')
            WHERE source_row <> ''""",
        "ALTER TABLE judgements DROP COLUMN source_row",
        """CREATE UNIQUE INDEX judgements_source
            ON judgements (comparison, source, source_mark, source_occurrence)
            WHERE source IS NOT NULL AND NOT itemless""",
        """CREATE UNIQUE INDEX judgements_itemless
            ON judgements (source, source_mark, source_occurrence) WHERE itemless""",
        "CREATE VIEW live_judgements AS SELECT * FROM judgements WHERE withdrawn_at IS NULL",
    ):
        db.execute(statement)
    _only_withdrawn(db, "judgements")


_ROW = re.compile(r"(.+)#([0-9a-f]{12})\.([0-9]{1,15})", re.DOTALL)
"""Where an imported vote of schemas 3 to 18 comes from: data set and file, mark, occurrence."""


def _source_of(row: str) -> str:
    found = _ROW.fullmatch(row)
    return found[1] if found else row


def _mark_of(row: str) -> int | None:
    found = _ROW.fullmatch(row)
    return int(found[2], 16) if found else None


def _occurrence_of(row: str) -> int | None:
    found = _ROW.fullmatch(row)
    return int(found[3]) if found else None


@migrations()
def m020_identities(db: Database) -> None:
    """A data set has an identity that no name and no number can give away, and the number of a row
    that is gone is given to no other: what is on a screen is about these texts or about none.
    """
    for statement in (
        "ALTER TABLE datasets ADD COLUMN uid TEXT NOT NULL DEFAULT ''",
        "UPDATE datasets SET uid = lower(hex(randomblob(16)))",
        "CREATE UNIQUE INDEX datasets_uid ON datasets (uid)",
        """CREATE TRIGGER datasets_identified AFTER INSERT ON datasets WHEN NEW.uid = '' BEGIN
            UPDATE datasets SET uid = lower(hex(randomblob(16))) WHERE name = NEW.name; END""",
        """CREATE TRIGGER datasets_keep_identity BEFORE UPDATE OF uid ON datasets
            WHEN OLD.uid <> '' BEGIN
            SELECT raise(ABORT, 'the identity of a data set never changes'); END""",
        # SQLite keeps the highest numbers from the first such table on.
        "CREATE TABLE numbered_once (id INTEGER PRIMARY KEY AUTOINCREMENT)",
        "DROP TABLE numbered_once",
    ):
        db.execute(statement)
    try:
        _number_once(db)
    except sqlite3.OperationalError as error:
        if "may not be modified" not in str(error):
            raise
        # This SQLite lets nobody touch declarations: the tables are copied, which takes longer.
        for table in _NUMBERED_ONCE:
            _written_anew(db, table, {_NUMBER: f"{_NUMBER} AUTOINCREMENT"})
            _keep_last_number(db, table)


_NUMBER = "id INTEGER PRIMARY KEY"
_NUMBERED_ONCE = (
    "items", "systems", "generations", "attributes", "judges", "scores", "comparisons", "plans",
    "planned", "judgements", "executions", "campaigns", "messages", "exclusions", "checks",
    "check_answers", "attack_answers", "batches", "sources",
)  # fmt: skip
"""The tables of which rows go with their data set."""


def _number_once(db: Database) -> None:
    """Declare AUTOINCREMENT where the rows are: it changes how a number is found, not how rows are
    stored (https://www.sqlite.org/lang_altertable.html, "otheralter").
    """
    (version,) = db.execute("PRAGMA schema_version").fetchone()
    db.execute("PRAGMA writable_schema = ON")
    try:
        for table in _NUMBERED_ONCE:
            changed = db.execute(
                """UPDATE sqlite_master SET sql = replace(sql, ?1, ?1 || ' AUTOINCREMENT')
                WHERE type = 'table' AND name = ?2 AND instr(sql, ?1)""",
                (_NUMBER, table),
            ).rowcount
            assert changed == 1, table
            _keep_last_number(db, table)
        db.execute(f"PRAGMA schema_version = {version + 1}")  # everybody reads it anew
    finally:
        db.execute("PRAGMA writable_schema = OFF")


def _keep_last_number(db: Database, table: str) -> None:
    db.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
    db.execute(
        f"INSERT INTO sqlite_sequence (name, seq) SELECT ?, coalesce(max(id), 0) FROM {table}",
        (table,),
    )


@migrations()
def m021_sides(db: Database) -> None:
    """Nobody can compute who is shown what: a secret of the store decides. It has an identity, so
    that backups of other stores are known as such, and what somebody agreed to stays as it was.
    """
    db.conn.create_function("_identity_of", 1, _identity_of, deterministic=True)
    for statement in (
        "INSERT INTO secrets (name, value) VALUES ('sides', randomblob(32))",
        # The same of a store and of its backups from before this schema.
        """INSERT INTO secrets (name, value)
            SELECT 'store', _identity_of(value) FROM secrets WHERE name = 'screen'""",
        # The generation that somebody has seen as A of a pair that comes again: after an undo, or
        # since it was on screen when the secret came.
        """CREATE TABLE pair_screens (
            planned INTEGER NOT NULL REFERENCES planned (id),
            judge INTEGER NOT NULL REFERENCES judges (id),
            trial INTEGER NOT NULL,
            first INTEGER NOT NULL REFERENCES generations (id),
            PRIMARY KEY (planned, judge, trial)
        ) STRICT, WITHOUT ROWID""",
        # The check that somebody may have had on screen when the secret came, and its text A.
        """CREATE TABLE check_screens (
            "check" INTEGER NOT NULL REFERENCES checks (id),
            judge INTEGER NOT NULL REFERENCES judges (id),
            first TEXT NOT NULL CHECK (first IN ('1', '2')),
            PRIMARY KEY (judge, "check")
        ) STRICT, WITHOUT ROWID""",
        # The sample study is for a store that never had a data set.
        """CREATE TRIGGER datasets_had AFTER DELETE ON datasets
            BEGIN INSERT OR REPLACE INTO settings (name, value) VALUES ('had a data set', 'yes');
            END""",
        """INSERT INTO settings (name, value) SELECT 'had a data set', 'yes'
            WHERE EXISTS (SELECT 1 FROM audit WHERE action = 'deleted the data set')""",
        """CREATE TRIGGER consents_are_final BEFORE UPDATE ON consents
            BEGIN SELECT raise(ABORT, 'consents are append-only'); END""",
        """CREATE TRIGGER consents_stay BEFORE DELETE ON consents
            BEGIN SELECT raise(ABORT, 'consents are append-only'); END""",
    ):
        db.execute(statement)
    _keep_open_pairs(db, "leases")
    _keep_open_pairs(db, "repeats")
    _keep_open_checks(db)


def _identity_of(secret: bytes) -> bytes:
    return hashlib.sha256(b"identity of a store" + secret).digest()


def _keep_open_pairs(db: Database, table: str) -> None:
    """Pairs that are on a screen, or promised to one person, keep the sides that were computed from
    the plan's seed before this schema.
    """
    trial = int(table == "repeats")
    rows = db.execute(
        f"""SELECT x.planned, x.judge, p.seed, w.name, coalesce(o.value, p.dataset), i.key,
            s1.name || '#' || g1.sample, s2.name || '#' || g2.sample, g1.id, g2.id
        FROM {table} x JOIN planned q ON q.id = x.planned JOIN plans p ON p.id = q.plan
        JOIN judges w ON w.id = x.judge
        JOIN generations g1 ON g1.id = q.generation_1 JOIN systems s1 ON s1.id = g1.system
        JOIN generations g2 ON g2.id = q.generation_2 JOIN systems s2 ON s2.id = g2.system
        JOIN items i ON i.id = g1.item
        LEFT JOIN settings o ON o.name = 'origin of ' || p.dataset
        WHERE q.comparison IS NULL"""
    ).fetchall()
    for planned, judge, seed, annotator, origin, item, name_1, name_2, one, other in rows:
        (a, first), (b, second) = sorted(((name_1, one), (name_2, other)), key=itemgetter(0))
        if draw(seed, annotator, origin, item, a, b, *[trial] * trial) % 2:
            first = second
        db.execute("INSERT INTO pair_screens VALUES (?, ?, ?, ?)", (planned, judge, trial, first))


def _keep_open_checks(db: Database) -> None:
    """Of each campaign the check that a person may have on screen: the first of training, else the
    one that was to come next before this schema.
    """
    rows = db.execute(
        """SELECT w.id, w.name, c.campaign, c.id, c.role = 'training'
        FROM people p JOIN judges w ON w.id = p.judge JOIN checks c ON c.withdrawn_at IS NULL
        WHERE NOT EXISTS (SELECT 1 FROM check_answers a WHERE a."check" = c.id
            AND a.judge = w.id AND a.withdrawn_at IS NULL) ORDER BY c.id"""
    ).fetchall()
    unanswered: dict[tuple[int, str, int], list[tuple[int, int]]] = {}
    for judge, annotator, campaign, check, training in rows:
        unanswered.setdefault((judge, annotator, campaign), []).append((check, training))
    for (judge, annotator, _), checks in unanswered.items():
        trainings = [check for check, training in checks if training]
        check = (
            trainings[0]
            if trainings
            else min((check for check, _ in checks), key=lambda each: draw(each, "turn", judge))
        )
        first = "2" if draw(check, "check", annotator) % 2 else "1"
        db.execute("INSERT INTO check_screens VALUES (?, ?, ?)", (check, judge, first))


@migrations()
def m022_moments(db: Database) -> None:
    """Times of imported votes are instants of one form, so that their texts sort by time. What a
    file's times leave open, or what names no moment, stays as it is.
    """
    stated = f"""SELECT DISTINCT source, created_at FROM judgements
        WHERE source IS NOT NULL AND created_at NOT GLOB '{CANONICAL}'"""
    dates: dict[int, set[DateParts]] = {}
    for source, text in db.execute(stated):
        if (parts := date_parts(text)) and possible_orders(parts):
            dates.setdefault(source, set()).add(parts)
    orders = {source: common_order(parts) for source, parts in dates.items()}

    def _moment_of(source: int, text: str) -> str:
        return parse_moment(text, orders.get(source)) or text

    db.conn.create_function("_moment_of", 2, _moment_of, deterministic=True)
    db.execute("DROP TRIGGER judgements_are_final")
    db.execute(
        f"""UPDATE judgements SET created_at = _moment_of(source, created_at)
        WHERE source IS NOT NULL AND created_at NOT GLOB '{CANONICAL}'"""
    )
    _only_withdrawn(db, "judgements")


@migrations()
def m023_verdict_forms(db: Database) -> None:
    """A prompt declares how its verdict is stated and its labels; a judge has what else it is told:
    how long its reply may be, a system prompt, where to stop, what a server takes besides.
    """
    for statement in (
        "ALTER TABLE prompts ADD COLUMN form TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE prompts ADD COLUMN labels TEXT NOT NULL DEFAULT '[]'",
        "ALTER TABLE judges ADD COLUMN max_tokens INTEGER",
        "ALTER TABLE judges ADD COLUMN system_prompt TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE judges ADD COLUMN stop TEXT NOT NULL DEFAULT '[]'",
        "ALTER TABLE judges ADD COLUMN extra_body TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE judges ADD COLUMN lenient INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE judges ADD COLUMN provider TEXT NOT NULL DEFAULT ''",
    ):
        db.execute(statement)


@migrations()
def m024_readings(db: Database) -> None:
    """What imports must not forget: that the lower marks of an attribute are the better ones, what
    tells the items of a data set apart ('' = not said yet), and which pairs a file lists to be
    asked.
    """
    db.execute(
        """ALTER TABLE attributes ADD COLUMN lower_is_better INTEGER NOT NULL DEFAULT 0
        CHECK (lower_is_better IN (0, 1))"""
    )
    db.execute(
        """ALTER TABLE datasets ADD COLUMN items_are TEXT NOT NULL DEFAULT ''
        CHECK (items_are IN ('', 'names', 'contexts'))"""
    )
    db.execute(
        """ALTER TABLE comparisons ADD COLUMN listed INTEGER NOT NULL DEFAULT 0
        CHECK (listed IN (0, 1))"""
    )
    db.execute("CREATE INDEX comparisons_listed ON comparisons (item) WHERE listed")


def _written_anew(db: Database, table: str, changes: Mapping[str, str]) -> None:
    """Change what checks of a table say: it is written anew under its name, with its rows, indexes
    and triggers.
    """
    own = "SELECT sql FROM sqlite_master WHERE tbl_name = ? AND type = ? AND sql IS NOT NULL"
    [(declared,)] = db.execute(own, (table, "table")).fetchall()
    kept = [
        sql for kind in ("index", "trigger") for (sql,) in db.execute(own, (table, kind)).fetchall()
    ]
    body = declared[declared.index("(") :]
    for before, after in changes.items():
        assert body.count(before) == 1, before
        body = body.replace(before, after)
    columns = ", ".join(f'"{row[1]}"' for row in db.execute(f"PRAGMA table_info({table})"))
    db.execute(f"CREATE TABLE {table}_new {body}")
    db.execute(f"INSERT INTO {table}_new ({columns}) SELECT {columns} FROM {table}")
    db.execute(f"DROP TABLE {table}")
    db.execute(f"ALTER TABLE {table}_new RENAME TO {table}")
    for sql in kept:
        db.execute(sql)
