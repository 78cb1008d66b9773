-- From schema 36 to 35, of a store without rows.

DROP TABLE campaign_drafts;
