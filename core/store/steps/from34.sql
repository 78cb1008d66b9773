-- From schema 34 to 33, of a store without rows.

ALTER TABLE campaigns DROP COLUMN item_set;
DROP TRIGGER item_sets_are_final;
DROP TABLE item_set_members;
DROP TABLE item_sets;
