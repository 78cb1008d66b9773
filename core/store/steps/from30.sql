-- From schema 30 to 29, of a store without rows.

CREATE TABLE judges_anew (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE CHECK (name <> ''),
    kind TEXT NOT NULL CHECK (kind IN ('human', 'llm', 'baseline', 'gold')),
    spec TEXT NOT NULL DEFAULT '',
    prompt INTEGER REFERENCES prompts (id),
    mode TEXT NOT NULL DEFAULT '',
    labels TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(labels)),
    votes INTEGER NOT NULL DEFAULT 1,
    temperature REAL NOT NULL DEFAULT 0,
    truncation INTEGER,
    base_url TEXT NOT NULL DEFAULT '',
    seed INTEGER NOT NULL DEFAULT 0,
    low INTEGER NOT NULL DEFAULT 1,
    high INTEGER NOT NULL DEFAULT 10,
    max_tokens INTEGER,
    system_prompt TEXT NOT NULL DEFAULT '',
    stop TEXT NOT NULL DEFAULT '[]',
    extra_body TEXT NOT NULL DEFAULT '',
    lenient INTEGER NOT NULL DEFAULT 0,
    provider TEXT NOT NULL DEFAULT '',
    served INTEGER NOT NULL DEFAULT 0
        CHECK (served IN (0, 1))
) STRICT;
INSERT INTO judges_anew
    SELECT id, name, kind, spec, prompt, mode, labels, votes, temperature, truncation,
        base_url, seed, low, high, max_tokens, system_prompt, stop, extra_body, lenient, provider, served
    FROM judges;

-- No number is given out again.
DELETE FROM sqlite_sequence WHERE name = 'judges_anew';
INSERT INTO sqlite_sequence (name, seq)
    SELECT 'judges_anew', coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'judges'), 0);
DROP TABLE judges;
ALTER TABLE judges_anew RENAME TO judges;
