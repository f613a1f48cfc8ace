import { useCallback } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { CONSOLE } from "./base.ts";
import { project } from "./project.ts";

/** The part of the address that a page's state is in: filters, period, sort, open row. */
export type Address = {
  query: Record<string, string>;
  /** Changes parameters of the address; undefined or "" removes one. Without `push` no step of history. */
  set(changes: Record<string, string | undefined>, options?: { push?: boolean }): void;
  /** Goes to another page of the project: `go("persons/4")`. */
  go(page: string): void;
};

/** The address of a page of the current project, for links: `href("persons/4")`. */
export function href(page: string, query: Record<string, string | undefined> = {}): string {
  const search = searchOf(query);
  const path = page.replace(/^\/+|\/+$/g, "");
  return `${CONSOLE}/${project.value?.id ?? ""}/${path === "" ? "" : `${path}/`}${search}`;
}

function searchOf(query: Record<string, string | undefined>): string {
  const set = Object.entries(query).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== "",
  );
  return set.length === 0 ? "" : `?${new URLSearchParams(set)}`;
}

/** The state that the address has, and how to change it. */
export function useAddress(): Address {
  const { path, query, route } = useLocation();
  const set = useCallback<Address["set"]>(
    (changes, { push = false } = {}) => {
      const current = Object.fromEntries(new URLSearchParams(location.search));
      route(`${path}/${searchOf({ ...current, ...changes })}`, !push);
    },
    [path, route],
  );
  return { query, set, go: (page) => route(href(page)) };
}
