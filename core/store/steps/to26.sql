-- Schema 26. How a campaign chose its pairs was JSON, with what differed from the defaults of its time.

ALTER TABLE campaigns ADD COLUMN way TEXT NOT NULL DEFAULT '';
ALTER TABLE campaigns ADD COLUMN attributes TEXT NOT NULL DEFAULT '[]'
    CHECK (json_valid(attributes));
ALTER TABLE campaigns ADD COLUMN systems TEXT NOT NULL DEFAULT '[]'
    CHECK (json_valid(systems));
ALTER TABLE campaigns ADD COLUMN against TEXT NOT NULL DEFAULT '';
ALTER TABLE campaigns ADD COLUMN pairs TEXT NOT NULL DEFAULT '[]'
    CHECK (json_valid(pairs));
ALTER TABLE campaigns ADD COLUMN subset TEXT NOT NULL DEFAULT '';
ALTER TABLE campaigns ADD COLUMN samples INTEGER NOT NULL DEFAULT 1;
ALTER TABLE campaigns ADD COLUMN budget INTEGER;
ALTER TABLE campaigns ADD COLUMN seed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE campaigns ADD COLUMN separability TEXT NOT NULL DEFAULT '';
ALTER TABLE campaigns ADD COLUMN encoder TEXT NOT NULL DEFAULT '';
ALTER TABLE campaigns ADD COLUMN draw TEXT NOT NULL DEFAULT '';
ALTER TABLE campaigns ADD COLUMN low REAL;
ALTER TABLE campaigns ADD COLUMN high REAL;
ALTER TABLE campaigns ADD COLUMN judge TEXT NOT NULL DEFAULT '';
ALTER TABLE campaigns ADD COLUMN gap REAL;
ALTER TABLE campaigns ADD COLUMN judges TEXT NOT NULL DEFAULT '[]'
    CHECK (json_valid(judges));
ALTER TABLE campaigns ADD COLUMN origin TEXT NOT NULL DEFAULT '';
UPDATE campaigns SET
    way = coalesce(json_extract(choice, '$.way'), 'random'),
    attributes = coalesce(json_extract(choice, '$.attributes'), '[]'),
    systems = coalesce(json_extract(choice, '$.systems'), '[]'),
    against = coalesce(json_extract(choice, '$.against'), ''),
    pairs = coalesce(json_extract(choice, '$.pairs'), '[]'),
    subset = coalesce(json_extract(choice, '$.subset'), ''),
    samples = coalesce(json_extract(choice, '$.samples'), 1),
    budget = json_extract(choice, '$.budget'),
    seed = coalesce(json_extract(choice, '$.seed'), 0),
    separability = coalesce(json_extract(choice, '$.separability'), ''),
    encoder = coalesce(json_extract(choice, '$.encoder'), ''),
    draw = coalesce(json_extract(choice, '$.draw'), 'proportional'),
    low = coalesce(json_extract(choice, '$.low'), -1),
    high = coalesce(json_extract(choice, '$.high'), 1),
    judge = coalesce(json_extract(choice, '$.judge'), ''),
    gap = coalesce(json_extract(choice, '$.gap'), 0.1),
    judges = coalesce(json_extract(choice, '$.judges'), '[]'),
    origin = coalesce(json_extract(choice, '$.origin'), '')
    WHERE choice <> '{}';
ALTER TABLE campaigns DROP COLUMN choice;
