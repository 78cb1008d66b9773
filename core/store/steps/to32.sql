-- Schema 32. Files that say how long their texts are, without the texts, were read without that.

ALTER TABLE generations ADD COLUMN length INTEGER CHECK (length >= 0);
