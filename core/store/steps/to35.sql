-- Schema 35. In which format somebody read a check; of earlier answers that is not known.

ALTER TABLE check_answers ADD COLUMN text_format TEXT
    CHECK (text_format IN ('plain', 'markdown', 'conversation'));
