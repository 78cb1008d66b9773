-- From schema 31 to 30, of a store without rows.

ALTER TABLE judgements DROP COLUMN text_format;
ALTER TABLE attributes DROP COLUMN text_format;

DROP VIEW live_judgements;
CREATE VIEW live_judgements AS SELECT * FROM judgements WHERE withdrawn_at IS NULL;
