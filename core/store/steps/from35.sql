-- From schema 35 to 34, of a store without rows.

ALTER TABLE check_answers DROP COLUMN text_format;
