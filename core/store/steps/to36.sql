-- Schema 36. What was typed for a new campaign was lost when its page was reloaded.

CREATE TABLE campaign_drafts (
    dataset TEXT NOT NULL REFERENCES datasets (name),
    owner TEXT NOT NULL,  -- a person's name; '' = whoever comes in without a link or a sign-in
    draft TEXT NOT NULL CHECK (json_valid(draft)),
    saved_at TEXT NOT NULL,
    PRIMARY KEY (dataset, owner)
) STRICT;
