-- Schema 33. A crowd comes to a campaign by one link.

CREATE TABLE crowds (
    campaign INTEGER PRIMARY KEY REFERENCES campaigns (id),
    code TEXT NOT NULL UNIQUE,  -- what the link holds; every participant has it
    terms TEXT NOT NULL CHECK (json_valid(terms)),  -- what differs from the defaults
    opened_at TEXT NOT NULL,
    closed_at TEXT  -- since when nobody new comes in
) STRICT;

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
