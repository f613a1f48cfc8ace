import { escapeControlChars } from "../core/values/json.ts";
import { table } from "../core/values/table.ts";
import { isoTime, parseTime } from "../core/values/time.ts";
import { type Command, EXIT, type Io, PrintError, UsageError } from "./command.ts";
import { makingAdmin, withAdmin } from "./with-data.ts";

/** Creates a personal key. */
export const keyCreate: Command = {
  name: "key create",
  summary: "Create a personal API key; it is shown only once.",
  flags: {
    "--label": "purpose of the key (cli)",
    "--scopes": "such as person:read,person:write; * for all (*)",
    "--projects": "ids of the projects it is confined to (all)",
    "--expires": "when it ends: 90d, 12h, or a time in ISO 8601 (never)",
    "--user": "e-mail address of its owner, a new user if unknown (the first user)",
  },
  async run({ flags, config }, io) {
    // Read before anything is opened, so that a wrong flag creates no data directory.
    const draft = {
      label: flags["--label"] ?? "cli",
      scopes: words(flags["--scopes"] ?? "*"),
      scoped_teams: flags["--projects"] === undefined ? null : ids(flags["--projects"]),
      expires_at: flags["--expires"] === undefined ? null : expiry(flags["--expires"]),
      email: flags["--user"],
    };
    expectSeen(io);
    const made = await makingAdmin(config.settings, io, async ({ keys }) => {
      const key = await keys.create(draft);
      const why = await show(key, io);
      if (why === undefined) return key;
      await keys.revoke(key.id);
      throw new PrintError(`The key could not be printed (${why}), so it is revoked.`);
    });
    if (made.made_user !== undefined)
      io.err(`Its owner is a new user: ${escapeControlChars(made.made_user)}.`);
    return EXIT.ok;
  },
};

/** Lists personal keys. */
export const keyList: Command = {
  name: "key list",
  summary: "List personal API keys, without the keys themselves.",
  async run({ config }, io) {
    const keys = await withAdmin(config.settings, (admin) => admin.keys.list());
    const rows = keys.map((key) => [
      String(key.id),
      key.mask_value,
      key.label,
      key.scopes.join(","),
      key.scoped_teams?.join(",") ?? "all",
      key.created_at,
      key.expires_at ?? "never",
      key.last_used_at ?? "never",
    ]);
    for (const line of table(
      ["id", "key", "label", "scopes", "projects", "created", "expires", "last used"],
      rows,
    )) {
      io.out(line);
    }
    return EXIT.ok;
  },
};

/** Replaces a personal key. */
export const keyRoll: Command = {
  name: "key roll",
  summary: "Give a personal API key a new value, shown only once; the old one ends at once.",
  args: ["ID"],
  async run({ args, config }, io) {
    const id = wholeNumber(args[0] ?? "", "ID");
    expectSeen(io);
    await withAdmin(config.settings, async ({ keys }) => {
      const why = await show(await keys.roll(id), io);
      if (why === undefined) return;
      // The old value must not return: keys are rolled because others may know them.
      await keys.roll(id);
      const sentence = `The new value could not be printed (${why}), so it is not valid any more.`;
      throw new PrintError(`${sentence} Roll the key again.`);
    });
    return EXIT.ok;
  },
};

/** Revokes a personal key. */
export const keyRevoke: Command = {
  name: "key revoke",
  summary: "Revoke a personal API key at once.",
  args: ["ID"],
  async run({ args, config }, io) {
    const id = wholeNumber(args[0] ?? "", "ID");
    const key = await withAdmin(config.settings, ({ keys }) => keys.revoke(id));
    io.out(`Revoked ${key.mask_value} (${escapeControlChars(key.label)}).`);
    return EXIT.ok;
  },
};

/** Fails before a key is made that could not be shown (decision 143). */
function expectSeen({ isNowhere }: Io): void {
  if (!isNowhere) return;
  const sentence = "The key could not be shown: standard output is closed, or /dev/null.";
  throw new PrintError(`${sentence} Nothing was changed.`);
}

/** Prints a key; returns the error code if that failed. */
async function show({ value }: { value: string }, io: Io): Promise<string | undefined> {
  io.out(value);
  const why = await io.unprinted();
  if (why === undefined && io.isTerminal)
    io.err("Keep it: only its hash is stored, and it is not shown again.");
  return why;
}

/** A positive whole number. Throws UsageError with the name of the argument otherwise. */
export function wholeNumber(text: string, name: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new UsageError(`${name} must be a whole number, such as 1.`);
}

/** The parts of a list with commas. */
export function words(text: string): string[] {
  return text
    .split(",")
    .map((word) => word.trim())
    .filter(Boolean);
}

function ids(text: string): number[] {
  return words(text).map((word) => wholeNumber(word, "--projects"));
}

const UNIT_MS: Record<string, number> = { d: 86_400_000, h: 3_600_000, m: 60_000 };

function expiry(text: string): string {
  const relative = /^(\d{1,6})([dhm])$/.exec(text);
  const unit = UNIT_MS[relative?.[2] ?? ""];
  const at = unit === undefined ? parseTime(text) : Date.now() + Number(relative?.[1]) * unit;
  if (at === undefined) throw new UsageError("--expires must be like 90d, 12h or 2027-01-31.");
  if (at <= Date.now()) throw new UsageError("--expires must be in the future.");
  return isoTime(at);
}
