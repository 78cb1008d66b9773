-- Schema 25. Whether a server answers was read off a SPEC, or off the settings of a run that writes texts.

ALTER TABLE judges ADD COLUMN served INTEGER NOT NULL DEFAULT 0
    CHECK (served IN (0, 1));
UPDATE judges SET served = 1 WHERE spec GLOB 'openai:*';
ALTER TABLE plans ADD COLUMN served INTEGER NOT NULL DEFAULT 0
    CHECK (served IN (0, 1));
UPDATE plans SET served = 1
    WHERE task = 'generate' AND json_extract(settings, '$.model') GLOB 'openai:*';
DROP TABLE IF EXISTS _sqlite_migrations;
