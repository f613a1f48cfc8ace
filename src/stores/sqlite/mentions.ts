import { PLACES_MAX, type Place, type Places } from "../../core/erasure/deletion.ts";
import { mentionFinder } from "../../core/erasure/mentions.ts";
import type { DeletionRow } from "../../core/ports/erasure.ts";
import { folded } from "../../core/values/case-folding.ts";
import type { Sqlite } from "./sqlite.ts";

/** Longest e-mail address to look for, in UTF-16 units; a longer one would make the search slow. */
const EMAIL_UNITS_MAX = 400;

type Named = Pick<DeletionRow, "id" | "project_id" | "distinct_ids" | "email">;

/** A row that people gave texts to; `json` may be damaged. */
type Row = Omit<Place, "short_id"> & {
  short_id: string | null;
  texts: string;
  json: string | null;
};

/** Finds the places that contain a distinct id or the e-mail address of a task's person. */
export function mentionReads({ raw }: Pick<Sqlite, "raw">) {
  const rows = raw.query<Row, [project: number]>(
    `SELECT 'insight' AS kind, id, short_id, concat_ws(char(10), name, description, tags) AS texts, query AS json
     FROM insight WHERE project_id = ?1 AND NOT deleted
     UNION ALL
     SELECT 'dashboard', id, NULL,
       concat_ws(char(10), name, description, tags,
         (SELECT group_concat(body, char(10)) FROM dashboard_tile WHERE dashboard_id = dashboard.id)),
       filters
     FROM dashboard WHERE project_id = ?1 AND NOT deleted
     UNION ALL
     SELECT 'annotation', id, NULL, content, NULL
     FROM annotation WHERE project_id = ?1 AND NOT deleted
     UNION ALL
     SELECT 'playlist', id, short_id,
       concat_ws(char(10), name, derived_name, description, _create_in_folder), filters
     FROM playlist WHERE project_id = ?1 ORDER BY kind, id DESC`,
  );
  return (tasks: readonly Named[]): Map<number, Places> => {
    const placesOf = new Map<number, Places>(
      tasks.map(({ id }) => [id, { count: 0, results: [] }]),
    );
    for (const [project, group] of Map.groupBy(tasks, ({ project_id }) => project_id)) {
      const tasksOf = byName(group);
      const find = mentionFinder(new Set(tasksOf.keys()));
      for (const { texts, json, kind, id, short_id } of rows.iterate(project)) {
        const place = { kind, id, ...(short_id === null ? {} : { short_id }) };
        const names = find([texts, ...textsIn(json ?? "null")].join("\n"));
        const found = new Set([...names].flatMap((name) => tasksOf.get(name) ?? []));
        for (const task of found) add(placesOf.get(task), place);
      }
    }
    return placesOf;
  };
}

function add(places: Places | undefined, place: Place): void {
  if (places === undefined) return;
  places.count += 1;
  if (places.results.length < PLACES_MAX) places.results.push(place);
}

/** The ids of tasks by the names of their persons, in folded form. */
function byName(tasks: readonly Named[]): Map<string, number[]> {
  const ids = new Map<string, number[]>();
  for (const { id, distinct_ids, email } of tasks) {
    const isShort = email !== null && email.length <= EMAIL_UNITS_MAX;
    for (const name of new Set([...distinct_ids, ...(isShort ? [email] : [])].map(folded))) {
      ids.set(name, [...(ids.get(name) ?? []), id]);
    }
  }
  return ids;
}

/** The texts and numbers in JSON; damaged JSON is one text. */
function textsIn(json: string): string[] {
  const texts: string[] = [];
  try {
    JSON.parse(json, (_key, value: unknown) => {
      if (typeof value !== "object") texts.push(String(value));
      return value;
    });
    return texts;
  } catch {
    return [json];
  }
}
