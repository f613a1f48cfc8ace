import type { UserReads } from "../ports/access.ts";
import type { DeletionReads, DeletionRow, DeletionWrites } from "../ports/erasure.ts";
import { Failure } from "../values/failure.ts";
import { type Clock, isoTime } from "../values/time.ts";
import type { DeletionState, Receipt } from "./deletion.ts";

/** Deletions of all projects, for the operator. */
export type DeletionDesk = {
  /** At most 1,000 deletions in every state, or only `open` ones: queued, running or failed. The newest first. */
  list(which: "open" | "all"): Promise<Receipt[]>;
  /** Fails `not_found`, also if a `project` is given and the deletion is of another one. */
  receipt(id: number, project?: number): Promise<Receipt>;
  /**
   * Cancels a deletion that is queued or failed, and has deleted nothing. Fails `not_found`, as `receipt`
   * does.
   */
  cancel(id: number, project?: number): Promise<Receipt>;
};

type DeskNeeds = {
  reads: DeletionReads;
  writes: Pick<DeletionWrites, "cancel">;
  users: Pick<UserReads, "find">;
  now: Clock;
};

/** The most deletions of a list. */
const LISTED_MAX = 1000;

/** Deletions in a store, for the operator. */
export function deletionDesk({ reads, writes, users, now }: DeskNeeds): DeletionDesk {
  const receiptOf = async (row: DeletionRow): Promise<Receipt> => {
    const { uuids: _, distinct_ids: _ids, person_id: _id, email: _email, ...rest } = row;
    const { journal_seq: _seq, generation: _generation, ...known } = rest;
    const user = await users.find(row.requested_by);
    return { ...known, requested_by_email: user?.email ?? null };
  };
  const receipt = async (id: number, project?: number): Promise<Receipt> => {
    const row = await reads.get(id);
    const isOf = project === undefined || row?.project_id === project;
    if (row !== undefined && isOf) return receiptOf(row);
    throw new Failure("not_found", "There is no such deletion.");
  };
  return {
    list: async (which) => Promise.all((await reads.all(STATES[which], LISTED_MAX)).map(receiptOf)),
    receipt,
    async cancel(id, project) {
      if (project !== undefined) await receipt(id, project);
      if (await writes.cancel(id, isoTime(now()))) return receipt(id);
      throw new Failure("not_found", "There is no such deletion, or it has begun already.");
    },
  };
}

const STATES: Record<"open" | "all", readonly DeletionState[]> = {
  open: ["queued", "running", "failed"],
  all: ["queued", "running", "failed", "done", "cancelled"],
};
