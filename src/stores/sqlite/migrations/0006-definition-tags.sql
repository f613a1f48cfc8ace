-- Tags of events and properties, a JSON list of texts, and whether they are marked as sent correctly: 0 or 1.
ALTER TABLE definition_note ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
ALTER TABLE definition_note ADD COLUMN verified INTEGER NOT NULL DEFAULT 0;
