-- Schema 27. Runs and the attributes of campaigns stood in one table, `plans`, and what is asked in
-- them in another, `planned`. A judgement says which run, or which campaign, asked for it.

DROP VIEW live_judgements;
DROP VIEW live_scores;
DROP VIEW live_attack_answers;
DROP TRIGGER IF EXISTS judgement_given;
DROP TRIGGER IF EXISTS judgement_in_campaign;
DROP TRIGGER IF EXISTS judgement_withdrawn;
DROP TRIGGER IF EXISTS person_answered;
DROP TRIGGER IF EXISTS person_withdrew;
DROP TRIGGER IF EXISTS planned_added;
DROP TRIGGER IF EXISTS planned_counted;
DROP TRIGGER IF EXISTS planned_removed;

-- Whatever refers to these two goes on to refer to `runs` and `campaign_pairs`.
PRAGMA legacy_alter_table = OFF;
ALTER TABLE plans RENAME TO runs;
ALTER TABLE planned RENAME TO campaign_pairs;
PRAGMA legacy_alter_table = ON;
ALTER TABLE runs RENAME TO plans;
ALTER TABLE campaign_pairs RENAME TO planned;

CREATE TABLE campaign_attributes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    campaign INTEGER NOT NULL REFERENCES campaigns (id),
    attribute INTEGER NOT NULL REFERENCES attributes (id),
    strategy TEXT NOT NULL,
    budget INTEGER,
    overlap INTEGER NOT NULL DEFAULT 1,
    ordering TEXT NOT NULL DEFAULT 'random',
    seed INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    UNIQUE (campaign, attribute)
) STRICT;
INSERT INTO campaign_attributes
    SELECT id, campaign, attribute, strategy, budget, overlap, ordering, seed, created_at
    FROM plans WHERE kind = 'campaign';

CREATE TABLE campaign_pairs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    campaign_attribute INTEGER NOT NULL REFERENCES campaign_attributes (id),
    generation_1 INTEGER NOT NULL REFERENCES generations (id),
    generation_2 INTEGER NOT NULL REFERENCES generations (id),
    priority INTEGER NOT NULL,
    probability REAL NOT NULL DEFAULT 1,
    votes INTEGER NOT NULL DEFAULT 0,
    stratum INTEGER NOT NULL DEFAULT 0,
    bundle INTEGER NOT NULL DEFAULT 0,
    UNIQUE (campaign_attribute, generation_1, generation_2),
    CHECK (generation_1 < generation_2)
) STRICT;
INSERT INTO campaign_pairs
    SELECT id, plan, generation_1, generation_2, priority, probability, votes, stratum, bundle
    FROM planned WHERE comparison IS NULL;

CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dataset TEXT NOT NULL REFERENCES datasets (name),
    task TEXT NOT NULL CHECK (task IN ('compare', 'score', 'generate', 'measure', 'attack')),
    judge INTEGER REFERENCES judges (id),
    strategy TEXT NOT NULL,
    budget INTEGER,
    seed INTEGER NOT NULL DEFAULT 0,
    trial INTEGER NOT NULL DEFAULT 0,
    settings TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(settings)),
    execution TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(execution)),
    versions TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(versions)),
    status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'cancelled', 'failed', 'done')),
    error TEXT NOT NULL DEFAULT '',
    heartbeat TEXT,
    per_second REAL NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    started_at TEXT,
    finished_at TEXT,
    system TEXT,
    drawn TEXT,
    expected INTEGER NOT NULL DEFAULT 0,
    served INTEGER NOT NULL DEFAULT 0
        CHECK (served IN (0, 1)),
    CHECK ((judge IS NOT NULL) = (task IN ('compare', 'score', 'attack')))
) STRICT;
INSERT INTO runs
    SELECT id, dataset, task, judge, strategy, budget, seed, trial, settings, execution, versions,
        status, error, heartbeat, per_second, created_at, started_at, finished_at, system, drawn,
        expected, served
    FROM plans WHERE kind = 'run';

CREATE TABLE run_comparisons (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run INTEGER NOT NULL REFERENCES runs (id),
    comparison INTEGER NOT NULL REFERENCES comparisons (id),
    priority INTEGER NOT NULL,
    probability REAL NOT NULL DEFAULT 1,
    asked INTEGER NOT NULL DEFAULT 0
        CHECK (asked IN (0, 1)),
    UNIQUE (comparison, run)
) STRICT;
INSERT INTO run_comparisons
    SELECT id, plan, comparison, priority, probability, votes
    FROM planned WHERE comparison IS NOT NULL;

-- No number is given out again.
DELETE FROM sqlite_sequence
    WHERE name IN ('campaign_attributes', 'campaign_pairs', 'runs', 'run_comparisons');
