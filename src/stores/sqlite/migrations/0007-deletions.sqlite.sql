-- When it was last begun, and the generation of the event store's file in which `counts` are gone.
ALTER TABLE deletion_task ADD COLUMN started_at TEXT;
ALTER TABLE deletion_task ADD COLUMN generation INTEGER;

CREATE INDEX deletion_task_state ON deletion_task (state);
