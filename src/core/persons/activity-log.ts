import type { Change } from "../identity/activity.ts";
import type { ActivityReads, ActivityRow } from "../ports/persons/activity.ts";
import type { PersonReads } from "../ports/persons/reads.ts";
import { csvTable } from "../values/csv.ts";
import { Failure } from "../values/failure.ts";
import type { JsonObject } from "../values/json.ts";
import { checkLimit, readCursorPage } from "../values/page.ts";
import { personKey } from "./persons.ts";

/** A change of a person, as the API shows it. */
export type Activity = {
  id: number;
  user: { first_name: string; email: string | null; is_system: boolean };
  activity: string;
  scope: "Person";
  item_id: string;
  detail: {
    id: string;
    changes: (Change & { type: "Person"; action: string })[];
    merge: { type: "Person"; source: { uuid: string }; target: { uuid: string } } | null;
    trigger: { job_type: "event"; job_id: string } | null;
    name: string;
  };
  created_at: string;
};

/** A page by its number; `next` also has the place where the next one begins. */
export type ActivityPage = {
  results: Activity[];
  next: string | null;
  previous: string | null;
  total_count: number;
};

/** A request for an activity log. Pages count from 1; without a `cursor` they show the log of now. */
export type ActivityAsked = {
  limit?: number | undefined;
  page?: number | undefined;
  cursor?: string | undefined;
};

const ACTIVITY_LIMIT_DEFAULT = 10;
const ACTIVITY_LIMIT_MAX = 100;

/** Activity of the persons of one project, also of deleted ones (decision 50). */
export type Activities = {
  /**
   * The newest first, and the others of the page, if there are any, as they are read; of all persons
   * without an id. Fails `invalid_input`, and `not_found` if neither the person nor anything of it is
   * there.
   */
  list(
    project: number,
    person: string | undefined,
    asked: ActivityAsked,
    url: URL,
  ): Promise<{ page: ActivityPage; rest: AsyncIterable<Activity[]> | undefined }>;
  /** Such a page as CSV, line by line. Fails as `list` does. */
  csv(
    project: number,
    person: string | undefined,
    asked: ActivityAsked,
  ): Promise<AsyncIterable<string>>;
};

/** Columns that a table of activities has even if it is empty. */
const COLUMNS = {
  id: null,
  user: { first_name: null, email: null, is_system: null },
  activity: null,
  scope: null,
  item_id: null,
  detail: { id: null, name: null },
  created_at: null,
};

/** Activity in a store. */
export function activities(reads: ActivityReads, persons: Pick<PersonReads, "find">): Activities {
  const find = async (project: number, person: string | undefined, asked: ActivityAsked) => {
    const key = person === undefined ? undefined : personKey(person);
    const { limit, page } = read(asked);
    const query = { limit, offset: (page - 1) * limit, cursor: asked.cursor };
    const { count, results, next } = await readCursorPage(query, {
      keysOf: ({ id }: { id: number }) => [id] as const,
      keyTypes: [0],
      read: (part) => reads.list(project, key, part),
    });
    if (count === 0 && key !== undefined && (await persons.find(project, key)) === undefined) {
      throw new Failure("not_found", "Not found.");
    }
    return { count, ids: results.map(({ id }) => id), next, limit, page };
  };
  async function* parts(project: number, ids: readonly number[]): AsyncGenerator<Activity[]> {
    for (let from = 0; from < ids.length; ) {
      const rows = await reads.read(project, ids.slice(from));
      from += rows.length;
      yield rows.map(shown);
    }
  }

  return {
    async list(project, person, asked, url) {
      const { count, ids, next, limit, page } = await find(project, person, asked);
      const results = (await reads.read(project, ids)).map(shown);
      const rest = ids.slice(results.length);
      return {
        page: {
          results,
          next: next === undefined ? null : link(url, { limit, page: page + 1, cursor: next }),
          previous: page > 1 ? link(url, { limit, page: page - 1 }) : null,
          total_count: count,
        },
        rest: rest.length === 0 ? undefined : parts(project, rest),
      };
    },
    async csv(project, person, asked) {
      const { ids } = await find(project, person, asked);
      const table = csvTable(COLUMNS);
      for await (const part of parts(project, ids)) {
        for (const row of part) table.add(row as JsonObject);
      }
      return (async function* lines() {
        yield table.head();
        for await (const part of parts(project, ids)) {
          yield part.map((row) => table.line(row as JsonObject)).join("");
        }
      })();
    },
  };
}

function read({ limit = ACTIVITY_LIMIT_DEFAULT, page = 1 }: ActivityAsked) {
  if (page < 1 || !Number.isSafeInteger(page * ACTIVITY_LIMIT_MAX)) {
    throw new Failure("invalid_input", "A whole number of 1 or more is expected.", "page");
  }
  checkLimit(limit, ACTIVITY_LIMIT_MAX);
  return { limit, page };
}

function link(url: URL, place: { limit: number; page: number; cursor?: string }): string {
  const target = new URL(url);
  target.searchParams.delete("cursor");
  for (const [name, value] of Object.entries(place)) target.searchParams.set(name, String(value));
  return target.href;
}

const ACTIONS = new Map([
  ["delete_property", "deleted"],
  ["deleted", "deleted"],
  ["split_person", "split"],
]);

function shown({ id, person_id, person_uuid, activity, detail, created_at, user }: ActivityRow) {
  const { changes = [], merge, event_uuid } = detail;
  const action = ACTIONS.get(activity) ?? "changed";
  return {
    id,
    user:
      user === null
        ? { first_name: "System", email: null, is_system: true }
        : { ...user, is_system: false },
    activity,
    scope: "Person" as const,
    item_id: String(person_id),
    detail: {
      id: person_uuid,
      changes: changes.map((change) => ({ type: "Person" as const, action, ...change })),
      merge: merge
        ? {
            type: "Person" as const,
            source: { uuid: merge.source },
            target: { uuid: merge.target },
          }
        : null,
      trigger: event_uuid ? { job_type: "event" as const, job_id: event_uuid } : null,
      name: person_uuid,
    },
    created_at,
  };
}