INSERT INTO sqlite_sequence (name, seq)
    SELECT n.name, coalesce((SELECT seq FROM sqlite_sequence s WHERE s.name = n.was), 0)
    FROM (SELECT 'campaign_attributes' AS name, 'plans' AS was UNION ALL SELECT 'runs', 'plans'
        UNION ALL SELECT 'campaign_pairs', 'planned'
        UNION ALL SELECT 'run_comparisons', 'planned') n;

ALTER TABLE judgements RENAME COLUMN plan TO run;
ALTER TABLE judgements RENAME COLUMN part_read TO prompt_tokens_read;
ALTER TABLE judgements ADD COLUMN campaign INTEGER REFERENCES campaigns (id);
UPDATE judgements SET run = NULL,
    campaign = (SELECT p.campaign FROM campaign_attributes p WHERE p.id = run)
    WHERE run IN (SELECT id FROM campaign_attributes);
CREATE VIEW live_judgements AS SELECT * FROM judgements WHERE withdrawn_at IS NULL;
CREATE VIEW judged_pairs AS SELECT j.id AS judgement, q.id AS pair FROM judgements j
    JOIN comparisons c ON c.id = j.comparison
    JOIN campaign_attributes p ON p.campaign = j.campaign AND p.attribute = c.attribute
    JOIN campaign_pairs q ON q.campaign_attribute = p.id AND q.generation_1 = c.generation_1
        AND q.generation_2 = c.generation_2;

ALTER TABLE scores RENAME COLUMN plan TO run;
ALTER TABLE scores RENAME COLUMN part_read TO prompt_tokens_read;
CREATE VIEW live_scores AS SELECT * FROM scores WHERE withdrawn_at IS NULL;

ALTER TABLE generations RENAME COLUMN plan TO run;
ALTER TABLE generations RENAME COLUMN part_read TO prompt_tokens_read;

ALTER TABLE attack_answers RENAME COLUMN plan TO run;
ALTER TABLE attack_answers RENAME COLUMN part_read TO prompt_tokens_read;
DROP INDEX attack_answers_plan;
CREATE INDEX attack_answers_run ON attack_answers (run);
CREATE VIEW live_attack_answers AS SELECT * FROM attack_answers WHERE withdrawn_at IS NULL;

ALTER TABLE executions RENAME COLUMN plan TO run;
DROP INDEX executions_by_plan;
CREATE INDEX executions_run ON executions (run);
ALTER TABLE batches RENAME COLUMN plan TO run;
ALTER TABLE batch_votes RENAME COLUMN plan TO run;

ALTER TABLE leases RENAME COLUMN planned TO pair;
ALTER TABLE repeats RENAME COLUMN planned TO pair;
ALTER TABLE pair_screens RENAME COLUMN planned TO pair;

ALTER TABLE vote_counts RENAME TO counted;
CREATE TABLE vote_counts (
    campaign_attribute INTEGER NOT NULL REFERENCES campaign_attributes (id),
    votes INTEGER NOT NULL,
    pairs INTEGER NOT NULL,
    PRIMARY KEY (campaign_attribute, votes)
) STRICT, WITHOUT ROWID;
INSERT INTO vote_counts SELECT * FROM counted;
DROP TABLE counted;

ALTER TABLE person_counts RENAME TO counted;
CREATE TABLE person_counts (
    judge INTEGER NOT NULL REFERENCES judges (id),
    campaign INTEGER NOT NULL REFERENCES campaigns (id),
    answered INTEGER NOT NULL,
    skipped INTEGER NOT NULL,
    PRIMARY KEY (judge, campaign)
) STRICT, WITHOUT ROWID;
INSERT INTO person_counts SELECT n.judge, p.campaign, sum(n.answered), sum(n.skipped)
    FROM counted n JOIN plans p ON p.id = n.plan GROUP BY 1, 2;
DROP TABLE counted;

ALTER TABLE tally RENAME TO outcome_counts;
DROP TABLE planned;
DROP TABLE plans;

CREATE INDEX campaign_pairs_next ON campaign_pairs (campaign_attribute, votes, priority, id);
CREATE INDEX campaign_pairs_bundle ON campaign_pairs (campaign_attribute, bundle) WHERE bundle > 0;
CREATE INDEX campaign_pairs_stratum
    ON campaign_pairs (campaign_attribute, stratum, votes, priority, id) WHERE stratum > 0;
CREATE INDEX run_comparisons_next ON run_comparisons (run, asked, priority, id);

CREATE TRIGGER pair_added AFTER INSERT ON campaign_pairs BEGIN
    INSERT INTO vote_counts (campaign_attribute, votes, pairs)
        VALUES (NEW.campaign_attribute, NEW.votes, 1)
        ON CONFLICT (campaign_attribute, votes) DO UPDATE SET pairs = pairs + 1;
