import { signal } from "@preact/signals";
import type { Schemas } from "./client.ts";
import { request } from "./client.ts";
import { Problem } from "./problem.ts";
import { isSignedOut } from "./signed-out.ts";

/** The signed-in user, the key of the session, and its end. */
export type Session = {
  user: Schemas["User"];
  key: {
    id: number;
    label: string;
    scopes: string[];
    scoped_teams: number[] | null;
    expires_at: string | null;
  };
  expires_at: string;
  /** Until then keys may be made and changed without signing in again. */
  fresh_until: string;
};

const PATH = "/console/api/session/";

/** The session of this browser; undefined until the server has answered, null without one. */
export const session = signal<Session | null | undefined>(undefined);

/** Asks for the session of this browser. Throws a problem if the server cannot say. */
export async function loadSession(): Promise<void> {
  try {
    session.value = await (await request("GET", PATH)).json();
    isSignedOut.value = false;
  } catch (error) {
    if (!(error instanceof Problem && error.status === 401)) throw error;
    session.value = null;
  }
}

/** Signs in by the value of a link or by a personal key. Throws a problem if it is refused. */
export async function signIn(by: { link: string } | { key: string }): Promise<void> {
  const response = await request("POST", PATH, { body: by });
  session.value = await response.json();
  isSignedOut.value = false;
}

/** Ends the session. */
export async function signOut(): Promise<void> {
  await request("DELETE", PATH);
  session.value = null;
}

/** Whether the session's key has a scope, such as `person:write`. */
export function may(scope: string): boolean {
  const scopes = session.value?.key.scopes ?? [];
  const [object, action] = scope.split(":");
  const implied = action === "read" && scopes.includes(`${object}:write`);
  return scopes.includes("*") || scopes.includes(scope) || implied;
}
