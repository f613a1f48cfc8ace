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

const versions = new Map<string, string>();

/** Notes the version (`ETag`) of a thing that this page has read or saved. */
export function noteVersion({ url }: Request, { headers }: Response): void {
  const version = headers.get("etag");
  if (version !== null) versions.set(new URL(url).pathname, version);
}

/** The version of the thing that a request changes; undefined if it was not read. */
export const versionOf = ({ url }: Request): string | undefined =>
  versions.get(new URL(url).pathname);
