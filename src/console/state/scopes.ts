/** The objects of scopes with their names for readers, in the order of the pages. */
export const SCOPES: readonly { object: string; title: string }[] = [
  { object: "query", title: "Events and SQL" },
  { object: "insight", title: "Insights" },
  { object: "dashboard", title: "Dashboards" },
  { object: "annotation", title: "Annotations" },
  { object: "person", title: "People" },
  { object: "group", title: "Groups" },
  { object: "event_definition", title: "Event definitions" },
  { object: "property_definition", title: "Property definitions" },
  { object: "session_recording_playlist", title: "Playlists" },
  { object: "error_tracking", title: "Logs" },
  { object: "activity_log", title: "Activity log" },
  { object: "project", title: "Projects" },
  { object: "personal_api_key", title: "Personal API keys" },
  { object: "user", title: "User" },
];

/** The right to each object. An absent one is not allowed at all. */
export type Chosen = Readonly<Record<string, "read" | "write">>;

/** Scopes as the API has them. */
export const scopesOf = (chosen: Chosen): string[] =>
  SCOPES.flatMap(({ object }) => (chosen[object] ? [`${object}:${chosen[object]}`] : []));

/** A text of the API with its scopes as the form of keys names them, such as "Events and SQL (query:read)". */
export const withTitles = (text: string): string =>
  text.replace(/'((\w+):(?:read|write))'/g, (quoted, scope, object) => {
    const title = SCOPES.find((one) => one.object === object)?.title;
    return title === undefined ? quoted : `${title} (${scope})`;
  });

/** Scopes in few words, such as "Persons: read and write, Insights: read". */
export function scopesText(scopes: readonly string[]): string {
  if (scopes.includes("*")) return "Full access";
  const isReading = SCOPES.every(({ object }) => scopes.includes(`${object}:read`));
  if (isReading && scopes.length === SCOPES.length) return "Read only";
  return scopes
    .map((scope) => {
      const [object, action] = scope.split(":");
      const title = SCOPES.find((one) => one.object === object)?.title ?? object;
      return `${title}: ${action === "write" ? "read and write" : "read"}`;
    })
    .join(", ");
}
