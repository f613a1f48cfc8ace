-- All properties of an event that is large; `properties` has those that queries see (decision 95).
ALTER TABLE events ADD COLUMN whole_properties JSON USING COMPRESSION zstd;
