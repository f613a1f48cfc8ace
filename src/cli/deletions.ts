import type { Receipt } from "../core/erasure/deletion.ts";
import { table } from "../core/values/table.ts";
import { type Command, EXIT } from "./command.ts";
import { wholeNumber } from "./key.ts";
import { withAdmin, withApp } from "./with-data.ts";

/** Lists deletions of events. */
export const deletionsList: Command = {
  name: "deletions list",
  summary: "List the deletions of events that are queued, running or failed.",
  switches: { "--all": "list done and cancelled ones, too, with the counts of deleted rows" },
  async run({ config, flags }, io) {
    const which = "--all" in flags ? "all" : "open";
    const listed = await withAdmin(config.settings, (admin) => admin.deletionDesk.list(which));
    const columns = which === "all" ? { ...OPEN_COLUMNS, ...DONE_COLUMNS } : OPEN_COLUMNS;
    const cells = listed.map((one) => Object.values(columns).map((cell) => String(cell(one))));
    for (const line of table(Object.keys(columns), cells)) io.out(line);
    return EXIT.ok;
  },
};

type Columns = Record<string, (deletion: Receipt) => string | number>;

const OPEN_COLUMNS: Columns = {
  id: ({ id }) => id,
  project: ({ project_id }) => project_id,
  person: ({ person_uuid }) => person_uuid,
  runs: ({ kind }) => kind,
  requested: ({ requested_at }) => requested_at,
  state: ({ state }) => state,
  attempts: ({ attempts }) => attempts,
  reason: ({ error }) => error ?? "",
};

const DONE_COLUMNS: Columns = {
  finished: ({ finished_at }) => finished_at ?? "",
  deleted: ({ counts }) =>
    Object.entries(counts ?? {})
      .map(([rows, count]) => `${count} ${rows.replaceAll("_", " ")}`)
      .join(", "),
  "places to look at": ({ places }) => placesText(places),
};

/** Places that the list names; the receipt has more of them. */
const PLACES_SHOWN = 3;

function placesText(places: Receipt["places"]): string {
  const { count, results } = places ?? { count: 0, results: [] };
  const shown = results
    .slice(0, PLACES_SHOWN)
    .map(({ kind, id, short_id }) => `${kind} ${short_id ?? id}`);
  return [...shown, ...(count > shown.length ? [`${count - shown.length} more`] : [])].join(", ");
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
