-- Schema 39. A campaign of the rest keeps the pairs that judges were trusted with.

ALTER TABLE campaigns RENAME COLUMN confidence TO certainty;
ALTER TABLE campaigns ADD COLUMN trusted TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(trusted));
