import { join } from "node:path";

const SRC = join(import.meta.dir, "../../src");

/** Constants that a user can meet, by folder of `src`. The order is that of the page. */
type Group = { title: string; constants: Record<string, readonly string[]> };

const GROUPS: readonly Group[] = [
  {
    title: "Events",
    constants: {
      "core/capture": ["BODY_BYTES_MAX", "EXCEPTION_LIST_BYTES_MAX"],
      "http/request": ["UPLOAD_MS_MAX", "BODIES_BYTES_MAX", "SHORT_BODIES_BYTES_MIN"],
      "core/events": [
        "EVENT_BYTES_MAX",
        "AI_EVENT_BYTES_MAX",
        "EVENT_NAME_CHARS_MAX",
        "DISTINCT_ID_CHARS_MAX",
        "JSON_DEPTH_MAX",
        "OBJECT_KEYS_MAX",
        "FUTURE_MS_MAX",
      ],
      "stores/loads": ["READ_BYTES_MAX"],
      "core/warnings": ["WARNING_SAMPLES_MAX"],
    },
  },
  {
    title: "Persons and groups",
    constants: {
      "core/identity": [
        "PERSON_BYTES_MAX",
        "GROUP_TYPES_MAX",
        "GROUP_KEY_CHARS_MAX",
        "GROUP_BYTES_MAX",
        "PROPERTIES_MAX",
      ],
      "core/persons": ["BULK_PERSONS_MAX"],
      "stores/loads": ["READ_CHARS_MAX"],
      "core/erasure": ["ATTEMPTS_MAX", "PLACES_MAX"],
    },
  },
  {
    title: "Logs",
    constants: {
      "core/logs": [
        "LOG_RECORD_BYTES_MAX",
        "LOGS_BYTES_MAX",
        "LOG_LIMIT_MAX",
        "LOG_OFFSET_MAX",
        "LOG_SERVICES_MAX",
        "LOG_SEARCH_CHARS_MAX",
      ],
    },
  },
  {
    title: "Requests, lists and filters",
    constants: {
      http: ["MANAGEMENT_BODY_BYTES_MAX"],
      "http/answer": ["WARNINGS_BYTES_MAX"],
      "core/values": [
        "PAGE_LIMIT_MAX",
        "PAGE_BYTES_MAX",
        "PROPERTY_FILTERS_MAX",
        "FILTER_VALUES_MAX",
        "DIGITS_MAX",
      ],
      "stores/duckdb/lists": ["PATTERNS_MAX", "PROPERTY_PERSONS_MAX"],
      "http/routes": ["EVENTS_OFFSET_MAX"],
    },
  },
  {
    title: "Insights",
    constants: {
      "core/questions": ["WORDS_CHARS_MAX"],
      "core/access": ["CLIENT_QUERY_ID_CHARS_MAX"],
      "core/queries": [
        "QUERY_BYTES_MAX",
        "SERIES_MAX",
        "FORMULA_CHARS_MAX",
        "BREAKDOWNS_MAX",
        "BREAKDOWN_LIMIT_MAX",
        "BUCKETS_MAX",
        "FUNNEL_STEPS_MAX",
        "FUNNEL_EXCLUSIONS_MAX",
        "FUNNEL_OVERLAPPING_MAX",
        "RETENTION_INTERVALS_MAX",
        "PATH_STEPS_MAX",
        "PATH_EDGES_MAX",
        "INSIGHTS_MAX",
        "INSIGHT_NAME_CHARS_MAX",
        "INSIGHT_DESCRIPTION_CHARS_MAX",
      ],
    },
  },
  {
    title: "Dashboards",
    constants: {
      "core/dashboards": [
        "DASHBOARD_TILES_MAX",
        "DASHBOARD_NAME_CHARS_MAX",
        "DASHBOARD_DESCRIPTION_CHARS_MAX",
        "DASHBOARD_FILTERS_BYTES_MAX",
        "TILE_TEXT_CHARS_MAX",
        "ANNOTATION_CHARS_MAX",
      ],
      "http/routes/dashboards": ["STREAMED_QUERIES_MAX"],
    },
  },
  {
    title: "Names of events and properties",
    constants: {
      "core/events": [
        "DESCRIBED_MAX",
        "DESCRIPTION_CHARS_MAX",
        "ALSO_CALLED_MAX",
        "ALSO_CALLED_CHARS_MAX",
      ],
    },
  },
  {
    title: "SQL",
    constants: {
      "core/sql": ["SQL_BYTES_MAX", "SQL_ROWS_DEFAULT", "SQL_RUNNING_MAX", "SQL_ANSWER_BYTES_MAX"],
      "stores/duckdb/sql": [
        "SQL_COLUMNS_MAX",
        "WINDOW_OFFSET_MAX",
        "SQL_SIZE_MAX",
        "SQL_SETS_MAX",
        "SQL_SETS_SIZE_MAX",
        "SQL_DEPTH_MAX",
        "SQL_GROWTH_MAX",
        "RANGE_MAX",
        "TOP_MAX",
        "LAMBDA_CHARS_MAX",
      ],
      "stores/duckdb/sql/hogql": ["LIST_VALUES_MAX"],
    },
  },
  {
    title: "Keys and projects",
    constants: {
      "core/access": [
        "KEY_LABEL_CHARS_MAX",
        "KEYS_PER_USER_MAX",
        "FAILURES_PER_MINUTE_MAX",
        "PROJECTS_MAX",
        "PROJECT_NAME_CHARS_MAX",
        "FORMER_KEYS_MAX",
        "GRACE_HOURS_MAX",
      ],
    },
  },
  {
    title: "Console",
    constants: {
      "core/access": [
        "SESSION_IDLE_DAYS_MAX",
        "SESSION_DAYS_MAX",
        "FRESH_MINUTES_MAX",
        "SESSIONS_PER_USER_MAX",
        "LINK_MINUTES_MAX",
      ],
    },
  },
  {
    title: "Playlists",
    constants: {
      "core/playlists": ["PLAYLIST_FILTERS_BYTES_MAX", "SESSION_RECORDING_ID_CHARS_MAX"],
    },
  },
  {
    title: "Disk",
    constants: {
      "core/ingest": ["FLOOR_BYTES_MIN", "FLOOR_BYTES_MAX"],
      "core/operations": ["STALL_MS_MAX"],
    },
  },
];

