-- From schema 29 to 28, of a store without rows.

DROP TRIGGER promises_are_final;
DROP TRIGGER promises_stay;
DROP TABLE promises;
