-- Columns for properties that are often asked about (decision 87): which, is in the table promoted.
ALTER TABLE events ADD COLUMN promoted_1 VARCHAR;
ALTER TABLE events ADD COLUMN promoted_2 VARCHAR;
ALTER TABLE events ADD COLUMN promoted_3 VARCHAR;
ALTER TABLE events ADD COLUMN promoted_4 VARCHAR;
ALTER TABLE events ADD COLUMN promoted_5 VARCHAR;
ALTER TABLE events ADD COLUMN promoted_6 VARCHAR;
ALTER TABLE events ADD COLUMN promoted_7 VARCHAR;
ALTER TABLE events ADD COLUMN promoted_8 VARCHAR;

-- The column promoted_<slot> has the text of the property key of events that came since; of those
-- before, up to the rowid rows_end, it is put in by and by: up to filled. It may be read once
-- whole_seq, the events that there were then, is not null.
CREATE TABLE promoted (
  slot INTEGER NOT NULL,
  key VARCHAR NOT NULL,
  rows_end BIGINT NOT NULL,
  filled BIGINT NOT NULL,
  whole_seq BIGINT
);

-- How often properties of events were asked about, and how long those queries took in all.
CREATE TABLE property_use (
  key VARCHAR NOT NULL,
  day DATE NOT NULL,
  queries INTEGER NOT NULL,
  seconds DOUBLE NOT NULL
);
