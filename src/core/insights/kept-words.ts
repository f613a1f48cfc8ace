import type { InsightQueries } from "../ports/insights.ts";
import type { KnownValue } from "../questions/language/name-keys.ts";
import { type EventNames, folded, NAMES_MAX } from "../questions/names.ts";
import type { Clock } from "../values/time.ts";

/** Milliseconds after which the names and the values of a project are read again. */
const KEPT_MS = 60_000;

/** Projects whose names and values are kept in memory. */
export const KEPT_PROJECTS_MAX = 20;

/** Events from which on a project is large: to read its names and values takes up to two seconds. */
export const LARGE_EVENTS = 1_000_000;

type Reads = Pick<InsightQueries, "names" | "values">;

/** The names and values that questions are read with. */
export type KeptWords = {
  /** For words that are being typed: values of a minute ago, and while they are read again the older ones. */
  typed: Reads;
  /** For questions: all names and values in the store; of a large project those of at most a minute ago. */
  asked: Reads;
  /** Whether `asked` may lack names and values of the last minute. */
  isLarge(project: number): boolean;
};

/** Keeps the names and values of projects for a minute where it takes long to read them (decision 181). */
export function keptWords(reads: Reads, now: Clock): KeptWords {
  const largeNames = keptFor<EventNames>(now);
  const values = keptFor<Map<string, KnownValue[]>>(now);
  const isLarge = (project: number) => largeNames.get(project) !== undefined;
  const names: Reads["names"] = async (project, signal, wanted) => {
    const kept = largeNames.get(project);
    if (kept?.isFresh() && isComplete(await kept.read)) return await kept.read;
    const read = await reads.names(project, signal, wanted);
    if (countOf(read) >= LARGE_EVENTS) largeNames.set(project, Promise.resolve(read));
    return read;
  };
  const readValues = (project: number) =>
    values.set(
      project,
      reads
        .values(project, new AbortController().signal, "all")
        .then((all) => Map.groupBy(all, ({ value }) => folded(value))),
    );
  const valuesOf =
    (isOlderGiven: boolean): Reads["values"] =>
    async (project, signal, asked) => {
      if (asked === "all" || !(isOlderGiven || isLarge(project))) {
        return await reads.values(project, signal, asked);
      }
      const kept = values.get(project);
      const fresh = kept?.isFresh() ? kept.read : readValues(project);
      const byText = await (isOlderGiven ? (kept?.read ?? fresh) : fresh);
      return asked.flatMap((text) => byText.get(text) ?? []);
    };
  return {
    typed: { names, values: valuesOf(true) },
    asked: { names, values: valuesOf(false) },
    isLarge,
  };
}

/** Whether names are all names of the project, not only the most frequent ones. */
const isComplete = ({ events, properties }: EventNames) =>
  events.length < NAMES_MAX && properties.length < NAMES_MAX;

const countOf = ({ events }: EventNames) => events.reduce((sum, { count }) => sum + count, 0);

/** Keeps one result for each of the projects that were asked for last. A failed read is not kept. */
function keptFor<T>(now: Clock) {
  const all = new Map<number, { read: Promise<T>; isFresh: () => boolean }>();
  return {
    get: (project: number) => all.get(project),
    set(project: number, read: Promise<T>): Promise<T> {
      const at = now();
      const kept = { read, isFresh: () => now() - at <= KEPT_MS };
      read.catch(() => all.get(project) === kept && all.delete(project));
      all.delete(project);
      all.set(project, kept);
      const [oldest] = all.keys();
      if (all.size > KEPT_PROJECTS_MAX && oldest !== undefined) all.delete(oldest);
      return read;
    },
  };
}
