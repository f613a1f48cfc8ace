import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "../app/process/version.ts";
import type { Settings } from "../app/settings/settings.ts";
import { LINK_MINUTES_DEFAULT } from "../core/access/sessions.ts";
import type { Io } from "./command.ts";

/** The file that gets the first personal key when the output is no terminal. */
const INITIAL_KEY_FILE = "initial-key";

/** The lines that each start prints: version, data directory and addresses, and the public one if it is given. */
export function banner(settings: Settings, url: string): string[] {
  const { data, public_url: publicUrl } = settings;
  return [
    `hoglet ${VERSION}`,
    `data       ${data}`,
    `capture    ${url}/i/v0/e/  ${url}/batch/`,
    `API        ${url}/api/projects/`,
    `docs       ${url}/docs`,
    ...(settings.console === "on" ? [`console    ${url}/console/`] : []),
    ...(publicUrl === undefined ? [] : [`public     ${publicUrl}`]),
  ];
}

/**
 * The lines that the first start prints: the link to the console, the keys, a first event to send from this machine to `url`, and
 * the call in a web page, which has the public address.
 */
export function welcome(
  { public_url: publicUrl }: Settings,
  url: string,
  {
    projectKey,
    personalKey,
    link,
  }: { projectKey: string; personalKey: string; link: string | undefined },
): string[] {
  const event = JSON.stringify({ api_key: projectKey, event: "hello", distinct_id: "me" });
  return [
    "",
    ...(link === undefined
      ? []
      : [
          `Open the console; this link signs you in once, within ${LINK_MINUTES_DEFAULT} minutes:`,
          `  ${link}`,
          "",
        ]),
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

/** The link of the first start; undefined without the console. A log must not have it, so only a terminal gets it. */
export async function firstLink(
  { console }: Settings,
  { isTerminal }: Io,
  make: () => Promise<{ url: string }>,
): Promise<string | undefined> {
  return console === "on" && isTerminal ? (await make()).url : undefined;
}

/** The personal key on a terminal, else the path of the file that has it. */
export function keptKey(key: string | undefined, { data }: Settings, { isTerminal }: Io): string {
  if (key === undefined) return "as in the settings";
  if (isTerminal) return `${key}  (shown only once)`;
  const path = join(data, INITIAL_KEY_FILE);
  writeFileSync(path, `${key}\n`, { mode: 0o600 });
  return `in ${path}`;
}
