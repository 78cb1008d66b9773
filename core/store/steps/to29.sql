-- Schema 29. What a study promises before its first look.

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
