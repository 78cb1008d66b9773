-- Who judges and who may come in: judges and their prompts, people and their links, what was
-- decided about them, and what is known of the store as a whole.

-- One version of a template. It is immutable: an edit is the next version.
CREATE TABLE prompts (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    template TEXT NOT NULL,
    form TEXT NOT NULL DEFAULT '',  -- how its verdict is stated; '' = as its words ask for
    labels TEXT NOT NULL DEFAULT '[]',
    UNIQUE (name, version)
) STRICT;

-- A person, one that is simulated, an LLM, baseline or gold standard. Whatever can change an answer makes another judge.
CREATE TABLE judges (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE CHECK (name <> ''),
    kind TEXT NOT NULL CHECK (kind IN ('human', 'simulated', 'llm', 'baseline', 'gold')),
    spec TEXT NOT NULL DEFAULT '',
    prompt INTEGER REFERENCES prompts (id),
    mode TEXT NOT NULL DEFAULT '',
    labels TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(labels)),
    votes INTEGER NOT NULL DEFAULT 1,
    temperature REAL NOT NULL DEFAULT 0,
    truncation INTEGER,
    base_url TEXT NOT NULL DEFAULT '',  -- '' = on this machine, or where its spec alone says
    seed INTEGER NOT NULL DEFAULT 0,  -- of what is random about its answers
    low INTEGER NOT NULL DEFAULT 1,  -- the scale of its marks, from
    high INTEGER NOT NULL DEFAULT 10,  -- to
    max_tokens INTEGER,
    system_prompt TEXT NOT NULL DEFAULT '',
    stop TEXT NOT NULL DEFAULT '[]',
    extra_body TEXT NOT NULL DEFAULT '',
    lenient INTEGER NOT NULL DEFAULT 0,
    provider TEXT NOT NULL DEFAULT '',  -- '' = the one whose address it has
    served INTEGER NOT NULL DEFAULT 0  -- whether a server answers, not a model on this machine
        CHECK (served IN (0, 1))
) STRICT;

-- Somebody who may come in, or has annotated.
CREATE TABLE people (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE CHECK (name <> ''),
    email TEXT NOT NULL DEFAULT '',
    role TEXT NOT NULL CHECK (role IN ('annotator', 'researcher', 'owner')),
    judge INTEGER REFERENCES judges (id),  -- once they have annotated
    created_at TEXT NOT NULL,
    seen_at TEXT,  -- when they last opened a page, to within some minutes
    left_at TEXT  -- since when they may do nothing any more
) STRICT;

CREATE UNIQUE INDEX people_email ON people (lower(email)) WHERE email <> '';
CREATE INDEX people_judge ON people (judge) WHERE judge IS NOT NULL;

-- A personal link. Of its code only the hash is kept.
CREATE TABLE invitations (
    id INTEGER PRIMARY KEY,
    person INTEGER NOT NULL REFERENCES people (id),
    campaign INTEGER REFERENCES campaigns (id),  -- NULL = any
    code_hash TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    expires_at TEXT,
    revoked_at TEXT,
    used_at TEXT  -- for the first time
) STRICT;

CREATE INDEX invitations_person ON invitations (person);

