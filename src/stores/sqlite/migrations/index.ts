import type { Database } from "bun:sqlite";
import initDuckdb from "../../duckdb/migrations/0001-init.duckdb.sql" with { type: "text" };
import logsDuckdb from "../../duckdb/migrations/0002-logs.duckdb.sql" with { type: "text" };
import marksDuckdb from "../../duckdb/migrations/0003-marks.duckdb.sql" with { type: "text" };
import sdkPropertiesDuckdb from "../../duckdb/migrations/0012-sdk-properties.duckdb.sql" with {
  type: "text",
};
import promotedDuckdb from "../../duckdb/migrations/0013-promoted.duckdb.sql" with { type: "text" };
import personsListedDuckdb from "../../duckdb/migrations/0014-persons-listed.duckdb.sql" with {
  type: "text",
};
import propertiesSpreadDuckdb from "../../duckdb/migrations/0015-properties-spread.duckdb.sql" with {
  type: "text",
};
import wholePropertiesDuckdb from "../../duckdb/migrations/0016-whole-properties.duckdb.sql" with {
  type: "text",
};
import personEmailsDuckdb from "../../duckdb/migrations/0017-person-emails.duckdb.sql" with {
  type: "text",
};
import leftOutDuckdb from "../../duckdb/migrations/0019-left-out.duckdb.sql" with { type: "text" };
import personOrderDuckdb from "../../duckdb/migrations/0020-person-order.duckdb.sql" with {
  type: "text",
};
import initSqlite from "./0001-init.sqlite.sql" with { type: "text" };
import warnings from "./0002-warnings.sqlite.sql" with { type: "text" };
import playlists from "./0004-playlists.sqlite.sql" with { type: "text" };
import persons from "./0005-persons.sqlite.sql" with { type: "text" };
import keys from "./0006-keys.sqlite.sql" with { type: "text" };
import deletions from "./0007-deletions.sqlite.sql" with { type: "text" };
import insights from "./0010-insights.sqlite.sql" with { type: "text" };
import personScale from "./0011-person-scale.sqlite.sql" with { type: "text" };
import personsListed from "./0014-persons-listed.sqlite.sql" with { type: "text" };
import emailLog from "./0017-email-log.sqlite.sql" with { type: "text" };
import usersWhole from "./0018-users-whole.sqlite.sql" with { type: "text" };
import personOrder from "./0020-person-order.sqlite.sql" with { type: "text" };
import { foldAddresses } from "./0021-fold-addresses.ts";
import personAddresses from "./0021-person-addresses.sqlite.sql" with { type: "text" };
import addressIndex from "./0022-address-index.sqlite.sql" with { type: "text" };
import playlistMoves from "./0023-playlist-moves.sqlite.sql" with { type: "text" };
import activityMerges from "./0024-activity-merges.sqlite.sql" with { type: "text" };

/** SQLite's schema changes in order; the schema's version is how many were applied. Append only. */
export const SQLITE_MIGRATIONS: readonly (string | ((raw: Database) => void))[] = [
  initSqlite,
  warnings,
  playlists,
  persons,
  keys,
  deletions,
  insights,
  personScale,
  personsListed,
  emailLog,
  usersWhole,
  personOrder,
  personAddresses,
  foldAddresses,
  addressIndex,
  playlistMoves,
  activityMerges,
];

/** DuckDB's schema changes in order; each leaves a row in its table `migration`. Append only. */
export const DUCKDB_MIGRATIONS: readonly string[] = [
  initDuckdb,
  logsDuckdb,
  marksDuckdb,
  sdkPropertiesDuckdb,
  promotedDuckdb,
  personsListedDuckdb,
  propertiesSpreadDuckdb,
  wholePropertiesDuckdb,
  personEmailsDuckdb,
  leftOutDuckdb,
  personOrderDuckdb,
];
