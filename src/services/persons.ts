import { Failure } from "../domain/errors.ts";
import { type Page, type PageQuery, page } from "../domain/page.ts";
import { type Person, personName } from "../domain/person.ts";
import type { SplitAsked } from "../domain/split.ts";
import { parseUuid } from "../domain/uuid.ts";
import type { PersonFilter, PersonReads, PersonRow } from "../storage/persons.ts";

/** Persons of one project, read (contract 2.1, 4.1). */
export type Persons = {
  /** `url` is the address that the caller is known to reach us by, for the page's links. */
  list(project: number, filter: PersonFilter, query: PageQuery, url: URL): Promise<Page<Person>>;
  /** By integer id or uuid. Fails `invalid_input` on anything else and `not_found`. */
  get(project: number, id: string): Promise<Person>;
  /**
   * Undoes merges (decision 28), once queries know too. Fails as `get` does, and `invalid_input`
   * on ids that are not the person's or when there is nothing to undo.
   */
  split(project: number, id: string, asked: SplitAsked): Promise<void>;
};

type Needs = {
  reads: PersonReads;
  /** Splits a person by its integer id; false if there is none. */
  split(project: number, id: number, asked: SplitAsked): Promise<boolean>;
};

/** Persons in a store. */
export function persons({ reads, split }: Needs): Persons {
  const find = async (project: number, id: string): Promise<PersonRow> => {
    const uuid = parseUuid(id);
    if (uuid === undefined && !/^\d{1,15}$/.test(id)) {
      const detail =
        "A person's id is its integer id or its uuid. To find one, list by distinct_id.";
      throw new Failure("invalid_input", detail, "id");
    }
    const row = await reads.find(project, uuid === undefined ? { id: Number(id) } : { uuid });
    if (row === undefined) throw new Failure("not_found", "Not found.");
    return row;
  };
  return {
    async list(project, filter, query, url) {
      const { count, rows } = await reads.list(project, filter, query);
      return page(url, query, count, rows.map(shown));
    },
    get: async (project, id) => shown(await find(project, id)),
    async split(project, id, asked) {
      const { id: found } = await find(project, id);
      if (!(await split(project, found, asked))) throw new Failure("not_found", "Not found.");
    },
  };
}

function shown({ id, uuid, properties, created_at, distinct_ids }: PersonRow): Person {
  const name = personName(properties, distinct_ids);
  return { id, name, distinct_ids, properties, created_at, uuid };
}
