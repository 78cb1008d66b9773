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
    UNIQUE (dataset, name)
) STRICT;

-- One attribute of a campaign, which asks people; or a run, which asks one judge, writes texts or
-- measures them.
CREATE TABLE plans (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dataset TEXT NOT NULL REFERENCES datasets (name),
    kind TEXT NOT NULL CHECK (kind IN ('campaign', 'run')),
    task TEXT NOT NULL DEFAULT 'compare'
        CHECK (task IN ('compare', 'score', 'generate', 'measure', 'attack')),
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
    status TEXT NOT NULL
        CHECK (status IN ('open', 'queued', 'running', 'cancelled', 'failed', 'done')),
    error TEXT NOT NULL DEFAULT '',
    heartbeat TEXT,
    per_second REAL NOT NULL DEFAULT 0,  -- the pace of late, for the time left
    created_at TEXT NOT NULL,
    started_at TEXT,
    finished_at TEXT,
    system TEXT,  -- whose texts a run writes
    drawn TEXT,  -- the digest of the draw of items that a run asks about
    expected INTEGER NOT NULL DEFAULT 0,  -- what a run comes to that is planned in portions
    campaign INTEGER REFERENCES campaigns (id),
    served INTEGER NOT NULL DEFAULT 0  -- whether a server writes the texts that a run asks for
        CHECK (served IN (0, 1)),
    CHECK ((judge IS NOT NULL) = (kind = 'run' AND task IN ('compare', 'score', 'attack')))
) STRICT;

CREATE INDEX plans_campaign ON plans (campaign) WHERE campaign IS NOT NULL;

-- One pair of a campaign's plan, or one comparison of a run.
CREATE TABLE planned (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    plan INTEGER NOT NULL REFERENCES plans (id),
    generation_1 INTEGER NOT NULL REFERENCES generations (id),
    generation_2 INTEGER NOT NULL REFERENCES generations (id),
    -- NULL in a campaign: sides are drawn when shown
    comparison INTEGER REFERENCES comparisons (id),
    priority INTEGER NOT NULL,
    probability REAL NOT NULL DEFAULT 1,  -- of inclusion in the plan
    -- In a campaign the votes that count; in a run whether its judge was asked. Triggers keep it.
    votes INTEGER NOT NULL DEFAULT 0,
    -- The two systems, where a campaign asks most where it is least certain; else 0.
    stratum INTEGER NOT NULL DEFAULT 0,
    -- Pairs of one bundle go to one person: the sampled texts of two systems on an item.
    bundle INTEGER NOT NULL DEFAULT 0,
    CHECK (generation_1 < generation_2)
) STRICT;

CREATE UNIQUE INDEX planned_pairs
    ON planned (plan, generation_1, generation_2, coalesce(comparison, 0));
CREATE INDEX planned_next ON planned (plan, votes, priority, id);
CREATE INDEX planned_comparison ON planned (comparison) WHERE comparison IS NOT NULL;
CREATE INDEX planned_bundle ON planned (plan, bundle) WHERE bundle > 0;
CREATE INDEX planned_stratum ON planned (plan, stratum, votes, priority, id) WHERE stratum > 0;

-- How many pairs of a campaign's plan have so many votes: no question waits for a count.
CREATE TABLE vote_counts (
    plan INTEGER NOT NULL REFERENCES plans (id),
    votes INTEGER NOT NULL,
    pairs INTEGER NOT NULL,
    PRIMARY KEY (plan, votes)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER planned_added AFTER INSERT ON planned WHEN NEW.comparison IS NULL BEGIN
    INSERT INTO vote_counts (plan, votes, pairs) VALUES (NEW.plan, NEW.votes, 1)
        ON CONFLICT (plan, votes) DO UPDATE SET pairs = pairs + 1;
END;

CREATE TRIGGER planned_counted AFTER UPDATE OF votes ON planned
WHEN NEW.comparison IS NULL AND NEW.votes <> OLD.votes BEGIN
    UPDATE vote_counts SET pairs = pairs - 1 WHERE plan = OLD.plan AND votes = OLD.votes;
    INSERT INTO vote_counts (plan, votes, pairs) VALUES (NEW.plan, NEW.votes, 1)
        ON CONFLICT (plan, votes) DO UPDATE SET pairs = pairs + 1;
END;

CREATE TRIGGER planned_removed AFTER DELETE ON planned WHEN OLD.comparison IS NULL BEGIN
    UPDATE vote_counts SET pairs = pairs - 1 WHERE plan = OLD.plan AND votes = OLD.votes;
END;

-- Somebody has a planned pair on screen, or was promised it. Several people may be at a pair that
-- wants several votes.
CREATE TABLE leases (
    planned INTEGER NOT NULL REFERENCES planned (id),
    judge INTEGER NOT NULL REFERENCES judges (id),
    leased_at TEXT NOT NULL,
    PRIMARY KEY (planned, judge)
) STRICT, WITHOUT ROWID;

CREATE INDEX leases_judge ON leases (judge, leased_at);

-- What one person is asked a second time, once they have answered `after` questions.
CREATE TABLE repeats (
    planned INTEGER NOT NULL REFERENCES planned (id),
    judge INTEGER NOT NULL REFERENCES judges (id),
    after INTEGER NOT NULL,
    PRIMARY KEY (judge, planned)
) STRICT, WITHOUT ROWID;

-- The text that somebody has seen first, of a pair that comes again after an undo, or that was on
-- screen when the store got its secret of sides.
CREATE TABLE pair_screens (
    planned INTEGER NOT NULL REFERENCES planned (id),
    judge INTEGER NOT NULL REFERENCES judges (id),
    trial INTEGER NOT NULL,
    first INTEGER NOT NULL REFERENCES generations (id),
    PRIMARY KEY (planned, judge, trial)
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
    plan INTEGER NOT NULL REFERENCES plans (id),
    device TEXT NOT NULL,
    dtype TEXT NOT NULL,
    versions TEXT NOT NULL,
    began_at TEXT NOT NULL
) STRICT;

CREATE INDEX executions_by_plan ON executions (plan);

-- A file of requests that was handed over, and waits for its answers.
CREATE TABLE batches (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    plan INTEGER NOT NULL REFERENCES plans (id),
    name TEXT NOT NULL DEFAULT '',  -- as the server calls it; '' = only written
    file TEXT NOT NULL DEFAULT '',
    submitted_at TEXT NOT NULL,
    ended_at TEXT
) STRICT;

CREATE INDEX batches_open ON batches (plan) WHERE ended_at IS NULL;

-- The comparisons in a batch.
CREATE TABLE batched (
    batch INTEGER NOT NULL REFERENCES batches (id),
    comparison INTEGER NOT NULL REFERENCES comparisons (id),
    PRIMARY KEY (batch, comparison)
) STRICT, WITHOUT ROWID;

CREATE INDEX batched_comparison ON batched (comparison);

-- Votes that came back of a comparison that lacks others, as they were sent.
CREATE TABLE batch_votes (
    plan INTEGER NOT NULL REFERENCES plans (id),
    comparison INTEGER NOT NULL REFERENCES comparisons (id),
    request TEXT NOT NULL,  -- its name in the file of requests
    result TEXT NOT NULL,
    PRIMARY KEY (plan, request)
) STRICT;