/** One limit: its value with a unit, and the first sentence of its docstring. */
type Limit = { value: string; meaning: string };

/** The page of all limits. */
export async function limitsPage(): Promise<string> {
  const sections = GROUPS.map(async ({ title, constants }) => {
    const limits = await Promise.all(
      Object.entries(constants).flatMap(([folder, names]) =>
        names.map((name) => limitOf(folder, name)),
      ),
    );
    const rows = limits.map(({ value, meaning }) => `| ${meaning} | ${value} |`);
    return [`## ${title}`, ["| limit | value |", "|---|---|", ...rows].join("\n")].join("\n\n");
  });
  const parts = [
    "# Limits",
    "These bounds are fixed; [settings](settings.md) has the others. Events that were dropped or changed count as [warnings](warnings.md).",
    ...(await Promise.all(sections)),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** Reads a constant of a folder, and its docstring. Throws if no file there exports it. */
async function limitOf(folder: string, name: string): Promise<Limit> {
  const declaration = new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\nexport const ${name}\\b`);
  for (const file of new Bun.Glob("*.ts").scanSync(join(SRC, folder))) {
    const path = join(SRC, folder, file);
    const docstring = declaration.exec(await Bun.file(path).text())?.[1];
    if (docstring === undefined) continue;
    const { [name]: value } = await import(path);
    return { value: withUnit(name, Number(value)), meaning: firstSentence(docstring) };
  }
  throw new Error(`No file of src/${folder} exports ${name} with a docstring.`);
}

function firstSentence(docstring: string): string {
  const text = docstring
    .replace(/\n\s*\*/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  const [sentence = ""] = text.split(/(?<=\.) /, 1);
  return sentence
    .replace(/ \((contract|decisions?) [^)]*\)/g, "")
    .replace(/, in (milliseconds|bytes)/, "")
    .replace(/\.$/, "");
}

/** Units by a part of the constant's name, the largest first. Other values have the unit of their docstring. */
const UNITS: Record<string, readonly [size: number, unit: string][]> = {
  _BYTES_: [
    [2 ** 30, "GiB"],
    [2 ** 20, "MiB"],
    [2 ** 10, "KiB"],
    [1, "bytes"],
  ],
  _MS_: [
    [3_600_000, "hours"],
    [1000, "seconds"],
  ],
};

/** A value with the largest unit that divides it. */
function withUnit(name: string, value: number): string {
  const units = Object.entries(UNITS).find(([part]) => name.includes(part))?.[1] ?? [];
  const [size, unit] = units.find(([one]) => value % one === 0) ?? [1, ""];
  return `${(value / size).toLocaleString("en")} ${unit}`.trim();
}
