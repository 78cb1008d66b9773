-- Schema 34. Items that were found are named, for filters and campaigns.

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

CREATE TABLE item_set_members (
    item_set INTEGER NOT NULL REFERENCES item_sets (id),
    item INTEGER NOT NULL REFERENCES items (id),
    PRIMARY KEY (item_set, item)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER item_sets_are_final BEFORE UPDATE OF name, search, by_answers ON item_sets BEGIN
    SELECT raise(ABORT, 'item sets never change: save another under another name');
END;

ALTER TABLE campaigns ADD COLUMN item_set TEXT NOT NULL DEFAULT '';
