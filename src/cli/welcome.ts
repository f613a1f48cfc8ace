import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "../app/process/version.ts";
import type { Settings } from "../app/settings/settings.ts";
import type { Io } from "./command.ts";

/** The file that gets the first personal key when the output is no terminal. */
const INITIAL_KEY_FILE = "initial-key";

/** The lines that each start prints: version, data directory and addresses, and the public one if it is given. */
export function banner({ data, public_url: publicUrl }: Settings, url: string): string[] {
  return [
    `hoglet ${VERSION}`,
    `data       ${data}`,
    `capture    ${url}/i/v0/e/  ${url}/batch/`,
    `API        ${url}/api/projects/`,
    `docs       ${url}/docs`,
    ...(publicUrl === undefined ? [] : [`public     ${publicUrl}`]),
  ];
}

/**
 * The lines that the first start prints: the keys, a first event to send from this machine to `url`, and
 * the call in a web page, which has the public address.
 */
export function welcome(
  { public_url: publicUrl }: Settings,
  url: string,
  { projectKey, personalKey }: { projectKey: string; personalKey: string },
): string[] {
  const event = JSON.stringify({ api_key: projectKey, event: "hello", distinct_id: "me" });
  return [
    "",
    `project key   ${projectKey}`,
    `personal key  ${personalKey}`,
    "",
    "Send an event:",
    `  curl ${url}/i/v0/e/ -H 'content-type: application/json' -d '${event}'`,
    "From a web page:",
    `  posthog.init('${projectKey}', { api_host: '${publicUrl ?? url}' })`,
    "",
  ];
}

/** The personal key on a terminal, else the path of the file that has it. */
export function keptKey(key: string | undefined, { data }: Settings, { isTerminal }: Io): string {
  if (key === undefined) return "as in the settings";
  if (isTerminal) return `${key}  (shown only once)`;
  const path = join(data, INITIAL_KEY_FILE);
  writeFileSync(path, `${key}\n`, { mode: 0o600 });
  return `in ${path}`;
}
