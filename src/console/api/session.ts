import { signal } from "@preact/signals";
import { CONSOLE } from "../state/base.ts";
import { keepTheme } from "../state/preferences.ts";
import { projects } from "../state/project.ts";
import { api, request, type Schemas } from "./client.ts";
import { Problem } from "./problem.ts";
import { isSignedOut, waitingStep } from "./signed-out.ts";

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
  /** Whether it may delete at once, and not only at the next run. */
  runs_deletions: boolean;
};

const PATH = "/console/api/session/";

/** The session of this browser; undefined until the server has answered, null without one. */
export const session = signal<Session | null | undefined>(undefined);

/** Asks for the session of this browser. Throws a problem if the server cannot say. */
export async function loadSession(): Promise<void> {
  session.value = await (await request("GET", PATH)).json();
  if (session.value) isSignedOut.value = false;
}

/** Loads the projects. Throws a problem if they cannot be read. */
export async function loadProjects(): Promise<void> {
  projects.value = (await api.get("/api/projects/", { query: { limit: 1000 } })).results;
}

/** Signs in by the value of a link or by a personal key. Throws a problem if it is refused. */
export async function signIn(by: { link: string } | { key: string }): Promise<void> {
  const response = await request("POST", PATH, { body: by });
  session.value = await response.json();
  isSignedOut.value = false;
  waitingStep.value?.go();
  otherTabs.postMessage("signed in");
}

/**
 * Does what needs a sign-in of the last hour. If that is too long ago, the sign-in opens over the page, and
 * then it is done again. Throws the refusal if the user closes the sign-in.
 */
export async function soonAfterSignIn<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Problem && error.code === "sign_in_too_old")) throw error;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waitingStep.value = { go: resolve, giveUp: () => reject(error) };
    await promise.finally(() => {
      waitingStep.value = undefined;
    });
    return act();
  }
}

/** Ends the session, and leads to the sign-in page. */
export async function signOut(): Promise<void> {
  await request("DELETE", PATH);
  keepTheme();
  leave();
}

/** Leads to the sign-in page once the session has ended, here and in the other tabs. */
export function leave(): void {
  otherTabs.postMessage("signed out");
  leaveThisTab();
}

/** The page is emptied and loaded again, so that nothing of the old one stays, and Back does not lead to it. */
function leaveThisTab(): void {
  document.body.replaceChildren();
  location.replace(`${CONSOLE}/`);
}

/** The open tabs of this console in this browser, which share its session. */
const otherTabs = new BroadcastChannel(`hoglet session ${CONSOLE}`);

/** Follows a sign-in or a sign-out in another tab, and asks again once Back has shown a page that was kept. */
export function followOtherTabs(): void {
  otherTabs.onmessage = ({ data }) => {
    const isWaiting = session.value === null || isSignedOut.value;
    if (data === "signed out" && session.value) leaveThisTab();
    // Without an answer the form stays, and its button says why.
    else if (data === "signed in" && isWaiting) loadSession().catch(() => undefined);
  };
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
}

/** Begins a run of all queued and failed deletions. Throws a problem if the session may not. */
export async function runDeletions(): Promise<void> {
  await request("POST", "/console/api/deletions/run/");
}

/** A session of the user. */
export type ListedSession = {
  id: number;
  created_at: string;
  /** To the hour. */
  last_seen_at: string;
  method: "link" | "key";
  /** Such as "Firefox on Linux". */
  browser: string;
  key_id: number;
  /** Whether it is the one of this page. */
  current: boolean;
};

const LIST = "/console/api/sessions/";

/** The sessions of the user, the newest first. */
export async function listSessions(signal: AbortSignal): Promise<ListedSession[]> {
  return (await request("GET", LIST, { signal })).json();
}

/** Ends a session of the user. */
export async function endSession(id: number): Promise<void> {
  await request("DELETE", `${LIST}${id}/`);
}

/** Whether the session's key has a scope, such as `person:write`. */
export function may(scope: string): boolean {
  const scopes = session.value?.key.scopes ?? [];
  const [object, action] = scope.split(":");
  const implied = action === "read" && scopes.includes(`${object}:write`);
  return scopes.includes("*") || scopes.includes(scope) || implied;
}

/** Whether the key may ask questions, in words or by the builder. */
export const mayAsk = (): boolean => may("query:read") && may("insight:read");
