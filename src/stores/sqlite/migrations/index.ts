import baseline from "./0001-baseline.sql" with { type: "text" };
import dashboards from "./0002-dashboards.sql" with { type: "text" };
import consoleSessions from "./0003-console-sessions.sql" with { type: "text" };
import definitions from "./0004-definitions.sql" with { type: "text" };
import tags from "./0005-tags.sql" with { type: "text" };
import definitionTags from "./0006-definition-tags.sql" with { type: "text" };

/** Schema changes in order (see `migrationsFrom`). After a release: append only. */
export const SQLITE_MIGRATIONS: readonly string[] = [
  baseline,
  dashboards,
  consoleSessions,
  definitions,
  tags,
  definitionTags,
];
