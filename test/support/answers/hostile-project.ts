import { PERSONAL_KEY, PROJECT_KEY, type Server } from "../start/server.ts";

/** Markup that runs a script in a page which takes the text for HTML or for a template. */
const MARKUP = [
  "<img src=x onerror=pwned=1>",
  `"'><svg onload=pwned=1>`,
  "</textarea><script>pwned=1</script>",
  "{{constructor.constructor('pwned=1')()}}",
  "\u202e",
].join("");

/** What a page shows of each hostile text, however short it is, in JSON too. */
export const shownOf = (place: string): string => `${place} ${MARKUP.slice(0, 27)}`;

/** A text that a page may take for markup, and one long word, named by the place that it is sent to. */
export const hostile = (place: string, length: number): string =>
  `${place} ${MARKUP} `.padEnd(length, "w").slice(0, length);

/** The places that got a hostile text, and whose texts the console shows. */
export const PLACES = new Set<string>();

function sent(place: string, length: number): string {
  PLACES.add(place);
  return hostile(place, length);
}

/** An address that runs a script in a page which links to it. */
const script = (place: string): string => `javascript:pwned=1//${sent(place, 400)}`;

/** Longest texts: of a value, of names and addresses, of names that are cut, of labels. */
const [VALUE, LONG, NAME, LABEL] = [10_000, 400, 200, 40];

const EVENT = sent("event", NAME);
const PROPERTY = sent("property", LONG);
const GROUP = sent("group key", LONG);
const GROUP_TYPE = sent("group type", LONG);

const VISIT = {
  $session_id: sent("session", NAME),
  $pathname: script("path"),
  $current_url: `https://shop.example/${hostile("address", LONG).replaceAll(" ", "")}`,
  $referrer: script("referrer"),
  $referring_domain: sent("domain", LONG),
  utm_source: sent("source", LONG),
  $device_type: sent("device", LONG),
};

const $set = { email: sent("e-mail", VALUE), [PROPERTY]: script("person value") };

/** Events with hostile names, ids, properties and groups, and the merge of a person into the first one. */
const EVENTS = [
  { event: "$pageview", distinct_id: sent("first id", NAME), properties: VISIT },
  { event: "$identify", distinct_id: sent("id", NAME), properties: { $set } },
  {
    event: "$create_alias",
    distinct_id: sent("id", NAME),
    properties: { alias: sent("first id", NAME) },
  },
  {
    event: "$groupidentify",
    distinct_id: sent("id", NAME),
    properties: {
      $group_type: GROUP_TYPE,
      $group_key: GROUP,
      $group_set: { name: sent("group name", VALUE), [PROPERTY]: script("group value") },
    },
  },
  {
    event: EVENT,
    distinct_id: sent("id", NAME),
    properties: {
      ...VISIT,
      [PROPERTY]: `${sent("value", VALUE)}\0`,
      $groups: { [GROUP_TYPE]: GROUP },
    },
  },
];

const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } });

/** A log record whose texts are hostile. */
const logs = () => ({
  resourceLogs: [
    {
      resource: { attributes: [attribute("service.name", sent("service", LONG))] },
      scopeLogs: [
        {
          logRecords: [
            {
              severityText: "ERROR",
              timeUnixNano: `${Date.now() - 60_000}000000`,
              body: { stringValue: sent("record", VALUE) },
              attributes: [attribute(sent("attribute", LONG), script("attribute value"))],
            },
          ],
        },
      ],
    },
  ],
});

const series = [{ kind: "EventsNode", event: EVENT, math: "total" }];
const properties = [{ key: PROPERTY, operator: "is_set", type: "event" }];
const dateRange = { date_from: "-7d" };
const breakdownFilter = { breakdown: PROPERTY, breakdown_type: "event" };

/** A question of each kind that shows names or values. */
const QUERIES = {
  lines: { kind: "TrendsQuery", series, properties, dateRange, breakdownFilter },
  bars: {
    kind: "TrendsQuery",
    ...{ series, dateRange, breakdownFilter },
    trendsFilter: { display: "ActionsBarValue" },
  },
  funnel: { kind: "FunnelsQuery", series: [...series, ...series], dateRange },
  paths: {
    kind: "PathsQuery",
    dateRange,
    pathsFilter: { includeEventTypes: ["$pageview", "custom_event"] },
  },
  rows: {
    kind: "HogQLQuery",
    query: `SELECT event AS "${sent("column", 60).replaceAll('"', '""')}" FROM events`,
  },
};

/** The ids of what was made in a project with hostile texts. */
export type HostileProject = {
  person: string;
  group: string;
  dashboard: number;
  playlist: string;
  insights: Record<keyof typeof QUERIES, string>;
};

/** Fills the first project of a server with hostile texts in each place that the console shows. */
export async function hostileProject(server: Server): Promise<HostileProject> {
  const send = async (method: string, path: string, body: unknown, headers = {}) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        ...{ authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" },
        ...headers,
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (response.ok || response.status === 401) return text === "" ? {} : JSON.parse(text);
    throw new Error(`${method} ${path}: ${response.status} ${text}`);
  };
  const make = <T>(path: string, body: unknown): Promise<T> =>
    send("POST", `/api/environments/1/${path}/`, body);
  await server.capture({ api_key: PROJECT_KEY, batch: EVENTS });
  const wrong = { api_key: `phc_<img src=x onerror=pwned=1>`, event: "lost", distinct_id: "ann" };
  await send("POST", "/i/v0/e/", wrong, {
    "posthog-sdk-info": sent("sdk", 100).replace("\u202e", ""),
  });
  await send("POST", "/i/v1/logs", logs(), { authorization: `Bearer ${PROJECT_KEY}` });
  await server.stored(EVENTS.length);
  // The default dashboard is made.
  await server.get("/dashboards/");
  await send("PATCH", "/api/projects/1/", { name: sent("project", NAME) });
  await send("POST", "/api/personal_api_keys/", { label: sent("key", LABEL), scopes: ["*"] });
  await make("annotations", { content: sent("annotation", LONG) });
  const texts = (place: string) => ({
    name: sent(`${place} name`, LONG),
    description: sent(`${place} text`, LONG),
  });
  const made = await Promise.all(
    Object.entries(QUERIES).map(([name, query]) =>
      make<{ id: number; short_id: string }>("insights", { ...texts(name), query }),
    ),
  );
  const { id } = await make<{ id: number }>("dashboards", {
    ...texts("dashboard"),
    filters: { date_from: "-7d" },
    tiles: [
      { text: { body: sent("text tile", 4000) } },
      ...made.map((insight) => ({ insight: insight.id })),
    ],
  });
  const { short_id } = await make<{ short_id: string }>("session_recording_playlists", {
    ...texts("playlist"),
    type: "collection",
  });
  const recording = encodeURIComponent(sent("recording", NAME));
  await make(`session_recording_playlists/${short_id}/recordings/${recording}`, {});
  const { results } = await server.get<{ results: { uuid: string }[] }>("/persons/");
  return {
    person: results[0]?.uuid ?? "",
    group: GROUP,
    dashboard: id,
    playlist: short_id,
    insights: Object.fromEntries(
      Object.keys(QUERIES).map((name, at) => [name, made[at]?.short_id ?? ""]),
    ) as HostileProject["insights"],
  };
}
