-- What was answered. Judgements, answers to checks and answers to attacks are append-only: one is
-- withdrawn and another added, and triggers refuse every other change. `forbid_changes` in
-- `schema.py` makes these, `..._are_final` and `..._stay`, from the columns of each table.

-- Where imported votes come from: a data set and a file.
CREATE TABLE sources (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE) STRICT;

-- One answer, or why there is none.
CREATE TABLE judgements (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    comparison INTEGER NOT NULL REFERENCES comparisons (id),
    judge INTEGER NOT NULL REFERENCES judges (id),
    trial INTEGER NOT NULL DEFAULT 0,  -- tells repeats of one judge apart
    run INTEGER REFERENCES runs (id),  -- that asked for it; NULL = a person's or imported
    outcome TEXT CHECK (outcome IN ('a', 'b', 'tie', 'both_bad')),
    prob_a REAL CHECK (prob_a BETWEEN 0 AND 1),
    votes INTEGER NOT NULL DEFAULT 1,
    failure TEXT NOT NULL DEFAULT '',
    strength REAL,
    confidence REAL,
    comment TEXT NOT NULL DEFAULT '',
    seconds REAL,
    tokens INTEGER NOT NULL DEFAULT 0,  -- read and written
    raw TEXT NOT NULL DEFAULT '',
    screen TEXT NOT NULL DEFAULT '',  -- what an annotator saw
    order_known INTEGER NOT NULL DEFAULT 1,  -- 0 = imported without the order shown
    created_at TEXT NOT NULL,
    withdrawn_at TEXT,
    completion_tokens INTEGER NOT NULL DEFAULT 0,  -- written alone
    context_cut INTEGER NOT NULL DEFAULT 0,  -- characters of the context that did not fit
    -- that a server says it read; 0 = all
    prompt_tokens_read INTEGER NOT NULL DEFAULT 0,
    waited REAL,
    execution INTEGER REFERENCES executions (id),
    reasons TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(reasons)),
    -- By numbers an imported row is known again: as texts they were most of a large store.
    source INTEGER REFERENCES sources (id),
    source_mark INTEGER,  -- 48 bits of what the row says
    source_occurrence INTEGER,  -- among the rows that say the same
    -- Its item is the row that it stood in first, so it is looked for without it.
    itemless INTEGER NOT NULL DEFAULT 0,
    campaign INTEGER REFERENCES campaigns (id),  -- that asked for it
    text_format TEXT NOT NULL DEFAULT ''  -- how the texts were shown; '' = not known
        CHECK (text_format IN ('', 'plain', 'markdown', 'conversation')),
    CHECK ((outcome IS NULL) = (failure <> ''))
) STRICT;

CREATE UNIQUE INDEX judgements_live ON judgements (comparison, judge, trial)
    WHERE withdrawn_at IS NULL;
CREATE INDEX judgements_withdrawn ON judgements (comparison, judge) WHERE withdrawn_at IS NOT NULL;
CREATE INDEX judgements_judge ON judgements (judge, id);
CREATE INDEX judgements_failed ON judgements (judge, trial, failure)
    WHERE failure <> '' AND withdrawn_at IS NULL;
-- With the comparison, because the same file may be imported into two data sets.
CREATE UNIQUE INDEX judgements_source
    ON judgements (comparison, source, source_mark, source_occurrence)
    WHERE source IS NOT NULL AND NOT itemless;
CREATE UNIQUE INDEX judgements_itemless ON judgements (source, source_mark, source_occurrence)
    WHERE itemless;

CREATE VIEW live_judgements AS SELECT * FROM judgements WHERE withdrawn_at IS NULL;

-- The pair of a campaign that a judgement answers.
CREATE VIEW judged_pairs AS SELECT j.id AS judgement, q.id AS pair FROM judgements j
    JOIN comparisons c ON c.id = j.comparison
    JOIN campaign_attributes p ON p.campaign = j.campaign AND p.attribute = c.attribute
    JOIN campaign_pairs q ON q.campaign_attribute = p.id AND q.generation_1 = c.generation_1
        AND q.generation_2 = c.generation_2;

-- Judgements counted, for whatever needs counts alone. `check` counts them again.
CREATE TABLE outcome_counts (
    judge INTEGER NOT NULL REFERENCES judges (id),
    attribute INTEGER NOT NULL REFERENCES attributes (id),
    system_a INTEGER NOT NULL REFERENCES systems (id),
    system_b INTEGER NOT NULL REFERENCES systems (id),
    order_known INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (judge, attribute, system_a, system_b, order_known, outcome)
) STRICT, WITHOUT ROWID;

-- How much a person has answered and skipped, second answers to a pair among them.
CREATE TABLE person_counts (
    judge INTEGER NOT NULL REFERENCES judges (id),
    campaign INTEGER NOT NULL REFERENCES campaigns (id),
    answered INTEGER NOT NULL,
    skipped INTEGER NOT NULL,
    PRIMARY KEY (judge, campaign)
) STRICT, WITHOUT ROWID;

-- A run counts whether its judge was asked.
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

