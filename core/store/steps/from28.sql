-- From schema 28 to 27, of a store without rows.

DROP INDEX items_family;
ALTER TABLE items DROP COLUMN family;
ALTER TABLE items DROP COLUMN wording;
