-- Finds whom a person was merged into, also where the person was never stored (decision 50).
CREATE INDEX activity_merged ON activity (project_id, json_extract(detail, '$.merge.source'))
  WHERE activity = 'people_merged_into';
