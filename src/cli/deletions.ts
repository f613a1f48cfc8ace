import type { Receipt } from "../core/erasure/deletion.ts";
import { type Command, EXIT } from "./command.ts";
import { wholeNumber } from "./key.ts";
import { table } from "./table.ts";
import { withAdmin, withApp } from "./with-data.ts";

/** Lists deletions of events. */
export const deletionsList: Command = {
  name: "deletions list",
  summary: "List the deletions of events that are queued, running or failed.",
  async run({ config }, io) {
    const open = await withAdmin(config.settings, ({ deletionDesk }) => deletionDesk.open());
    const heads = ["id", "project", "person", "runs", "requested", "state", "attempts", "reason"];
    for (const line of table(heads, open.map(rowOf))) io.out(line);
    return EXIT.ok;
  },
};

function rowOf({ error, ...deletion }: Receipt): string[] {
  const { id, project_id, person_uuid, kind, requested_at, state, attempts } = deletion;
  return [id, project_id, person_uuid, kind, requested_at, state, attempts, error ?? ""].map(
    String,
  );
}

/** Runs deletions; HTTP has no such call, so a stolen key cannot delete sooner (decision 62). */
export const deletionsRun: Command = {
  name: "deletions run",
  summary: "Delete the events of queued deletions now; returns when they are gone.",
  switches: { "--now": "the default; accepted for clarity" },
  async run({ config }, io) {
    const { done } = await withApp(config.settings, ({ deletionRuns }) => deletionRuns.run());
    io.out(`${done} done`);
    return EXIT.ok;
  },
};

/** Cancels a deletion. */
export const deletionsCancel: Command = {
  name: "deletions cancel",
  summary: "Cancel a deletion of events that has not begun.",
  args: ["ID"],
  async run({ args, config }, io) {
    const id = wholeNumber(args[0] ?? "", "ID");
    const { state } = await withAdmin(config.settings, (admin) => admin.deletionDesk.cancel(id));
    io.out(`${id} ${state}`);
    return EXIT.ok;
  },
};

/** Prints the receipt of a deletion. */
export const deletionsReceipt: Command = {
  name: "deletions receipt",
  summary: "Print the receipt of a deletion as JSON: rows deleted, who asked for it, and when.",
  args: ["ID"],
  async run({ args, config }, io) {
    const id = wholeNumber(args[0] ?? "", "ID");
    const receipt = await withAdmin(config.settings, (admin) => admin.deletionDesk.receipt(id));
    io.out(JSON.stringify(receipt, null, 2));
    return EXIT.ok;
  },
};
