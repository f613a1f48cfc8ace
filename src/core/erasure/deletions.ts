import type { UserReads } from "../ports/access.ts";
import type { DeletionReads, DeletionRow, DeletionWrites } from "../ports/erasure.ts";
import { Failure } from "../values/failure.ts";
import { parseUuid } from "../values/ids.ts";
import { type Page, type PageQuery, walkedPage } from "../values/page.ts";
import { type Clock, isoTime } from "../values/time.ts";
import {
  DELETION_STATUSES,
  type DeletionKind,
  type DeletionState,
  type Receipt,
} from "./deletion.ts";

/** A deletion of a person's events, as the API shows it. */
export type Deletion = {
  id: number;
  person_uuid: string;
  created_at: string;
  /** `pending` while it waits or runs, `completed`, `failed` or `cancelled`. */
  status: string;
  delete_verified_at: string | null;
  kind: DeletionKind;
  attempts: number;
  error: string | null;
  counts: Record<string, number> | null;
};

/** Deletions of all projects, for the operator. */
export type DeletionDesk = {
  /** Those that wait, run or have failed, the newest first. */
  open(): Promise<Receipt[]>;
  /** Fails `not_found`. */
  receipt(id: number): Promise<Receipt>;
  /** Withdraws one that waits or has failed, and has deleted nothing. Fails `not_found`. */
  cancel(id: number): Promise<Receipt>;
};

type DeskNeeds = {
  reads: DeletionReads;
  writes: Pick<DeletionWrites, "cancel">;
  users: Pick<UserReads, "find">;
  now: Clock;
};

/** How many of the open deletions are listed. */
const OPEN_MAX = 1000;

/** Deletions in a store, for the operator. */
export function deletionDesk({ reads, writes, users, now }: DeskNeeds): DeletionDesk {
  const receiptOf = async (row: DeletionRow): Promise<Receipt> => {
    const { uuids: _, distinct_ids: _ids, person_id: _id, ...rest } = row;
    const { journal_seq: _seq, generation: _generation, ...known } = rest;
    const user = await users.find(row.requested_by);
    return { ...known, requested_by_email: user?.email ?? null };
  };
  const receipt = async (id: number): Promise<Receipt> => {
    const row = await reads.get(id);
    if (row !== undefined) return receiptOf(row);
    throw new Failure("not_found", "There is no such deletion.");
  };
  return {
    open: async () => Promise.all((await reads.all(OPEN_STATES, OPEN_MAX)).map(receiptOf)),
    receipt,
    async cancel(id) {
      if (await writes.cancel(id, isoTime(now()))) return receipt(id);
      throw new Failure("not_found", "No such deletion waits that has deleted nothing yet.");
    },
  };
}

const OPEN_STATES: readonly DeletionState[] = ["queued", "running", "failed"];

/** Deletions of one project, read; a task keeps the distinct ids of its request (decision 51). */
export type Deletions = {
  /** The newest first. Fails `invalid_choice`, and `invalid_input` on a uuid that is none. */
  list(
    project: number,
    filter: { status?: string | undefined; person_uuid?: string | undefined },
    query: PageQuery,
    url: URL,
  ): Promise<Page<Deletion>>;
};

/** Deletions in a store. */
export function deletions(reads: DeletionReads): Deletions {
  return {
    async list(project, { status, person_uuid }, query, url) {
      const filter = { states: statesOf(status), person_uuid: uuidOf(person_uuid) };
      const listed = await walkedPage(url, query, {
        keysOf: ({ id }: DeletionRow) => [id] as const,
        like: [0],
        read: (part) => reads.list(project, filter, part),
      });
      return { ...listed, results: listed.results.map(shown) };
    },
  };
}

function statesOf(status = "all"): readonly DeletionState[] | undefined {
  if (status === "all") return undefined;
  if (status === "pending" || status === "completed") return DELETION_STATUSES[status];
  throw new Failure("invalid_choice", "A status is pending, completed or all.", "status");
}

function uuidOf(text: string | undefined): string | undefined {
  const uuid = text === undefined ? undefined : parseUuid(text);
  if (text !== undefined && uuid === undefined) {
    throw new Failure("invalid_input", "A UUID is expected.", "person_uuid");
  }
  return uuid;
}

function shown(row: DeletionRow): Deletion {
  const { id, person_uuid, requested_at, state, finished_at, kind, attempts, error, counts } = row;
  const [status = state] =
    Object.entries(DELETION_STATUSES).find(([, states]) => states.some((one) => one === state)) ??
    [];
  return {
    id,
    person_uuid,
    created_at: requested_at,
    status,
    delete_verified_at: state === "done" ? finished_at : null,
    kind,
    attempts,
    error,
    counts,
  };
}
