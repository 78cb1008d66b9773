-- From schema 37 to 36, of a store without rows.

DROP TRIGGER judgement_added;
DROP TRIGGER judgement_removed;
DROP TRIGGER score_added;
DROP TRIGGER score_removed;
ALTER TABLE attributes DROP COLUMN changes;
ALTER TABLE attributes DROP COLUMN changed_at;
