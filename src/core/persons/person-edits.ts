import type { Principal } from "../access/key.ts";
import type { Actor } from "../identity/activity.ts";
import type { Person, PersonUpdate } from "../identity/person.ts";
import type { SplitQuery } from "../identity/split.ts";
import type { PersonReads } from "../ports/persons/reads.ts";
import type { SetChange } from "../ports/persons/writes.ts";
import { Failure } from "../values/failure.ts";
import { isObject, type Json, type JsonObject, setKey } from "../values/json.ts";
import { type Clock, isoTime } from "../values/time.ts";
import type { BareIds } from "./bare-ids.ts";
import { orderedWrites, type WriteNeeds } from "./ordered-writes.ts";
import { findPerson, toResponse } from "./persons.ts";
import { type Removals, removals } from "./removals.ts";

/**
 * Persons of one project, changed by users (contract 4.1, decisions 49 to 51). All take a person by
 * integer id or uuid; fail `invalid_input` on anything else, `not_found`, and `unavailable` while ingest has much to catch up on.
 */
export type PersonEdits = Removals & {
  /** Gives a person properties; others stay. Fails `required`, `too_long`. */
  update(project: number, id: string, properties: Json | undefined, by: Principal): Promise<Person>;
  /** Gives a person one property. Fails `required`, `too_long`. */
  set(
    project: number,
    id: string,
    property: { key?: string | undefined; value?: Json | undefined },
    by: Principal,
  ): Promise<Person>;
  /** Removes a property; one that is not there is no error. Fails `required`. */
  unset(project: number, id: string, key: Json | undefined, by: Principal): Promise<void>;
  /**
   * Undoes merges (decision 28). Fails `invalid_input` on ids that are not the person's or when
   * there is nothing to undo.
   */
  split(project: number, id: string, asked: SplitQuery, by: Principal): Promise<void>;
};

type Needs = WriteNeeds & {
  reads: PersonReads;
  bareIds: BareIds;
  now: Clock;
};

/** Changes to persons in a store. */
export function personEdits(needs: Needs): PersonEdits {
  const { reads, bareIds, now } = needs;
  const writes = orderedWrites(needs);
  const actor = ({ user_id }: Principal): Actor => ({ user_id, at: isoTime(now()) });
  const idOf = async (project: number, id: string) => (await findPerson(reads, project, id)).id;
  const edit = async (
    project_id: number,
    id: number,
    { update, ...more }: Pick<SetChange, "activity" | "by"> & { update: Partial<PersonUpdate> },
  ): Promise<void> => {
    const whole = { set: {}, set_once: {}, unset: [], ...update };
    const change = { kind: "set" as const, project_id, id, update: whole, ...more };
    orNotFound((await writes.change(() => change)) > 0);
  };
  const update = async (project: number, key: string, set: JsonObject, by: Principal) => {
    const id = await idOf(project, key);
    await edit(project, id, { update: { set }, activity: "updated", by: actor(by) });
    return toResponse(await findPerson(reads, project, String(id)));
  };
  return {
    ...removals({ reads, bareIds, writes, now }),
    async update(project, id, properties, by) {
      if (properties === undefined) throw required("properties");
      if (!isObject(properties)) {
        throw new Failure("invalid_input", "Properties are a JSON object.", "properties");
      }
      return update(project, id, properties, by);
    },
    async set(project, id, { key, value }, by) {
      if (key === undefined) throw required("key");
      if (value === undefined) throw required("value");
      const properties: JsonObject = {};
      setKey(properties, key, value);
      return update(project, id, properties, by);
    },
    async unset(project, id, key, by) {
      const keys = [key ?? []].flat();
      if (keys.length === 0) throw required("$unset");
      if (!keys.every((name) => typeof name === "string")) {
        const detail = "The name of a property is expected, or a list of names.";
        throw new Failure("invalid_input", detail, "$unset");
      }
      const change = { activity: "delete_property" as const, by: actor(by) };
      await edit(project, await idOf(project, id), { update: { unset: keys }, ...change });
    },
    async split(project, id, query, by) {
      const whole = { project_id: project, id: await idOf(project, id), query, by: actor(by) };
      orNotFound((await writes.change(() => ({ kind: "split", ...whole }))) > 0);
    },
  };
}

function orNotFound(isFound: boolean): void {
  if (!isFound) throw new Failure("not_found", "Not found.");
}

function required(attr: string): Failure {
  return new Failure("required", "This field is required.", attr);
}
