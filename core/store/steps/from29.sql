-- From schema 28 to 27, of a store without rows.

DROP TRIGGER promises_are_final;
DROP TRIGGER promises_stay;
DROP TABLE promises;
