import { signal } from "@preact/signals";
import { store, stored } from "../../state/preferences.ts";

/** A statement that was run. */
export type Run = {
  sql: string;
  /** When, in milliseconds since 1970. */
  at: number;
  rows: number | null;
};

/** Runs that are kept. */
const RUNS_KEPT = 100;

const nameOf = (part: "draft" | "runs", project: number) => `hoglet.sql.${part}.${project}`;

/** The statement that was last typed in a project; empty if none was. */
export const draftOf = (project: number): string => stored(nameOf("draft", project)) ?? "";

/** Keeps the statement that is typed in a project. */
export const keepDraft = (project: number, sql: string): void =>
  store(nameOf("draft", project), sql);

/** Changes when a run is added, so that lists of runs are drawn again. */
export const runsChanged = signal(0);

/** The last statements that were run in a project, the newest first. */
export function runsOf(project: number): Run[] {
  try {
    const runs: unknown = JSON.parse(stored(nameOf("runs", project)) ?? "[]");
    return Array.isArray(runs) ? (runs as Run[]) : [];
  } catch {
    return [];
  }
}

/** Adds a run. The same statement is kept once, as its latest run. */
export function keepRun(project: number, run: Run): void {
  const others = runsOf(project).filter(({ sql }) => sql !== run.sql);
  store(nameOf("runs", project), JSON.stringify([run, ...others].slice(0, RUNS_KEPT)));
  runsChanged.value += 1;
}
