import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isPersonalKey, isProjectKey } from "../../core/access/key.ts";
import { machine } from "../process/machine-limits.ts";
import {
  choice,
  email,
  hosts,
  networks,
  optional,
  type Row,
  schedule,
  secret,
  text,
  url,
  whole,
} from "./types.ts";

/** The least memory: with less, deletions and rebuilds cannot rewrite the event store's file. */
const MEMORY_MB_MIN = 128;

/** The most memory that DuckDB takes by default, in MB. It takes less if a quarter of the machine's is less. */
const MEMORY_DEFAULT_MB_MAX = 256;

const { memoryBytes, processors } = machine();

const MEMORY_DEFAULT_MB = Math.max(
  MEMORY_MB_MIN,
  Math.min(MEMORY_DEFAULT_MB_MAX, Math.floor(memoryBytes / 4 / 1e6)),
);

const ROWS = {
  data: text("data directory", "./data"),
  host: text("address to listen on; 0.0.0.0 for all", "127.0.0.1"),
  port: whole("port to listen on; 0 for any free one", 8000, [0, 65_535]),
  public_url: url("address under which clients reach the server"),
  allowed_hosts: hosts("host names that links in answers may use, separated by commas"),
  trusted_proxies: networks(
    "addresses or networks of proxies whose X-Forwarded-For counts, separated by commas",
  ),
  geoip: choice<"on" | "off">(
    "whether events get the country of the sender's address, which is not stored",
    "on",
    ["on", "off"],
  ),
  tls_cert: optional("file with the TLS certificate chain (PEM)"),
  tls_key: optional("file with the TLS key (PEM)"),
  owner_email: email("e-mail address of the first user", "owner@localhost.localdomain"),
  project_key: secret("key of the first project, phc_…; made at the first start if not given", {
    isValid: isProjectKey,
    form: "phc_ and 4 to 60 letters, digits, - or _",
  }),
  personal_key: secret(
    "a personal key for everything, phx_…; made at the first start if not given",
    { isValid: isPersonalKey, form: "phx_ and 20 to 60 letters, digits, - or _" },
  ),
  prefer: choice<"minimal" | "representation">(
    "content of answers that are empty by contract, unless the request has a Prefer header",
    "minimal",
    ["minimal", "representation"],
  ),
  dedup_window: whole(
    "time in which an event with the same uuid is a duplicate",
    48,
    [1, 168],
    "hours",
  ),
  deletions_weekly: schedule("when the events of deleted persons are deleted", "0 5 * * 0"),
  deletions_nightly: schedule("when events are deleted whose person stays", "0 3 * * *"),
  journal: whole(
    "most space for journal whose events are in the event store already",
    2048,
    [1, 1_048_576],
    "MB",
  ),
  archive: choice<"on" | "off">(
    "whether events that leave the journal are kept as Parquet, from which the event store can be rebuilt",
    "on",
    ["on", "off"],
  ),
  memory: whole("memory for DuckDB", MEMORY_DEFAULT_MB, [MEMORY_MB_MIN, 1_048_576], "MB"),
  threads: whole("threads for DuckDB", processors, [1, 256]),
  query_seconds: whole(
    "longest time for reading the event store for one answer",
    30,
    [1, 120],
    "seconds",
  ),
  query_rows: whole("most rows of the answer to a query in SQL", 10_000, [1, 1_000_000]),
  disk_floor: whole(
    "share of the disk that stays free, 128 MB to 2 GB; below it events are refused; 0 turns this off",
    5,
    [0, 50],
    "%",
  ),
  console: choice<"on" | "off">("whether browsers get the console at /console/", "on", [
    "on",
    "off",
  ]),
  log_format: choice<"auto" | "human" | "json">(
    "format of logs; auto is human on a terminal, else json",
    "auto",
    ["auto", "human", "json"],
  ),
} satisfies Record<string, Row<unknown>>;

type Rows = typeof ROWS;

/** The name of a setting. */
export type SettingName = keyof Rows;

/** The value of every setting. */
export type Settings = { [Name in SettingName]: Rows[Name]["fallback"] };

/** Where a value came from. */
export type Source = "flag" | "environment" | "file" | "default";

/** One setting as `hoglet config` shows it. */
export type ShownSetting = { name: string; value: string; source: Source; help: string };

/** A setting or flag that is unknown or wrong; the message is a sentence for the operator. */
export class ConfigError extends Error {}

/** The settings file, unless `--config` or HOGLET_CONFIG names another. */
const CONFIG_FILE = "hoglet.toml";

type Given = Record<string, { text: string; source: Source }>;

/** The values that were set, by source. */
export type Config = { settings: Settings; shown: ShownSetting[] };

/**
 * Reads every setting: flag over environment over file over default (decision 17). Throws ConfigError on an
 * unknown name and on a wrong value.
 */
