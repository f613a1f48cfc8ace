-- Tags of insights and dashboards: JSON lists of texts.
ALTER TABLE insight ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
ALTER TABLE dashboard ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
