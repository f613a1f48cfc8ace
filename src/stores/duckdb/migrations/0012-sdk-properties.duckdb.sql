-- Properties of persons whose names begin with `$`, and those with `$initial_`, apart from the others:
-- a filter reads one of the three. Null where `properties` has all of them.
ALTER TABLE persons ADD COLUMN sdk_properties JSON;
ALTER TABLE persons ADD COLUMN initial_properties JSON;
