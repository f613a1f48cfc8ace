/** What a scope is about. */
export const SCOPE_OBJECTS = [
  "activity_log",
  "error_tracking",
  "group",
  "insight",
  "person",
  "personal_api_key",
  "project",
  "query",
  "session_recording_playlist",
  "user",
] as const;

/** One permission, `<object>:<read|write>` (contract 5.1). */
export type Scope = `${(typeof SCOPE_OBJECTS)[number]}:${"read" | "write"}`;

/** Who a personal key speaks for, and what it may do. */
export type Principal = {
  key_id: number;
  user_id: number;
  /** Scopes, or `*` for all of them. */
  scopes: readonly string[];
  /** The projects the key is confined to; null for all. */
  scoped_teams: readonly number[] | null;
};

/** Whether `text` may stand in a key's list of scopes. */
export function isScope(text: string): boolean {
  if (text === "*") return true;
  const [object, action, ...rest] = text.split(":");
  return (
    rest.length === 0 &&
    (action === "read" || action === "write") &&
    SCOPE_OBJECTS.some((known) => known === object)
  );
}

/** Whether the principal holds a scope; write implies read. */
export function allows({ scopes }: Principal, scope: Scope): boolean {
  if (scopes.includes("*") || scopes.includes(scope)) return true;
  return scope.endsWith(":read") && scopes.includes(scope.replace(/:read$/, ":write"));
}

/** Whether the principal may see a project at all. */
export function sees({ scoped_teams }: Principal, project: number): boolean {
  return scoped_teams === null || scoped_teams.includes(project);
}