-- A campaign counts first answers of those whom statistics do not leave out: of the others' pairs
-- somebody else is asked. Whoever has answered or skipped a pair no longer keeps others from it.
-- Apart from `judgement_given`, because imports spend their time on votes that are in no campaign.
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

-- What the two triggers above have counted is taken back.
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

-- What was computed of a data set is kept until its attributes say that its answers have changed.
CREATE TRIGGER judgement_added AFTER INSERT ON judgements BEGIN
    UPDATE attributes SET changes = changes + 1, changed_at = NEW.created_at
        WHERE id = (SELECT attribute FROM comparisons WHERE id = NEW.comparison);
END;

CREATE TRIGGER judgement_removed AFTER UPDATE OF withdrawn_at ON judgements
WHEN OLD.withdrawn_at IS NULL AND NEW.withdrawn_at IS NOT NULL BEGIN
    UPDATE attributes SET changes = changes + 1, changed_at = NEW.withdrawn_at
        WHERE id = (SELECT attribute FROM comparisons WHERE id = NEW.comparison);
END;

-- An absolute score of a text, or why there is none.
CREATE TABLE scores (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    generation INTEGER NOT NULL REFERENCES generations (id),
    attribute INTEGER NOT NULL REFERENCES attributes (id),
    judge INTEGER NOT NULL REFERENCES judges (id),
    trial INTEGER NOT NULL DEFAULT 0,
    value REAL,
    failure TEXT NOT NULL DEFAULT '',
    raw TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL,
    withdrawn_at TEXT,
    run INTEGER REFERENCES runs (id),  -- that asked for it; NULL = imported
    tokens INTEGER NOT NULL DEFAULT 0,
    completion_tokens INTEGER NOT NULL DEFAULT 0,
    context_cut INTEGER NOT NULL DEFAULT 0,
    prompt_tokens_read INTEGER NOT NULL DEFAULT 0,
    seconds REAL,
    waited REAL,
    execution INTEGER REFERENCES executions (id),
    CHECK ((value IS NULL) = (failure <> ''))
) STRICT;

CREATE UNIQUE INDEX scores_live ON scores (generation, attribute, judge, trial)
    WHERE withdrawn_at IS NULL;
CREATE INDEX scores_attribute ON scores (attribute, judge);

CREATE TRIGGER score_added AFTER INSERT ON scores BEGIN
    UPDATE attributes SET changes = changes + 1, changed_at = NEW.created_at
        WHERE id = NEW.attribute;
END;

CREATE TRIGGER score_removed AFTER UPDATE OF withdrawn_at ON scores
WHEN OLD.withdrawn_at IS NULL AND NEW.withdrawn_at IS NOT NULL BEGIN
    UPDATE attributes SET changes = changes + 1, changed_at = NEW.withdrawn_at
        WHERE id = NEW.attribute;
END;

CREATE VIEW live_scores AS SELECT * FROM scores WHERE withdrawn_at IS NULL;

-- An answer to a check. It is no judgement: no statistic can take it in by mistake.
CREATE TABLE check_answers (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    "check" INTEGER NOT NULL REFERENCES checks (id),
    judge INTEGER NOT NULL REFERENCES judges (id),
    outcome TEXT CHECK (outcome IN ('a', 'b', 'tie', 'both_bad')),  -- NULL = skipped
    passed INTEGER NOT NULL CHECK (passed IN (0, 1)),
    seconds REAL,
    screen TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL,
    withdrawn_at TEXT,
    text_format TEXT  -- how the texts were shown; NULL = not known
        CHECK (text_format IN ('plain', 'markdown', 'conversation'))
) STRICT;

CREATE UNIQUE INDEX check_answers_live ON check_answers ("check", judge)
    WHERE withdrawn_at IS NULL;
CREATE INDEX check_answers_judge ON check_answers (judge, id);

-- What a judge said once a sentence was added to one of the texts. It is no judgement either.
CREATE TABLE attack_answers (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    comparison INTEGER NOT NULL REFERENCES comparisons (id),
    judge INTEGER NOT NULL REFERENCES judges (id),
    trial INTEGER NOT NULL,
    attacked TEXT NOT NULL CHECK (attacked IN ('a', 'b')),  -- the text that it was added to
    sentence TEXT NOT NULL CHECK (sentence <> ''),  -- as it is declared, not yet filled
    run INTEGER NOT NULL REFERENCES runs (id),
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
    prompt_tokens_read INTEGER NOT NULL,
    raw TEXT NOT NULL,
    created_at TEXT NOT NULL,
    withdrawn_at TEXT,
    CHECK ((outcome IS NULL) = (failure <> ''))
) STRICT;

CREATE UNIQUE INDEX attack_answers_live
    ON attack_answers (comparison, judge, trial, attacked, sentence) WHERE withdrawn_at IS NULL;
CREATE INDEX attack_answers_judge ON attack_answers (judge, id);
CREATE INDEX attack_answers_run ON attack_answers (run);

CREATE VIEW live_attack_answers AS SELECT * FROM attack_answers WHERE withdrawn_at IS NULL;