export function readConfig(
  flags: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Config {
  const given: Given = { ...fromFile(flags, env), ...fromEnv(env), ...fromFlags(flags) };
  const shown: ShownSetting[] = [];
  const entries = Object.entries<Row<unknown>>(ROWS).map(([name, row]) => {
    const found = given[name];
    const value = found === undefined ? row.fallback : parsed(name, row, found);
    const plain = row.secret && value !== undefined ? "(secret)" : String(value ?? "");
    const unit = row.unit === undefined ? "" : ` ${row.unit}`;
    shown.push({ name, value: plain + unit, source: found?.source ?? "default", help: row.help });
    return [name, value];
  });
  const settings = Object.fromEntries(entries) as Settings;
  if ((settings.tls_cert === undefined) !== (settings.tls_key === undefined)) {
    throw new ConfigError("tls_cert and tls_key belong together: set both or neither.");
  }
  return { settings: { ...settings, data: resolve(settings.data) }, shown };
}

/** Flags of all settings with their help, for `hoglet help`. */
export function settingsHelp(): [string, string][] {
  return describeSettings().map(({ flag, help, fallback }) => [
    flag,
    fallback === "" ? help : `${help} (${fallback})`,
  ]);
}

/** A setting as the documentation has it. */
export type SettingDescription = {
  flag: string;
  help: string;
  /** Empty if any text will do, or `help` names the values. */
  values: string;
  /** Empty if there is no default. */
  fallback: string;
  /** The default in words, if it depends on the machine. */
  computed?: string | undefined;
};

const COMPUTED: Partial<Record<string, string>> = {
  memory: `a quarter of the machine's memory, ${MEMORY_MB_MIN} to ${MEMORY_DEFAULT_MB_MAX} MB`,
  threads: "the number of processors",
} satisfies Partial<Record<SettingName, string>>;

/** Describes every setting, in the same words on every machine. */
export function describeSettings(): SettingDescription[] {
  return Object.entries<Row<unknown>>(ROWS).map(([name, row]) => {
    const { help, unit = "", values = "" } = row;
    const fallback = String(row.fallback ?? "");
    return {
      flag: flagOf(name),
      help,
      values: values && `${values} ${unit}`.trim(),
      fallback: fallback && `${fallback} ${unit}`.trim(),
      computed: COMPUTED[name],
    };
  });
}

/** Whether a flag sets a setting. */
export function isSettingFlag(flag: string): boolean {
  return flag === "--config" || Object.keys(ROWS).some((name) => flagOf(name) === flag);
}

function flagOf(name: string): string {
  return `--${name.replaceAll("_", "-")}`;
}

function parsed(name: string, row: Row<unknown>, { text: value, source }: Given[string]): unknown {
  try {
    return row.parse(value);
  } catch (error) {
    const what = { flag: flagOf(name), environment: `HOGLET_${name.toUpperCase()}` };
    const shown = source === "flag" || source === "environment" ? what[source] : name;
    throw new ConfigError(`${shown} ${error instanceof Error ? error.message : "is wrong"}.`);
  }
}

function fromFlags(flags: Readonly<Record<string, string>>): Given {
  return Object.fromEntries(
    Object.entries(flags)
      .filter(([flag]) => flag !== "--config" && isSettingFlag(flag))
      .map(([flag, value]) => [
        flag.slice(2).replaceAll("-", "_"),
        { text: value, source: "flag" as const },
      ]),
  );
}

function fromEnv(env: Readonly<Record<string, string | undefined>>): Given {
  const given: Given = {};
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith("HOGLET_") || value === undefined) continue;
    const name = variable.slice("HOGLET_".length).toLowerCase();
    if (name === "config") continue;
    const row = rowOf(name);
    const secretName = name.replace(/_file$/, "");
    if (row !== undefined) given[name] = { text: value, source: "environment" };
    else if (secretName !== name && rowOf(secretName)?.secret) {
      given[secretName] = { text: readText(value, variable).trim(), source: "environment" };
    } else throw new ConfigError(`${variable} is no setting of hoglet. See: hoglet help.`);
  }
  return given;
}

function fromFile(
  flags: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>>,
): Given {
  const named = flags["--config"] ?? env["HOGLET_CONFIG"];
  if (named === undefined && !existsSync(CONFIG_FILE)) return {};
  const path = named ?? CONFIG_FILE;
  const entries = Object.entries(parseToml(readText(path, "--config"), path));
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (rowOf(name) === undefined) {
        throw new ConfigError(`${path}: ${name} is no setting of hoglet. See: hoglet help.`);
      }
      const flat = Array.isArray(value) ? value.join(",") : String(value);
      return [name, { text: flat, source: "file" as const }];
    }),
  );
}

function rowOf(name: string): Row<unknown> | undefined {
  return Object.hasOwn(ROWS, name) ? (ROWS as Record<string, Row<unknown>>)[name] : undefined;
}

function parseToml(content: string, path: string): Record<string, unknown> {
  try {
    return Bun.TOML.parse(content) as Record<string, unknown>;
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`${path} is not valid TOML: ${detail}.`);
  }
}

function readText(path: string, from: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new ConfigError(`The file ${path} (from ${from}) cannot be read.`);
  }
}
