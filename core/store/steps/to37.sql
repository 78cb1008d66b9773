-- Schema 37. A vote in one data set threw away what was computed of all others.

ALTER TABLE attributes ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE attributes ADD COLUMN changed_at TEXT NOT NULL DEFAULT '';

CREATE TRIGGER judgement_added AFTER INSERT ON judgements BEGIN
    UPDATE attributes SET changes = changes + 1, changed_at = NEW.created_at
        WHERE id = (SELECT attribute FROM comparisons WHERE id = NEW.comparison);
END;

CREATE TRIGGER judgement_removed AFTER UPDATE OF withdrawn_at ON judgements
WHEN OLD.withdrawn_at IS NULL AND NEW.withdrawn_at IS NOT NULL BEGIN
    UPDATE attributes SET changes = changes + 1, changed_at = NEW.withdrawn_at
        WHERE id = (SELECT attribute FROM comparisons WHERE id = NEW.comparison);
END;

CREATE TRIGGER score_added AFTER INSERT ON scores BEGIN
    UPDATE attributes SET changes = changes + 1, changed_at = NEW.created_at
        WHERE id = NEW.attribute;
END;

CREATE TRIGGER score_removed AFTER UPDATE OF withdrawn_at ON scores
WHEN OLD.withdrawn_at IS NULL AND NEW.withdrawn_at IS NOT NULL BEGIN
    UPDATE attributes SET changes = changes + 1, changed_at = NEW.withdrawn_at
        WHERE id = NEW.attribute;
END;
