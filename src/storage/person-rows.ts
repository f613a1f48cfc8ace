import { type JsonObject, setKey, storableJson, storableText } from "../domain/json.ts";
import { type Lifts, liftedIn } from "../domain/lift.ts";
import type { Sqlite } from "./sqlite.ts";

/** A person to be written; without `id` it gets the next one. */
export type PersonToWrite = {
  id?: number | undefined;
  project_id: number;
  uuid: string;
  properties: JsonObject;
  created_at: string;
  /** Its place in the list, if that is not `created_at`. */
  listed_at?: string | undefined;
  is_identified: boolean;
};

/** Properties as JSON: all of them, and as the mirror has them (decision 74). */
export type PropertyTexts = { text: string; columns: MirroredProperties };

/** JSON texts of properties by what their names begin with: `$initial_`, `$`, anything else. */
export type MirroredProperties = Record<PropertyColumn, string>;

/** A column of the mirror. */
export type PropertyColumn = "properties" | "sdk_properties" | "initial_properties";

/** What became of a person when it was written. */
export type WrittenPerson = {
  id: number;
  /** Its place in the list, which stays as it was at first (decision 96). */
  listed_at: string;
  lifted: Lifts;
  texts: PropertyTexts;
};

/** Writes the rows of persons, each in the caller's transaction. */
export function personRows(raw: Sqlite["raw"]) {
  type Columns = [
    number | null,
    number,
    string,
    string,
    string,
    string,
    number,
    number,
    string | null,
    number,
  ];
  const insert = raw.query<null, Columns>(
    `INSERT INTO person
       (id, project_id, uuid, properties, created_at, listed_at, is_identified, lifted, email,
        version)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`,
  );
  type Kept = { listed_at: string; email: string | null };
  const update = raw.query<Kept, [string, string, number, number, number, number]>(
    `UPDATE person SET properties = ?1, created_at = ?2, is_identified = ?3, lifted = ?4, version = ?5
     WHERE id = ?6 RETURNING listed_at, email`,
  );
  // Apart, because an index is written anew even if its columns stay as they are.
  const updateEmail = raw.query<null, [string | null, number]>(
    "UPDATE person SET email = ?1 WHERE id = ?2",
  );
  return {
    insert(person: PersonToWrite, version: number): WrittenPerson {
      const { project_id, uuid, created_at, listed_at = created_at, properties } = person;
      const texts = propertyTexts(properties);
      const lifted = liftedIn(properties);
      const { lastInsertRowid } = insert.run(
        person.id ?? null,
        project_id,
        uuid,
        texts.text,
        created_at,
        listed_at,
        person.is_identified ? 1 : 0,
        lifted,
        addressIn(properties),
        version,
      );
      return { id: Number(lastInsertRowid), listed_at, lifted, texts };
    },
    /** Replaces all but project, uuid and place in the list. */
    update(person: PersonToWrite & { id: number }, version: number): WrittenPerson {
      const { id, created_at, properties } = person;
      const texts = propertyTexts(properties);
      const lifted = liftedIn(properties);
      const is_identified = person.is_identified ? 1 : 0;
      const kept = update.get(texts.text, created_at, is_identified, lifted, version, id);
      const email = addressIn(properties);
      if (kept !== null && kept.email !== email) updateEmail.run(email, id);
      return { id, listed_at: kept?.listed_at ?? created_at, lifted, texts };
    },
  };
}

function addressIn({ email }: JsonObject): string | null {
  return typeof email === "string" ? storableText(email) : null;
}

/** Properties as JSON; each is written once. */
export function propertyTexts(properties: JsonObject): PropertyTexts {
  const parts: Record<PropertyColumn, JsonObject> = {
    properties: {},
    sdk_properties: {},
    initial_properties: {},
  };
  for (const key of Object.keys(properties)) {
    setKey(parts[columnOf(key)], key, properties[key] ?? null);
  }
  const columns = {
    properties: storableJson(parts.properties),
    sdk_properties: storableJson(parts.sdk_properties),
    initial_properties: storableJson(parts.initial_properties),
  };
  const inner = Object.values(columns).map((text) => text.slice(1, -1));
  return { columns, text: `{${inner.filter((text) => text !== "").join(",")}}` };
}

/** Where the mirror keeps a property. */
export function columnOf(key: string): PropertyColumn {
  if (!key.startsWith("$")) return "properties";
  return key.startsWith("$initial_") ? "initial_properties" : "sdk_properties";
}

/** All properties of a row of the mirror: no two of its columns have a key in common. */
export const ALL_PROPERTIES = `('{' || concat_ws(',', ${[
  "initial_properties",
  "sdk_properties",
  "properties",
]
  .map((column) => `nullif(substr(${column}, 2, length(${column}) - 2), '')`)
  .join(", ")}) || '}')::JSON`;

/** The column of a row of the mirror that has a property: in rows of an earlier version one has all. */
export function mirroredIn(key: string): string {
  const column = columnOf(key);
  return column === "properties" ? column : `coalesce(${column}, properties)`;
}
