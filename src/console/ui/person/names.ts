import { useEffect, useState } from "preact/hooks";
import { useLoad } from "../../api/load.ts";
import { quoted, select } from "../../api/select.ts";

/** The names of people by their uuid. People without a profile or a name are not in it. */
export type Names = ReadonlyMap<string, string>;

/** Asks for the names of people by the rule of the API: the e-mail address, a name, or an id that is no uuid. */
export async function namesOf(uuids: readonly string[], signal: AbortSignal): Promise<Names> {
  const asked = [...new Set(uuids)].filter(Boolean);
  if (asked.length === 0) return new Map();
  const { results } = await select(
    `SELECT persons.uuid, [properties -> 'email', properties -> 'name', properties -> 'username'],
      min(CASE WHEN NOT regexp_matches(distinct_id, '^[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}$') THEN distinct_id END)
    FROM persons LEFT JOIN person_distinct_ids ON person_id = persons.uuid
    WHERE persons.uuid IN (${asked.map(quoted).join(", ")}) GROUP BY ALL LIMIT ${asked.length}`,
    signal,
  );
  const named = results.flatMap(([uuid, given, id]): [string, string][] => {
    const names = [...(given as unknown[]), id];
    const name = names.find((one) => typeof one === "string" && one.trim() !== "");
    return typeof name === "string" ? [[String(uuid), name]] : [];
  });
  return new Map(named);
}

/** The names of people in rows that come one after another. One request at a time asks for the unknown ones. */
export function useNames(uuids: readonly string[]): Names {
  const [known, setKnown] = useState<Names>(new Map());
  const [asked, setAsked] = useState<readonly string[]>([]);
  const unknown = [...new Set(uuids)].filter((uuid) => !known.has(uuid));
  const isFree = asked.length === 0;
  useEffect(() => {
    if (isFree && unknown.length > 0) setAsked(unknown);
  }, [isFree, unknown.join()]);
  const { data } = useLoad(isFree ? null : asked.join(), (signal) => namesOf(asked, signal));
  useEffect(() => {
    if (data === undefined) return;
    const none = asked.map((uuid) => [uuid, ""] as const);
    setKnown((old) => new Map([...old, ...none, ...data]));
    setAsked([]);
  }, [data]);
  return known;
}
