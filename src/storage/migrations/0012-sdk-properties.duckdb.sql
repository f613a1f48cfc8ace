-- Properties of persons whose names begin with `$`, apart from the others: three quarters of the
-- bytes, of which filters by what users set read nothing. Null where `properties` has all of them.
ALTER TABLE persons ADD COLUMN sdk_properties JSON;
