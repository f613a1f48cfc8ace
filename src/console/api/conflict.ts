import { signal } from "@preact/signals";

/** The answer of a reader to a refused save; undefined if the dialog was closed. */
export type Choice = "mine" | "newer" | undefined;

/** A save that was refused, because another page saved first: its sentence, and how to go on. */
export const conflict = signal<{ detail: string; choose: (choice: Choice) => void } | undefined>(
  undefined,
);

/** Shows the sentence of a refused save, and waits for the choice. */
export const askAbout = (detail: string): Promise<Choice> =>
  new Promise((resolve) => {
    conflict.value = {
      detail,
      choose: (choice) => {
        conflict.value = undefined;
        resolve(choice);
      },
    };
  });

const rows = new WeakMap<object, object>();

/** The fields of a change that differ from what the page shows. */
export const onlyChanged = <T extends object>(shown: object, wanted: T): T =>
  Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => !isSame(Reflect.get(shown, name), value)),
  ) as T;

/**
 * A change of a thing that is known from a list alone, which has no versions: it is read before it is saved. A deleted one
 * cannot be read; to restore it undoes nothing else.
 */
export function ofRow<T extends object>(row: object, wanted: T): T {
  const change = onlyChanged(row, wanted);
  if (Reflect.get(row, "deleted") !== true) rows.set(change, row);
  return change;
}

/** The row that the body of a change is about; undefined if its thing was read. */
export const rowOf = (body: unknown): object | undefined => rows.get(Object(body));

/** The fields of a row that others have changed since, as a sentence; undefined if it is as it was. */
export function changedSince(row: object, now: unknown): string | undefined {
  const changed = Object.entries(row).filter(
    ([name, value]) =>
      !IS_OF_CHANGE.test(name) &&
      Object.hasOwn(Object(now), name) &&
      !isSame(value, Reflect.get(Object(now), name)),
  );
  if (changed.length === 0) return undefined;
  return `Changed since it was read: ${changed.map(([name]) => name).join(", ")}.`;
}

/** When and by whom a thing was changed is no field of its own. */
const IS_OF_CHANGE = /^(?:last_modified_|updated_)/;

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

const versions = new Map<string, string>();

/** Notes the version (`ETag`) of a thing that this page has read or saved. */
export function noteVersion({ url }: Request, { headers }: Response): void {
  const version = headers.get("etag");
  if (version !== null) versions.set(new URL(url).pathname, version);
}

/** The version of the thing that a request changes; undefined if it was not read. */
export const versionOf = ({ url }: Request): string | undefined =>
  versions.get(new URL(url).pathname);
