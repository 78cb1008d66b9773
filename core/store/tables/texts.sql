-- What is compared: data sets, their items, the systems, their texts, and the attributes.
--
-- AUTOINCREMENT, here and elsewhere: rows of these tables go with their data set, and the number of
-- a row that is gone is given to no other. What is on a screen is about these texts or about none.

-- A collection with its own nouns ("article", "summary").
CREATE TABLE datasets (
    name TEXT PRIMARY KEY CHECK (name <> ''),
    source TEXT NOT NULL DEFAULT '',
    licence TEXT NOT NULL DEFAULT '',
    files TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(files)),  -- file name -> sha256
    context_noun TEXT NOT NULL DEFAULT 'context',
    candidate_noun TEXT NOT NULL DEFAULT 'text',
    instructions TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL,
    uid TEXT NOT NULL DEFAULT '',  -- its identity: no other name and no row number gives it away
    items_are TEXT NOT NULL DEFAULT ''  -- what tells its items apart; '' = not said yet
        CHECK (items_are IN ('', 'names', 'contexts'))
) STRICT;

CREATE UNIQUE INDEX datasets_uid ON datasets (uid);

-- The identity is random, new at each creation, and stays under another name.
CREATE TRIGGER datasets_identified AFTER INSERT ON datasets WHEN NEW.uid = '' BEGIN
    UPDATE datasets SET uid = lower(hex(randomblob(16))) WHERE name = NEW.name;
END;

CREATE TRIGGER datasets_keep_identity BEFORE UPDATE OF uid ON datasets WHEN OLD.uid <> '' BEGIN
    SELECT raise(ABORT, 'the identity of a data set never changes');
END;

-- The sample study is for a store that never had a data set.
CREATE TRIGGER datasets_had AFTER DELETE ON datasets BEGIN
    INSERT OR REPLACE INTO settings (name, value) VALUES ('had a data set', 'yes');
END;

-- One test instance.
CREATE TABLE items (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dataset TEXT NOT NULL REFERENCES datasets (name),
    key TEXT NOT NULL,
    context TEXT NOT NULL DEFAULT '',
    "references" TEXT NOT NULL DEFAULT '[]' CHECK (json_valid("references")),
    subset TEXT NOT NULL DEFAULT '',  -- its task, language or split
    -- What it repeats in other items, such as a prompt, a document or a template; '' = not said.
    family TEXT NOT NULL DEFAULT '',
    wording INTEGER NOT NULL DEFAULT 0,  -- a hash of its context's words; 0 = no words
    UNIQUE (dataset, key)
) STRICT;
CREATE INDEX items_family ON items (dataset, family, wording);

-- One model under one decoding setting: this is what is ranked.
CREATE TABLE systems (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dataset TEXT NOT NULL REFERENCES datasets (name),
    name TEXT NOT NULL,
    base TEXT NOT NULL DEFAULT '',
    decoding TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(decoding)),
    temperature REAL,  -- NULL = not known
    UNIQUE (dataset, name)
) STRICT;

-- One sampled text of a system on an item, or why it did not come; then it can be asked for again.
CREATE TABLE generations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    item INTEGER NOT NULL REFERENCES items (id),
    system INTEGER NOT NULL REFERENCES systems (id),
    sample INTEGER NOT NULL DEFAULT 0,
    text TEXT,  -- NULL = not available, '' = really empty
    run INTEGER REFERENCES runs (id),  -- that wrote it; NULL = imported
    failure TEXT NOT NULL DEFAULT '' CHECK (failure = '' OR text IS NULL),
    raw TEXT NOT NULL DEFAULT '',
    tokens INTEGER NOT NULL DEFAULT 0,  -- read and written
    completion_tokens INTEGER NOT NULL DEFAULT 0,  -- written alone
    prompt_tokens_read INTEGER NOT NULL DEFAULT 0,  -- as in `judgements`
    seconds REAL,
    waited REAL,
    execution INTEGER REFERENCES executions (id),
    -- Characters, as a file says of a text that it has not; NULL = not said.
    length INTEGER CHECK (length >= 0),
    UNIQUE (item, system, sample)
) STRICT;

CREATE INDEX generations_system ON generations (system, sample);

-- One question, asked of people and LLMs in the same words.
CREATE TABLE attributes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dataset TEXT NOT NULL REFERENCES datasets (name),
    name TEXT NOT NULL,
    adjective TEXT NOT NULL DEFAULT '',
    question TEXT NOT NULL DEFAULT '',
    guideline TEXT NOT NULL DEFAULT '',
    lower_is_better INTEGER NOT NULL DEFAULT 0  -- of its marks
        CHECK (lower_is_better IN (0, 1)),
    text_format TEXT NOT NULL DEFAULT 'plain'  -- how people see its texts
        CHECK (text_format IN ('plain', 'markdown', 'conversation')),
    changes INTEGER NOT NULL DEFAULT 0,  -- of its answers and scores since schema 37
    changed_at TEXT NOT NULL DEFAULT '',  -- the latest of them
    UNIQUE (dataset, name)
) STRICT;

-- How alike two texts are by one metric.
CREATE TABLE similarities (
    metric TEXT NOT NULL,
    generation_1 INTEGER NOT NULL REFERENCES generations (id),
    generation_2 INTEGER NOT NULL REFERENCES generations (id),
    value REAL NOT NULL,
    PRIMARY KEY (metric, generation_1, generation_2),
    CHECK (generation_1 < generation_2)
) STRICT, WITHOUT ROWID;
