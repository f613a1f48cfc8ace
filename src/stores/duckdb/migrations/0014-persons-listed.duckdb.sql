-- The place of a person in the list (decision 56); null where it is `created_at`.
ALTER TABLE persons ADD COLUMN listed_at TIMESTAMP;
