import { type Lifts, liftedIn } from "../../../core/identity/lifted-properties.ts";
import type { PropertyTexts } from "../../../core/ports/projection.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { addressIn, propertyTexts } from "../../loads/person-columns.ts";
import type { Sqlite } from "../sqlite.ts";

/** A person to be written; without `id` it gets the next one. */
export type PersonToWrite = {
  id?: number | undefined;
  project_id: number;
  uuid: string;
  properties: JsonObject;
  created_at: string;
  is_identified: boolean;
};

/** What became of a person when it was written. */
export type WrittenPerson = {
  id: number;
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
  type Kept = { created_at: string; email: string | null };
  const update = raw.query<Kept, [string, number, number, number, number]>(
    `UPDATE person SET properties = ?1, is_identified = ?2, lifted = ?3, version = ?4
     WHERE id = ?5 RETURNING created_at, email`,
  );
  // Apart, because an index is written anew even if its columns stay as they are.
  const updateEmail = raw.query<null, [string | null, number]>(
    "UPDATE person SET email = ?1 WHERE id = ?2",
  );
  const move = raw.query<null, [string, number]>("UPDATE person SET created_at = ?1 WHERE id = ?2");
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
      const is_identified = person.is_identified ? 1 : 0;
      const kept = update.get(texts.text, is_identified, lifted, version, id);
      if (kept !== null && kept.created_at !== created_at) move.run(created_at, id);
      const email = addressIn(properties);
      if (kept !== null && kept.email !== email) updateEmail.run(email, id);
      return { id, lifted, texts };
    },
  };
}
