import type { Change } from "../domain/activity.ts";
import { Failure } from "../domain/errors.ts";
import { walked } from "../domain/page.ts";
import type { ActivityReads, ActivityRow } from "../storage/activity.ts";
import type { PersonReads } from "../storage/person-list.ts";
import { personKey } from "./persons.ts";

/** What was done to a person, as the API shows it. */
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

/** What is asked of an activity log; pages count from 1, those of no `cursor` as they are now. */
export type ActivityAsked = {
  limit?: number | undefined;
  page?: number | undefined;
  cursor?: string | undefined;
};

const ACTIVITY_LIMIT_DEFAULT = 10;
const ACTIVITY_LIMIT_MAX = 100;

/** What was done to persons of one project (decision 50). */
export type Activities = {
  /**
   * The newest first; of all persons without an id. Fails `invalid_input`, and `not_found` if
   * neither the person nor anything of it is there.
   */
  list(
    project: number,
    person: string | undefined,
    asked: ActivityAsked,
    url: URL,
  ): Promise<ActivityPage>;
};

/** Activity in a store. */
export function activities(reads: ActivityReads, persons: Pick<PersonReads, "find">): Activities {
  return {
    async list(project, person, asked, url) {
      const key = person === undefined ? undefined : personKey(person);
      const { limit, page } = read(asked);
      const query = { limit, offset: (page - 1) * limit, cursor: asked.cursor };
      const { count, results, next } = await walked(query, {
        keysOf: ({ id }: ActivityRow) => [id] as const,
        like: [0],
        read: (part) => reads.list(project, key, part),
      });
      if (count === 0 && key !== undefined && (await persons.find(project, key)) === undefined) {
        throw new Failure("not_found", "Not found.");
      }
      return {
        results: results.map(shown),
        next: next === undefined ? null : link(url, { limit, page: page + 1, cursor: next }),
        previous: page > 1 ? link(url, { limit, page: page - 1 }) : null,
        total_count: count,
      };
    },
  };
}

function read({ limit = 0, page = 1 }: ActivityAsked) {
  for (const [name, value, least] of [
    ["limit", limit, 0],
    ["page", page, 1],
  ] as const) {
    if (value >= least && Number.isSafeInteger(value * ACTIVITY_LIMIT_MAX)) continue;
    const detail = `A whole number of ${least} or more is expected.`;
    throw new Failure("invalid_input", detail, name);
  }
  return { limit: Math.min(limit || ACTIVITY_LIMIT_DEFAULT, ACTIVITY_LIMIT_MAX), page };
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
