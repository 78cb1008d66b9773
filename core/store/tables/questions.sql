-- What is asked, and of whom: comparisons, campaigns that ask people, runs that ask a judge, the
-- pairs that each of them plans, and what somebody has on screen.

-- An ordered pair of texts under an attribute. `generation_a` is shown first, so positional bias
-- needs no field of its own. `generation_1` is the lower of the two numbers, as the pair has no order.
CREATE TABLE comparisons (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    attribute INTEGER NOT NULL REFERENCES attributes (id),
    generation_a INTEGER NOT NULL REFERENCES generations (id),  -- shown first
    generation_b INTEGER NOT NULL REFERENCES generations (id),
    item INTEGER NOT NULL REFERENCES items (id),
    system_a INTEGER NOT NULL REFERENCES systems (id),
    system_b INTEGER NOT NULL REFERENCES systems (id),
    generation_1 INTEGER NOT NULL AS (min(generation_a, generation_b)) VIRTUAL,
    generation_2 INTEGER NOT NULL AS (max(generation_a, generation_b)) VIRTUAL,
    listed INTEGER NOT NULL DEFAULT 0  -- whether a file lists it to be asked
        CHECK (listed IN (0, 1)),
    UNIQUE (attribute, generation_a, generation_b),
    CHECK (system_a <> system_b)
) STRICT;

CREATE INDEX comparisons_pair ON comparisons (attribute, generation_1, generation_2);
CREATE INDEX comparisons_listed ON comparisons (item) WHERE listed;

-- Items that were found and named. A set never changes: other items take another name.
CREATE TABLE item_sets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dataset TEXT NOT NULL REFERENCES datasets (name),
    name TEXT NOT NULL CHECK (name <> ''),
    search TEXT NOT NULL CHECK (json_valid(search)),  -- what it asked for beside the defaults
    -- whether answers decided which items are in it
    by_answers INTEGER NOT NULL CHECK (by_answers IN (0, 1)),
    created_by TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (dataset, name)
) STRICT;

CREATE TRIGGER item_sets_are_final BEFORE UPDATE OF name, search, by_answers ON item_sets BEGIN
    SELECT raise(ABORT, 'item sets never change: save another under another name');
END;

-- One item of a set.
CREATE TABLE item_set_members (
    item_set INTEGER NOT NULL REFERENCES item_sets (id),
    item INTEGER NOT NULL REFERENCES items (id),
    PRIMARY KEY (item_set, item)
) STRICT, WITHOUT ROWID;

-- People asked under one design.
CREATE TABLE campaigns (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dataset TEXT NOT NULL REFERENCES datasets (name),
    name TEXT NOT NULL CHECK (name <> ''),
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'paused', 'closed')),
    -- how people are asked
    design TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(design)),
    created_at TEXT NOT NULL,
    closed_at TEXT,
    -- How its pairs were chosen. '' = all of them, as in the one that import opens: then the columns
    -- below say nothing. An empty list is no restriction.
    way TEXT NOT NULL DEFAULT '',
    attributes TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(attributes)),
    systems TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(systems)),
    against TEXT NOT NULL DEFAULT '',  -- the system that is in each pair
    pairs TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(pairs)),  -- of systems
    subset TEXT NOT NULL DEFAULT '',
    samples INTEGER NOT NULL DEFAULT 1,
    budget INTEGER,  -- for each attribute, those of several samples counted once; NULL = all
    seed INTEGER NOT NULL DEFAULT 0,
    separability TEXT NOT NULL DEFAULT '',  -- the metric
    encoder TEXT NOT NULL DEFAULT '',
    draw TEXT NOT NULL DEFAULT '',
    low REAL,
    high REAL,
    judge TEXT NOT NULL DEFAULT '',  -- whose probability is at most `gap` from one half
    gap REAL,
    judges TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(judges)),  -- names or kinds
    origin TEXT NOT NULL DEFAULT '',  -- the data set's name in draws, before it was renamed
    item_set TEXT NOT NULL DEFAULT '',  -- the name of the set whose items it asks about
    -- what judges are trusted with, and the pairs with votes that they were not trusted with
    accept_error REAL NOT NULL DEFAULT 0.1,
    certainty REAL NOT NULL DEFAULT 0.95,
    signal TEXT NOT NULL DEFAULT 'probability',
    settled TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(settled)),  -- of texts
    trusted TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(trusted)),
    UNIQUE (dataset, name)
) STRICT;

