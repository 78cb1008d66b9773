-- Schema 31. How the texts of an attribute are shown, and were when somebody voted.

ALTER TABLE attributes ADD COLUMN text_format TEXT NOT NULL DEFAULT 'plain'
    CHECK (text_format IN ('plain', 'markdown', 'conversation'));

ALTER TABLE judgements ADD COLUMN text_format TEXT NOT NULL DEFAULT ''
    CHECK (text_format IN ('', 'plain', 'markdown', 'conversation'));

UPDATE judgements SET text_format = 'plain' WHERE campaign IS NOT NULL
    AND judge IN (SELECT id FROM judges WHERE kind = 'human');

DROP VIEW live_judgements;
CREATE VIEW live_judgements AS SELECT * FROM judgements WHERE withdrawn_at IS NULL;
