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
  is_identified: boolean;
};

/**
 * Properties as JSON: all of them, and for the mirror those of SDKs (`$…`) apart from the others
 * (decision 74).
 */
export type PropertyTexts = { text: string; own: string; sdk: string };

/** What became of a person when it was written. */
export type WrittenPerson = { id: number; lifted: Lifts; texts: PropertyTexts };

/** Writes the rows of persons, each in the caller's transaction. */
export function personRows(raw: Sqlite["raw"]) {
  type Columns = [
    number | null,
    number,
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
       (id, project_id, uuid, properties, created_at, is_identified, lifted, email, version)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)`,
  );
  const update = raw.query<null, [string, number, number, number, number]>(
    `UPDATE person SET properties = ?1, is_identified = ?2, lifted = ?3, version = ?4
     WHERE id = ?5`,
  );
  // Apart, because an index is written anew even if its columns stay as they are.
  const updateIndexed = raw.query<null, [string, string | null, number]>(
    `UPDATE person SET created_at = ?1, email = ?2
     WHERE id = ?3 AND (created_at IS NOT ?1 OR email IS NOT ?2)`,
  );
  return {
    insert(person: PersonToWrite, version: number): WrittenPerson {
      const { project_id, uuid, created_at, properties } = person;
      const texts = propertyTexts(properties);
      const lifted = liftedIn(properties);
      const { lastInsertRowid } = insert.run(
        person.id ?? null,
        project_id,
        uuid,
        texts.text,
        created_at,
        person.is_identified ? 1 : 0,
        lifted,
        addressIn(properties),
        version,
      );
      return { id: Number(lastInsertRowid), lifted, texts };
    },
    /** Replaces all but project and uuid. */
    update(person: PersonToWrite & { id: number }, version: number): WrittenPerson {
      const { id, created_at, properties } = person;
      const texts = propertyTexts(properties);
      const lifted = liftedIn(properties);
      update.run(texts.text, person.is_identified ? 1 : 0, lifted, version, id);
      updateIndexed.run(created_at, addressIn(properties), id);
      return { id, lifted, texts };
    },
  };
}

function addressIn({ email }: JsonObject): string | null {
  return typeof email === "string" ? storableText(email) : null;
}

/** Properties as JSON; each is written once. */
export function propertyTexts(properties: JsonObject): PropertyTexts {
  const [own, sdk] = [{}, {}] as [JsonObject, JsonObject];
  for (const key of Object.keys(properties)) {
    setKey(isOfSdk(key) ? sdk : own, key, properties[key] ?? null);
  }
  const texts = { own: storableJson(own), sdk: storableJson(sdk) };
  return { ...texts, text: joined(texts.own, texts.sdk) };
}

/** The properties of a person as the mirror has them. */
export function mirroredProperties({ own, sdk }: PropertyTexts) {
  return { properties: own, sdk_properties: sdk };
}

/** Whether the mirror keeps a property apart from those that users set. */
export function isOfSdk(key: string): boolean {
  return key.startsWith("$");
}

function joined(own: string, sdk: string): string {
  if (own === "{}") return sdk;
  return sdk === "{}" ? own : `${own.slice(0, -1)},${sdk.slice(1)}`;
}
