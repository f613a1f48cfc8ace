-- What a user has not set is empty: contract 2.4 knows no null (decision 46).
UPDATE user SET hedgehog_config = coalesce(hedgehog_config, '{}'),
  role_at_organization = coalesce(role_at_organization, '');