-- Who agreed to which text. Another text is asked for anew, and what was agreed to stays.
CREATE TABLE consents (
    campaign INTEGER NOT NULL REFERENCES campaigns (id),
    judge INTEGER NOT NULL REFERENCES judges (id),
    text TEXT NOT NULL,  -- what they agreed to
    created_at TEXT NOT NULL,
    PRIMARY KEY (campaign, judge, text)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER consents_are_final BEFORE UPDATE ON consents BEGIN
    SELECT raise(ABORT, 'consents are append-only');
END;

CREATE TRIGGER consents_stay BEFORE DELETE ON consents BEGIN
    SELECT raise(ABORT, 'consents are append-only');
END;

-- What was promised of a campaign before its votes were looked at; the last one holds.
CREATE TABLE promises (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    campaign INTEGER NOT NULL REFERENCES campaigns (id),
    votes INTEGER NOT NULL CHECK (votes > 0),
    stopping TEXT NOT NULL CHECK (stopping IN ('number', 'settled')),
    attributes TEXT NOT NULL CHECK (json_valid(attributes)),
    epsilon REAL,  -- what an annotator costs more than a judge; NULL = nothing said
    judges TEXT NOT NULL CHECK (json_valid(judges)),
    reason TEXT NOT NULL,  -- why it changes an earlier one
    votes_before INTEGER NOT NULL,  -- answers that there were, withdrawn ones too
    created_at TEXT NOT NULL
) STRICT;

CREATE TRIGGER promises_are_final BEFORE UPDATE ON promises BEGIN
    SELECT raise(ABORT, 'promises are append-only');
END;

CREATE TRIGGER promises_stay BEFORE DELETE ON promises BEGIN
    SELECT raise(ABORT, 'promises are append-only');
END;

-- One link by which the participants of a panel, such as Prolific's, come to a campaign.
CREATE TABLE crowds (
    campaign INTEGER PRIMARY KEY REFERENCES campaigns (id),
    code TEXT NOT NULL UNIQUE,  -- what the link holds; every participant has it
    terms TEXT NOT NULL CHECK (json_valid(terms)),  -- what differs from the defaults
    opened_at TEXT NOT NULL,
    closed_at TEXT  -- since when nobody new comes in
) STRICT;

-- Somebody who came by such a link. Their votes are those of the person.
CREATE TABLE participants (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    campaign INTEGER NOT NULL REFERENCES crowds (campaign),
    person INTEGER NOT NULL REFERENCES people (id),
    key TEXT NOT NULL,  -- the salted hash of their id
    identity TEXT NOT NULL,  -- their id, '' where only the hash is kept
    parameters TEXT NOT NULL CHECK (json_valid(parameters)),  -- what else the address said
    began_at TEXT NOT NULL,
    seen_at TEXT NOT NULL,  -- when they were last here, to within a minute
    ended_at TEXT,
    ending TEXT NOT NULL DEFAULT '' CHECK (ending IN ('', 'finished', 'failed', 'full')),
    code TEXT NOT NULL DEFAULT '',  -- what they were given at the end
    UNIQUE (campaign, key)
) STRICT;

CREATE INDEX participants_key ON participants (key);
CREATE INDEX participants_person ON participants (person);

-- What a participant answered before the first pair, or after the last.
CREATE TABLE questionnaire_answers (
    participant INTEGER NOT NULL REFERENCES participants (id),
    part TEXT NOT NULL CHECK (part IN ('before', 'after')),
    question TEXT NOT NULL,
    answer TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (participant, part, question)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER questionnaire_answers_are_final BEFORE UPDATE ON questionnaire_answers BEGIN
    SELECT raise(ABORT, 'questionnaire answers are append-only');
END;

CREATE TRIGGER questionnaire_answers_stay BEFORE DELETE ON questionnaire_answers BEGIN
    SELECT raise(ABORT, 'questionnaire answers are append-only');
END;

-- What the annotators of a campaign are told.
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    campaign INTEGER NOT NULL REFERENCES campaigns (id),
    judge INTEGER REFERENCES judges (id),  -- NULL = to all
    text TEXT NOT NULL,
    sent_by TEXT NOT NULL,
    created_at TEXT NOT NULL,
    withdrawn_at TEXT
) STRICT;

-- Whose votes the statistics of a data set leave out. It is lifted, not deleted.
CREATE TABLE exclusions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dataset TEXT NOT NULL REFERENCES datasets (name),
    judge INTEGER NOT NULL REFERENCES judges (id),
    reason TEXT NOT NULL,
    excluded_by TEXT NOT NULL,
    created_at TEXT NOT NULL,
    lifted_by TEXT NOT NULL DEFAULT '',
    lifted_at TEXT
) STRICT;

CREATE UNIQUE INDEX exclusions_live ON exclusions (dataset, judge) WHERE lifted_at IS NULL;

-- One decision about people, access or data, or one export: who, what, when, about what.
CREATE TABLE audit (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    who TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    details TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(details))
) STRICT;

CREATE TRIGGER audit_UPDATE BEFORE UPDATE ON audit BEGIN
    SELECT raise(ABORT, 'the audit log is append-only');
END;

CREATE TRIGGER audit_DELETE BEFORE DELETE ON audit BEGIN
    SELECT raise(ABORT, 'the audit log is append-only');
END;

-- What was decided about the whole store, such as who may come in.
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

-- `screen` seals row ids before a browser gets them, as people judge who must not know who wrote a
-- text. `sides` decides which text stands left. `store` is the identity of the store: its backups
-- have it, those of other stores do not.
CREATE TABLE secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;

INSERT INTO secrets (name, value) VALUES
    ('screen', randomblob(32)),
    ('sides', randomblob(32));