-- What was filled in for a new campaign that is not opened yet: the last draft of each owner.
CREATE TABLE campaign_drafts (
    dataset TEXT NOT NULL REFERENCES datasets (name),
    owner TEXT NOT NULL,  -- a person's name; '' = whoever comes in without a link or a sign-in
    draft TEXT NOT NULL CHECK (json_valid(draft)),
    saved_at TEXT NOT NULL,
    PRIMARY KEY (dataset, owner)
) STRICT;

-- One attribute that a campaign asks about. Its numbers and those of runs are no two alike: `runs`
-- lists both.
CREATE TABLE campaign_attributes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    campaign INTEGER NOT NULL REFERENCES campaigns (id),
    attribute INTEGER NOT NULL REFERENCES attributes (id),
    strategy TEXT NOT NULL,
    budget INTEGER,  -- of pairs; NULL = all
    overlap INTEGER NOT NULL DEFAULT 1,  -- votes that a pair wants
    ordering TEXT NOT NULL DEFAULT 'random',
    seed INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    UNIQUE (campaign, attribute)
) STRICT;

-- One pair of texts that a campaign asks about. Which is shown first is drawn when it is shown.
CREATE TABLE campaign_pairs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    campaign_attribute INTEGER NOT NULL REFERENCES campaign_attributes (id),
    generation_1 INTEGER NOT NULL REFERENCES generations (id),
    generation_2 INTEGER NOT NULL REFERENCES generations (id),
    priority INTEGER NOT NULL,
    probability REAL NOT NULL DEFAULT 1,  -- of inclusion in the campaign
    votes INTEGER NOT NULL DEFAULT 0,  -- those that count; triggers keep it
    -- The two systems, where a campaign asks most where it is least certain; else 0.
    stratum INTEGER NOT NULL DEFAULT 0,
    -- Pairs of one bundle go to one person: the sampled texts of two systems on an item.
    bundle INTEGER NOT NULL DEFAULT 0,
    UNIQUE (campaign_attribute, generation_1, generation_2),
    CHECK (generation_1 < generation_2)
) STRICT;

CREATE INDEX campaign_pairs_next ON campaign_pairs (campaign_attribute, votes, priority, id);
CREATE INDEX campaign_pairs_bundle ON campaign_pairs (campaign_attribute, bundle) WHERE bundle > 0;
CREATE INDEX campaign_pairs_stratum
    ON campaign_pairs (campaign_attribute, stratum, votes, priority, id) WHERE stratum > 0;

-- A run asks one judge, writes texts or measures them.
CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dataset TEXT NOT NULL REFERENCES datasets (name),
    task TEXT NOT NULL CHECK (task IN ('compare', 'score', 'generate', 'measure', 'attack')),
    judge INTEGER REFERENCES judges (id),
    strategy TEXT NOT NULL,
    budget INTEGER,
    seed INTEGER NOT NULL DEFAULT 0,
    trial INTEGER NOT NULL DEFAULT 0,
    -- what is asked: what a run is known by
    settings TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(settings)),
    -- how: limits, prices
    execution TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(execution)),
    versions TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(versions)),
    status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'cancelled', 'failed', 'done')),
    error TEXT NOT NULL DEFAULT '',
    heartbeat TEXT,
    per_second REAL NOT NULL DEFAULT 0,  -- the pace of late, for the time left
    created_at TEXT NOT NULL,
    started_at TEXT,
    finished_at TEXT,
    system TEXT,  -- whose texts it writes
    drawn TEXT,  -- the digest of the draw of items that it asks about
    expected INTEGER NOT NULL DEFAULT 0,  -- what it comes to, if it is planned in portions
    served INTEGER NOT NULL DEFAULT 0  -- whether a server writes the texts that it asks for
        CHECK (served IN (0, 1)),
    CHECK ((judge IS NOT NULL) = (task IN ('compare', 'score', 'attack')))
) STRICT;

-- One comparison of a run.
CREATE TABLE run_comparisons (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run INTEGER NOT NULL REFERENCES runs (id),
    comparison INTEGER NOT NULL REFERENCES comparisons (id),
    priority INTEGER NOT NULL,
    probability REAL NOT NULL DEFAULT 1,  -- of inclusion in the run
    asked INTEGER NOT NULL DEFAULT 0  -- whether its judge was, in whichever run; triggers keep it
        CHECK (asked IN (0, 1)),
    UNIQUE (comparison, run)
) STRICT;

