-- From schema 33 to 32, of a store without rows.

DROP TRIGGER questionnaire_answers_are_final;
DROP TRIGGER questionnaire_answers_stay;
DROP TABLE questionnaire_answers;
DROP TABLE participants;
DROP TABLE crowds;
