import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { table } from "./markdown.ts";

const ROOT = join(import.meta.dir, "../..");
const FIXTURES = join(ROOT, "test/fixtures/capture");

/** The section of the page, up to the next heading. */
const SECTION = /(?<=\n## Senders\n\n)[\s\S]*?(?=\n## )/;

/** A row of `test/fixtures/capture/senders.json`: npm packages that the tests run, and the name in recordings. */
type Sender = {
  sender: string;
  packages?: string[];
  sdk?: string;
  set: string;
  known: string;
  /** It is a tool that asks, and sends nothing. */
  reads?: true;
};

const read = (path: string) => readFileSync(path, "utf8");

/** The page `send-events.md` with the table of senders as fixtures and pinned packages have it. */
export function sendEventsPage(): string {
  const page = read(join(ROOT, "src/docs/send-events.md"));
  if (!SECTION.test(page)) throw new Error("send-events.md has no section Senders");
  return page.replace(SECTION, () => sendersTable());
}

function sendersTable(): string {
  const senders = JSON.parse(read(join(FIXTURES, "senders.json"))) as Sender[];
  const recorded = recordedVersions();
  const run = pinnedVersions();
  const rowOf = ({ sender, packages = [], sdk, set, known }: Sender) => {
    const names = [...packages, ...(sdk === undefined ? [] : [sdk])];
    const versions = [
      ["run", packages.flatMap((name) => run.get(name) ?? [])],
      ["recorded", names.flatMap((name) => recorded.get(name) ?? [])],
    ] as const;
    for (const name of names) recorded.delete(name);
    const tried = versions.filter(([, list]) => list.length > 0);
    if (tried.length === 0) throw new Error(`nothing is recorded of ${sender}, and none is run`);
    const shown = tried.map(([how, list]) => `${how} ${[...new Set(list)].join(", ")}`);
    return [sender, set, shown.join("; "), known];
  };
  const tableOf = (head: string, shown: Sender[]) =>
    table([head, "set", "versions tried", "known"], shown.map(rowOf));
  const sending = tableOf(
    "sender",
    senders.filter(({ reads }) => !reads),
  );
  const reading = tableOf(
    "tool",
    senders.filter(({ reads }) => reads),
  );
  if (recorded.size > 0) throw new Error(`senders.json lacks ${[...recorded.keys()].join(", ")}`);
  return `${[
    "Set the host of a sender to your server, and its key to a project key. A version that is run sends to the executable in the test suite. Of one that is recorded, its requests are sent again.",
    sending,
    "These tools read events, and keep insights and more. PostHog has more than they find here: a 404 names the path to ask [instead](api.md#paths).",
    reading,
  ].join("\n\n")}\n`;
}

/** The versions of each npm package that is pinned, under its own name and under others. */
function pinnedVersions(): Map<string, string[]> {
  const { dependencies, devDependencies } = JSON.parse(read(join(ROOT, "package.json")));
  const pinned = Object.entries<string>({ ...dependencies, ...devDependencies });
  const named = pinned.map(([name, version]) => {
    const [, alias, aliased] = /^npm:(.+)@(.+)$/.exec(version) ?? [];
    return { name: alias ?? name, version: aliased ?? version };
  });
  return grouped(named);
}

/** The versions of each sender in the recordings, by the name that these have for it. */
function recordedVersions(): Map<string, string[]> {
  const files = readdirSync(FIXTURES).filter((name) => name.endsWith(".jsonl"));
  const lines = files.flatMap((name) => read(join(FIXTURES, name)).trimEnd().split("\n"));
  const named = lines.map((line) => {
    const { sdk, version = "", headers } = JSON.parse(line) as Recorded;
    const [, name = sdk, own = version] = /^(.+)@(.+)$/.exec(sdk) ?? [];
    const agent = headers["user-agent"] ?? "";
    return { name, version: own || (/\/([\d.]+)$/.exec(agent)?.[1] ?? "") };
  });
  return grouped(named.filter(({ version }) => version !== ""));
}

type Recorded = { sdk: string; version?: string; headers: Record<string, string> };

function grouped(named: { name: string; version: string }[]): Map<string, string[]> {
  const groups = Map.groupBy(named, ({ name }) => name);
  return new Map(
    [...groups].map(([name, ones]) => [name, [...new Set(ones.map(({ version }) => version))]]),
  );
}