CREATE INDEX run_comparisons_next ON run_comparisons (run, asked, priority, id);

-- How many pairs of a campaign's attribute have so many votes: no question waits for a count.
CREATE TABLE vote_counts (
    campaign_attribute INTEGER NOT NULL REFERENCES campaign_attributes (id),
    votes INTEGER NOT NULL,
    pairs INTEGER NOT NULL,
    PRIMARY KEY (campaign_attribute, votes)
) STRICT, WITHOUT ROWID;

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

-- Somebody has a pair on screen, or was promised it. Several people may be at a pair that
-- wants several votes.
CREATE TABLE leases (
    pair INTEGER NOT NULL REFERENCES campaign_pairs (id),
    judge INTEGER NOT NULL REFERENCES judges (id),
    leased_at TEXT NOT NULL,
    PRIMARY KEY (pair, judge)
) STRICT, WITHOUT ROWID;

CREATE INDEX leases_judge ON leases (judge, leased_at);

-- What one person is asked a second time, once they have answered `after` questions.
CREATE TABLE repeats (
    pair INTEGER NOT NULL REFERENCES campaign_pairs (id),
    judge INTEGER NOT NULL REFERENCES judges (id),
    after INTEGER NOT NULL,
    PRIMARY KEY (judge, pair)
) STRICT, WITHOUT ROWID;

-- The text that somebody has seen first, of a pair that comes again after an undo, or that was on
-- screen when the store got its secret of sides.
CREATE TABLE pair_screens (
    pair INTEGER NOT NULL REFERENCES campaign_pairs (id),
    judge INTEGER NOT NULL REFERENCES judges (id),
    trial INTEGER NOT NULL,
    first INTEGER NOT NULL REFERENCES generations (id),
    PRIMARY KEY (pair, judge, trial)
) STRICT, WITHOUT ROWID;

-- Pairs whose answer is known. `expected` is the better of the two generations, or a tie. An
-- attention check has one text, and shows it beside its own words in disorder.
CREATE TABLE checks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
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
) STRICT;

CREATE INDEX checks_campaign ON checks (campaign, role);

-- The text of a check that somebody has seen first, as in `pair_screens`.
CREATE TABLE check_screens (
    "check" INTEGER NOT NULL REFERENCES checks (id),
    judge INTEGER NOT NULL REFERENCES judges (id),
    first TEXT NOT NULL CHECK (first IN ('1', '2')),
    PRIMARY KEY (judge, "check")
) STRICT, WITHOUT ROWID;

-- One time that a run was taken up. Each answer says in which.
CREATE TABLE executions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run INTEGER NOT NULL REFERENCES runs (id),
    device TEXT NOT NULL,
    dtype TEXT NOT NULL,
    versions TEXT NOT NULL,
    began_at TEXT NOT NULL
) STRICT;

CREATE INDEX executions_run ON executions (run);

-- A file of requests that was handed over, and waits for its answers.
CREATE TABLE batches (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run INTEGER NOT NULL REFERENCES runs (id),
    name TEXT NOT NULL DEFAULT '',  -- as the server calls it; '' = only written
    file TEXT NOT NULL DEFAULT '',
    submitted_at TEXT NOT NULL,
    ended_at TEXT
) STRICT;

CREATE INDEX batches_open ON batches (run) WHERE ended_at IS NULL;

-- The comparisons in a batch.
CREATE TABLE batched (
    batch INTEGER NOT NULL REFERENCES batches (id),
    comparison INTEGER NOT NULL REFERENCES comparisons (id),
    PRIMARY KEY (batch, comparison)
) STRICT, WITHOUT ROWID;

CREATE INDEX batched_comparison ON batched (comparison);

-- Votes that came back of a comparison that lacks others, as they were sent.
CREATE TABLE batch_votes (
    run INTEGER NOT NULL REFERENCES runs (id),
    comparison INTEGER NOT NULL REFERENCES comparisons (id),
    request TEXT NOT NULL,  -- its name in the file of requests
    result TEXT NOT NULL,
    PRIMARY KEY (run, request)
) STRICT;
