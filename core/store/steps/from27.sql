-- From schema 27 to 26, of a store without rows.

DROP VIEW live_judgements;
DROP VIEW live_scores;
DROP VIEW live_attack_answers;
DROP VIEW judged_pairs;
DROP TRIGGER pair_added;
DROP TRIGGER pair_counted;
DROP TRIGGER pair_removed;
DROP TRIGGER judgement_given;
DROP TRIGGER judgement_in_campaign;
DROP TRIGGER judgement_withdrawn;
DROP TRIGGER judgement_withdrawn_in_campaign;

PRAGMA legacy_alter_table = OFF;
ALTER TABLE runs RENAME TO plans;
ALTER TABLE campaign_pairs RENAME TO planned;
PRAGMA legacy_alter_table = ON;
DROP TABLE plans;
DROP TABLE planned;
DROP TABLE run_comparisons;
DROP TABLE vote_counts;
DROP TABLE person_counts;
DROP TABLE campaign_attributes;

CREATE TABLE plans (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dataset TEXT REFERENCES datasets (name),
    kind TEXT,
    task TEXT,
    name TEXT,
    attribute INTEGER REFERENCES attributes (id),
    judge INTEGER REFERENCES judges (id),
    strategy TEXT,
    budget INTEGER,
    overlap INTEGER,
    ordering TEXT,
    seed INTEGER,
    trial INTEGER,
    settings TEXT,
    execution TEXT,
    versions TEXT,
    status TEXT,
    error TEXT,
    heartbeat TEXT,
    per_second REAL,
    created_at TEXT,
    started_at TEXT,
    finished_at TEXT,
    system TEXT,
    drawn TEXT,
    expected INTEGER,
    campaign INTEGER REFERENCES campaigns (id),
    served INTEGER
) STRICT;
CREATE TABLE planned (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    plan INTEGER REFERENCES plans (id),
    generation_1 INTEGER REFERENCES generations (id),
    generation_2 INTEGER REFERENCES generations (id),
    comparison INTEGER REFERENCES comparisons (id),
    priority INTEGER,
    probability REAL,
    votes INTEGER,
    stratum INTEGER,
    bundle INTEGER
) STRICT;
CREATE TABLE vote_counts (
    plan INTEGER REFERENCES plans (id),
    votes INTEGER,
    pairs INTEGER,
    PRIMARY KEY (plan, votes)
) STRICT, WITHOUT ROWID;
CREATE TABLE person_counts (
    judge INTEGER REFERENCES judges (id),
    plan INTEGER REFERENCES plans (id),
    answered INTEGER,
    skipped INTEGER,
    PRIMARY KEY (judge, plan)
) STRICT, WITHOUT ROWID;

ALTER TABLE judgements RENAME COLUMN run TO plan;
ALTER TABLE judgements RENAME COLUMN prompt_tokens_read TO part_read;
ALTER TABLE judgements DROP COLUMN campaign;
CREATE VIEW live_judgements AS SELECT * FROM judgements WHERE withdrawn_at IS NULL;
ALTER TABLE scores RENAME COLUMN run TO plan;
ALTER TABLE scores RENAME COLUMN prompt_tokens_read TO part_read;
CREATE VIEW live_scores AS SELECT * FROM scores WHERE withdrawn_at IS NULL;
ALTER TABLE generations RENAME COLUMN run TO plan;
ALTER TABLE generations RENAME COLUMN prompt_tokens_read TO part_read;
ALTER TABLE attack_answers RENAME COLUMN run TO plan;
ALTER TABLE attack_answers RENAME COLUMN prompt_tokens_read TO part_read;
DROP INDEX attack_answers_run;
CREATE INDEX attack_answers_plan ON attack_answers (plan);
CREATE VIEW live_attack_answers AS SELECT * FROM attack_answers WHERE withdrawn_at IS NULL;
ALTER TABLE executions RENAME COLUMN run TO plan;
DROP INDEX executions_run;
CREATE INDEX executions_by_plan ON executions (plan);
ALTER TABLE batches RENAME COLUMN run TO plan;
ALTER TABLE batch_votes RENAME COLUMN run TO plan;
ALTER TABLE leases RENAME COLUMN pair TO planned;
ALTER TABLE repeats RENAME COLUMN pair TO planned;
ALTER TABLE pair_screens RENAME COLUMN pair TO planned;
ALTER TABLE outcome_counts RENAME TO tally;
