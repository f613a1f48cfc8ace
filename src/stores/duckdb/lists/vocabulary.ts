import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import type { DefinitionNoteReads } from "../../../core/ports/definitions.ts";
import type { GroupReads } from "../../../core/ports/persons/groups.ts";
import type {
  KnownValue,
  NamedProperty,
  ProjectVocabulary,
  ValueOwner,
  ValueType,
} from "../../../core/ports/vocabulary.ts";
import { isMoney } from "../../../core/questions/names/index.ts";
import { rows } from "../engine/duckdb.ts";
import { newestSeq } from "./property-values.ts";
import { NEWEST_MAX, namesAndValues } from "./vocabulary-sql.ts";

/** The sources in other stores: the types of groups, and the project's own words. */
export type VocabularySources = {
  groupTypes: GroupReads["types"];
  words: DefinitionNoteReads["words"];
};

/** Names of events: the most frequent ones. */
const EVENTS_MAX = 1000;

/** Older events that are read in all, and the most of one name. */
const OLDER_MAX = 20_000;
const OLDER_OF_NAME_MAX = 500;

type Row = Record<string, DuckDBValue>;

/** Reads the names and values that the questions of a project can mention. */
export async function vocabulary(
  connection: DuckDBConnection,
  project: number,
  { groupTypes, words }: VocabularySources,
): Promise<ProjectVocabulary> {
  const counted = await rows(connection, EVENTS, { project });
  const counts = new Map(counted.map(({ name, count }) => [String(name), Number(count)]));
  const found = await sampled(connection, project, [...counts.keys()]);
  const own = await words(project);
  const wordsOf = new Map(
    own.filter(({ kind }) => kind === "event").map(({ name, also_called }) => [name, also_called]),
  );
  const propertiesOf = Map.groupBy(
    found.filter(isProperty),
    ({ kind, owner }) => `${kind}${owner}`,
  );
  const propertiesIn = (key: string) => (propertiesOf.get(key) ?? []).map(propertyOf);
  return {
    events: [...counts].map(([name, count]) => ({
      ...{ name, count, properties: propertiesIn(`event${name}`) },
      alsoCalled: wordsOf.get(name) ?? [],
    })),
    person_properties: propertiesIn("person"),
    groups: (await groupTypes(project)).map((type) => ({
      ...type,
      properties: propertiesIn(`group${type.group_type_index}`),
    })),
    values: found.filter((row) => !isProperty(row)).map(knownValueOf),
    propertiesAlsoCalled: own.flatMap(({ kind, name, also_called }) =>
      kind === "event"
        ? []
        : [{ type: kind === "person_property" ? "person" : "event", name, words: also_called }],
    ),
  };
}

/**
 * Reads names and values of the newest events of the project, and of the newest ones of each name. The numbers of
 * older events stand in the statement, so that row groups without them are skipped: as a subquery, of a million
 * events, it takes three times as long.
 */
async function sampled(
  connection: DuckDBConnection,
  project: number,
  names: readonly string[],
): Promise<Row[]> {
  const where = "project_id = $project::INTEGER";
  const since = await newestSeq(connection, { where, values: { project }, limit: NEWEST_MAX });
  const ofName = Math.min(OLDER_OF_NAME_MAX, Math.ceil(OLDER_MAX / Math.max(names.length, 1)));
  const asked = { project, names: JSON.stringify(names) };
  const older = await rows(connection, olderEvents(ofName), { ...asked, since });
  const seqs = older.map(({ seq }) => Number(seq));
  return await rows(connection, namesAndValues(seqs), { ...asked, since });
}

const EVENTS = `
  SELECT event AS name, count(*)::DOUBLE AS count FROM events
  WHERE project_id = $project::INTEGER GROUP BY name ORDER BY count DESC, name LIMIT ${EVENTS_MAX}`;

/** Returns SQL of the numbers of the newest events of each name that come before `$since`. */
const olderEvents = (ofName: number) => `
  SELECT seq::DOUBLE AS seq FROM (
    SELECT unnest(max(seq, ${ofName})) AS seq FROM events
    WHERE project_id = $project::INTEGER
      AND event IN (SELECT unnest(from_json($names::JSON, '["VARCHAR"]')))
    GROUP BY event)
  WHERE seq < $since::BIGINT ORDER BY seq`;

const isProperty = ({ value }: Row) => value === null;

/** An amount of money that is sent as text is a number, as in insights and SQL; a zip code has numbers. */
const propertyOf = ({ name, type, count, has_numbers }: Row): NamedProperty => {
  const amount = { name: String(name), type: "number" as const };
  const hasNumbers = has_numbers === true && type !== "number";
  return {
    ...amount,
    ...(hasNumbers && isMoney(amount) ? {} : { type: String(type) as ValueType }),
    ...(hasNumbers && !isMoney(amount) ? { hasNumbers } : {}),
    count: Number(count),
  };
};

const knownValueOf = ({ kind, owner, name, value, count }: Row): KnownValue => ({
  of: ownerOf(String(kind), String(owner)),
  property: String(name),
  value: String(value),
  count: Number(count),
});

function ownerOf(kind: string, owner: string): ValueOwner {
  if (kind === "event") return { type: "event", event: owner };
  return kind === "person"
    ? { type: "person" }
    : { type: "group", group_type_index: Number(owner) };
}