END;
CREATE TRIGGER pair_counted AFTER UPDATE OF votes ON campaign_pairs
WHEN NEW.votes <> OLD.votes BEGIN
    UPDATE vote_counts SET pairs = pairs - 1
        WHERE campaign_attribute = OLD.campaign_attribute AND votes = OLD.votes;
    INSERT INTO vote_counts (campaign_attribute, votes, pairs)
        VALUES (NEW.campaign_attribute, NEW.votes, 1)
        ON CONFLICT (campaign_attribute, votes) DO UPDATE SET pairs = pairs + 1;
END;
CREATE TRIGGER pair_removed AFTER DELETE ON campaign_pairs BEGIN
    UPDATE vote_counts SET pairs = pairs - 1
        WHERE campaign_attribute = OLD.campaign_attribute AND votes = OLD.votes;
END;
CREATE TRIGGER judgement_given AFTER INSERT ON judgements WHEN NEW.withdrawn_at IS NULL BEGIN
    INSERT INTO outcome_counts (judge, attribute, system_a, system_b, order_known, outcome, count)
        SELECT NEW.judge, c.attribute, c.system_a, c.system_b, NEW.order_known,
            coalesce(NEW.outcome, 'failed'), 1
        FROM comparisons c WHERE c.id = NEW.comparison AND true
        ON CONFLICT (judge, attribute, system_a, system_b, order_known, outcome)
        DO UPDATE SET count = count + excluded.count;
    UPDATE run_comparisons SET asked = 1 WHERE comparison = NEW.comparison AND EXISTS (
        SELECT 1 FROM runs r WHERE r.id = run AND r.judge = NEW.judge AND r.trial = NEW.trial);
END;
CREATE TRIGGER judgement_in_campaign AFTER INSERT ON judgements
WHEN NEW.withdrawn_at IS NULL AND NEW.campaign IS NOT NULL BEGIN
    UPDATE campaign_pairs SET votes = votes + (
            NEW.outcome IS NOT NULL AND NEW.trial = 0 AND NOT EXISTS (
                SELECT 1 FROM campaigns m JOIN exclusions x ON x.dataset = m.dataset
                AND x.judge = NEW.judge AND x.lifted_at IS NULL WHERE m.id = NEW.campaign))
        WHERE id = (SELECT pair FROM judged_pairs WHERE judgement = NEW.id);
    DELETE FROM leases WHERE judge = NEW.judge
        AND pair = (SELECT pair FROM judged_pairs WHERE judgement = NEW.id);
    INSERT INTO person_counts (judge, campaign, answered, skipped)
        VALUES (NEW.judge, NEW.campaign, (NEW.outcome IS NOT NULL), (NEW.outcome IS NULL))
        ON CONFLICT (judge, campaign) DO UPDATE SET answered = answered + excluded.answered,
            skipped = skipped + excluded.skipped;
END;
CREATE TRIGGER judgement_withdrawn AFTER UPDATE OF withdrawn_at ON judgements
WHEN OLD.withdrawn_at IS NULL AND NEW.withdrawn_at IS NOT NULL BEGIN
    INSERT INTO outcome_counts (judge, attribute, system_a, system_b, order_known, outcome, count)
        SELECT NEW.judge, c.attribute, c.system_a, c.system_b, NEW.order_known,
            coalesce(NEW.outcome, 'failed'), -1
        FROM comparisons c WHERE c.id = NEW.comparison AND true
        ON CONFLICT (judge, attribute, system_a, system_b, order_known, outcome)
        DO UPDATE SET count = count + excluded.count;
    UPDATE run_comparisons SET asked = 0 WHERE comparison = NEW.comparison AND EXISTS (
        SELECT 1 FROM runs r WHERE r.id = run AND r.judge = NEW.judge AND r.trial = NEW.trial);
END;
CREATE TRIGGER judgement_withdrawn_in_campaign AFTER UPDATE OF withdrawn_at ON judgements
WHEN OLD.withdrawn_at IS NULL AND NEW.withdrawn_at IS NOT NULL AND NEW.campaign IS NOT NULL BEGIN
    UPDATE campaign_pairs SET votes = votes - (
            NEW.outcome IS NOT NULL AND NEW.trial = 0 AND NOT EXISTS (
                SELECT 1 FROM campaigns m JOIN exclusions x ON x.dataset = m.dataset
                AND x.judge = NEW.judge AND x.lifted_at IS NULL WHERE m.id = NEW.campaign))
        WHERE id = (SELECT pair FROM judged_pairs WHERE judgement = NEW.id);
    INSERT INTO person_counts (judge, campaign, answered, skipped)
        VALUES (NEW.judge, NEW.campaign, -(NEW.outcome IS NOT NULL), -(NEW.outcome IS NULL))
        ON CONFLICT (judge, campaign) DO UPDATE SET answered = answered + excluded.answered,
            skipped = skipped + excluded.skipped;
END;
