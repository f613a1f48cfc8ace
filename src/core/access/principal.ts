/** The kinds of objects that scopes name. */
export const SCOPE_OBJECTS = [
  "activity_log",
  "error_tracking",
  "event_definition",
  "group",
  "insight",
  "person",
  "personal_api_key",
  "project",
  "property_definition",
  "query",
  "session_recording_playlist",
  "user",
] as const;

/** One permission, `<object>:<read|write>` (contract 5.1). */
export type Scope = `${(typeof SCOPE_OBJECTS)[number]}:${"read" | "write"}`;

/** The user and the rights of a personal key. */
export type Principal = {
  key_id: number;
  user_id: number;
  /** Scopes, or `*` for all of them. */
  scopes: readonly string[];
  /** The projects the key is confined to; null for all. */
  scoped_teams: readonly number[] | null;
  /** When the key ends, ISO 8601; null for never. */
  expires_at: string | null;
};

/** The rights of a key: scopes, projects and time. */
export type Reach = Pick<Principal, "scopes" | "scoped_teams" | "expires_at">;

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

/** Whether the principal holds a scope, or `*`; write implies read. */
export function allows({ scopes }: Pick<Principal, "scopes">, scope: string): boolean {
  if (scopes.includes("*") || scopes.includes(scope)) return true;
  return scope.endsWith(":read") && scopes.includes(scope.replace(/:read$/, ":write"));
}

/**
 * A sentence that names the scopes, projects or time of a key that the principal does not have itself;
 * undefined if it has all. Leave `expires_at` out where the key's time does not count.
 */
export function beyond(
  principal: Reach,
  { scopes, scoped_teams, expires_at }: Omit<Reach, "expires_at"> & Partial<Reach>,
): string | undefined {
  const scope = scopes.find((wanted) => !allows(principal, wanted));
  if (scope !== undefined) return `The API key lacks the scope '${scope}'.`;
  if (scoped_teams?.every((wanted) => sees(principal, wanted)) === false) {
    return "The API key may not see one of these projects.";
  }
  if (scoped_teams === null && principal.scoped_teams !== null) {
    return "The API key may not see all projects.";
  }
  const end = principal.expires_at;
  const outlasts = end !== null && expires_at !== undefined && (expires_at ?? "~") > end;
  return outlasts ? "The API key itself ends before that." : undefined;
}

/** Whether the principal may see a project at all. */
export function sees({ scoped_teams }: Pick<Principal, "scoped_teams">, project: number): boolean {
  return scoped_teams === null || scoped_teams.includes(project);
}
