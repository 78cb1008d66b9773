-- Schema 28. Items may repeat a prompt, a document or a template of other items.

ALTER TABLE items ADD COLUMN family TEXT NOT NULL DEFAULT '';
ALTER TABLE items ADD COLUMN wording INTEGER NOT NULL DEFAULT 0;
UPDATE items SET wording = hash_wording(context) WHERE context <> '';
CREATE INDEX items_family ON items (dataset, family, wording);
