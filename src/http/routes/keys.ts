import { t } from "elysia";
import { KEY_LABEL_CHARS_MAX, type Principal } from "../../core/access/key.ts";
import type { Keys, ShownKey } from "../../core/access/keys.ts";
import { Failure } from "../../core/values/failure.ts";
import { readId } from "../../core/values/ids.ts";
import { route } from "../operation/route.ts";
import { BodyInteger, DateTime, of, PathId, Text, Texts, Whole } from "../operation/schemas.ts";

const KEYS = "/api/personal_api_keys/";
const OneKey = t.Object({
  id: PathId("The id of the key, or `@current` for the key of the request.", {
    type: "string",
    const: "@current",
  }),
});

/** A personal key. */
const KeyShape = t.Object(
  {
    id: Whole(1),
    user_id: Whole(1),
    label: Text("ci"),
    value: t.Nullable(Text("phx_…", "The key; only the answer that makes it has it.")),
    mask_value: Text("phx_ab…wxyz"),
    scopes: Texts(["person:read"]),
    scoped_teams: t.Array(
      t.Integer(),
      of([1], "The only projects that it may see; empty for all."),
    ),
    scoped_organizations: t.Array(t.String(), of([], "Always empty: there is one.")),
    created_at: DateTime,
    expires_at: t.Nullable(DateTime),
    last_used_at: t.Nullable(
      t.String({ format: "date-time", ...of("2026-11-21T12:00:00.000000Z", "Exact to an hour.") }),
    ),
    last_rolled_at: t.Nullable(DateTime),
  },
  { $id: "PersonalApiKey" },
);

const label = Text("ci", `At most ${KEY_LABEL_CHARS_MAX} characters.`);
const scopes = Texts(
  ["person:read"],
  "Each `<object>:<read|write>`, or `*` for all. Write includes read.",
);
const Confines = {
  scoped_teams: t.Optional(
    t.Nullable(
      t.Array(BodyInteger(1), { description: "The only projects that it may see; null for all." }),
    ),
  ),
  expires_at: t.Optional(
    t.Nullable(Text("2027-11-21T12:00:00Z", "When it ends, ISO 8601; null for never.")),
  ),
};
const KeyDraft = t.Object(
  { label, scopes, ...Confines },
  { $id: "PersonalApiKeyDraft", examples: [{ label: "ci", scopes: ["person:read"] }] },
);
const KeyChanges = t.Optional(
  t.Object(
    { label: t.Optional(label), scopes: t.Optional(scopes), ...Confines },
    { $id: "PersonalApiKeyChanges", examples: [{ label: "ci" }] },
  ),
);

/** The caller's own keys: a stolen narrow key must not become a broad or lasting one (decision 54). */
export const keyRoutes = (keys: Keys) => [
  route({
    method: "GET",
    path: KEYS,
    scope: "personal_api_key:read",
    operationId: "personal_api_keys_list",
    summary: "List the personal keys of the caller, the oldest first, without their values.",
    status: 200,
    response: t.Array(KeyShape),
    handle: async ({ principal }) => (await keys.list(principal)).map(listed),
  }),
  route({
    method: "POST",
    path: KEYS,
    scope: "personal_api_key:write",
    operationId: "personal_api_keys_create",
    summary: "Make a personal key. It may do no more than the key that asks.",
    body: KeyDraft,
    status: 201,
    response: KeyShape,
    handle: async ({ principal, body: { label, scopes, scoped_teams, expires_at } }) =>
      listed(await keys.create({ label, scopes, scoped_teams, expires_at }, principal)),
  }),
  route({
    method: "GET",
    path: `${KEYS}:id/`,
    scope: "personal_api_key:read",
    openFor: "@current",
    operationId: "personal_api_keys_retrieve",
    summary: "Read a personal key, without its value. Any key may read itself as `@current`.",
    params: OneKey,
    status: 200,
    response: KeyShape,
    handle: async ({ principal, params }) =>
      listed(await keys.get(idOf(params, principal), principal)),
  }),
  route({
    method: "PATCH",
    path: `${KEYS}:id/`,
    scope: "personal_api_key:write",
    operationId: "personal_api_keys_update",
    summary: "Change a personal key.",
    params: OneKey,
    body: KeyChanges,
    status: 200,
    response: KeyShape,
    async handle({ principal, params, body = {} }) {
      const [id, { scoped_teams, ...others }] = [idOf(params, principal), body];
      // A key for all projects is read with an empty list, which may be sent back.
      const isRead = scoped_teams?.length === 0 && !(await keys.get(id, principal)).scoped_teams;
      return listed(await keys.change(id, isRead ? others : body, principal));
    },
  }),
  route({
    method: "DELETE",
    path: `${KEYS}:id/`,
    scope: "personal_api_key:write",
    operationId: "personal_api_keys_destroy",
    summary: "End a personal key at once.",
    params: OneKey,
    status: 204,
    response: t.Void(),
    async handle({ principal, params }) {
      await keys.revoke(idOf(params, principal), principal);
      return new Response(null, { status: 204 });
    },
  }),
  route({
    method: "POST",
    path: `${KEYS}:id/roll/`,
    scope: "personal_api_key:write",
    operationId: "personal_api_keys_roll",
    summary: "Give a personal key a new value; the old one ends at once.",
    params: OneKey,
    status: 200,
    response: KeyShape,
    handle: async ({ principal, params }) =>
      listed(await keys.roll(idOf(params, principal), principal)),
  }),
];

/** A key as tools read it: without a confinement its lists are empty. */
const listed = ({ scoped_teams, ...key }: ShownKey) => {
  return { ...key, scoped_teams: [...(scoped_teams ?? [])], scoped_organizations: [] };
};

function idOf({ id }: { id: string }, { key_id }: Principal): number {
  if (id === "@current") return key_id;
  const integer = readId(id);
  if (integer !== undefined) return integer;
  throw new Failure("invalid_input", "A key's id is a whole number, or @current.", "id");
}
