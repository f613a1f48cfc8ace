import type { InsightQueries } from "../ports/insights.ts";
import type { KnownValue } from "../questions/language/name-keys.ts";
import { folded } from "../questions/names.ts";
import type { Clock } from "../values/time.ts";

/** Milliseconds after which the values of a project are read again. */
const KEPT_MS = 60_000;

/** Projects whose values are kept in memory. */
export const KEPT_VALUES_PROJECTS_MAX = 20;

type Values = { at: number; byText: Promise<Map<string, KnownValue[]>> };

/**
 * Returns a lookup of values that keeps those of a project for a minute, so that a question can be read at each key that is
 * typed. Older ones are given once more, while they are read again.
 */
export function keptValues(read: InsightQueries["values"], now: Clock): InsightQueries["values"] {
  const kept = new Map<number, Values>();
  const renew = (project: number): Values => {
    const byText = read(project, new AbortController().signal, "all").then((all) =>
      Map.groupBy(all, ({ value }) => folded(value)),
    );
    const values = { at: now(), byText };
    byText.catch(() => kept.get(project) === values && kept.delete(project));
    kept.delete(project);
    kept.set(project, values);
    const [oldest] = kept.keys();
    if (kept.size > KEPT_VALUES_PROJECTS_MAX && oldest !== undefined) kept.delete(oldest);
    return values;
  };
  return async (project, signal, asked) => {
    if (asked === "all") return await read(project, signal, asked);
    const values = kept.get(project);
    const fresh = values === undefined || now() - values.at > KEPT_MS ? renew(project) : values;
    const byText = await (values ?? fresh).byText;
    return asked.flatMap((text) => byText.get(text) ?? []);
  };
}
