-- Schema 38. A campaign may ask about what judges are not trusted with.

ALTER TABLE campaigns ADD COLUMN accept_error REAL NOT NULL DEFAULT 0.1;
ALTER TABLE campaigns ADD COLUMN confidence REAL NOT NULL DEFAULT 0.95;
ALTER TABLE campaigns ADD COLUMN signal TEXT NOT NULL DEFAULT 'probability';
ALTER TABLE campaigns ADD COLUMN settled TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(settled));
