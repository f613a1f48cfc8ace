import { isIP } from "node:net";
import { Cron } from "croner";

/** One setting: `--name-with-dashes`, `HOGLET_NAME`, or `name` in hoglet.toml. */
export type Row<T> = {
  help: string;
  /** The unit of a number, for people. */
  unit?: string;
  /** The values that it may have, for people, without the unit. */
  values?: string;
  /** Not printed; may also come from the file that `HOGLET_NAME_FILE` names. */
  secret?: true;
  fallback: T;
  /** The value of a text. Throws an error with a sentence if the text is not valid. */
  parse(text: string): T;
};

type Check = { isValid: (text: string) => boolean; form: string };

/** A text of a certain form; `form` says which, after "must". */
const checked = <T extends string | undefined>(
  help: string,
  fallback: T,
  { isValid, form }: Check,
): Row<string | T> => ({
  help,
  fallback,
  parse(value) {
    if (isValid(value)) return value;
    throw new Error(`must ${form}`);
  },
});

/** A text that is not empty. */
export const text = (help: string, fallback: string): Row<string> =>
  checked(help, fallback, { isValid: (value) => value.trim() !== "", form: "not be empty" });

/** An e-mail address, roughly checked. */
export const email = (help: string, fallback: string): Row<string> =>
  checked(help, fallback, {
    isValid: (value) => /^[^\s@]+@[^\s@]+$/.test(value),
    form: "be an e-mail address",
  });

/** An optional text. */
export const optional = (help: string): Row<string | undefined> => ({
  help,
  fallback: undefined,
  parse: (value) => value,
});

/** A text of a certain form that is never printed. */
export const secret = (help: string, { isValid, form }: Check): Row<string | undefined> => ({
  ...checked(help, undefined, { isValid, form: `be ${form}` }),
  values: form,
  secret: true,
});

const itemsOf = (value: string) =>
  value
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);

/** Host names without a port, separated by commas. */
export const hosts = (help: string): Row<string[]> => ({
  help,
  fallback: [],
  parse: (value) => itemsOf(value).map(hostName),
});

function hostName(text: string): string {
  const url = URL.canParse(`http://${text}/`) ? new URL(`http://${text}/`) : undefined;
  const isHost =
    url !== undefined && /^[^/?#@]+$/.test(text) && !/:\d*$/.test(text.replace(/^\[.*\]/, ""));
  if (isHost) return url.hostname;
  throw new Error("must be names of hosts without a port, such as hoglet.example.com");
}

/** Addresses and networks in CIDR notation, separated by commas. */
export const networks = (help: string): Row<string[]> => ({
  help,
  fallback: [],
  parse(value) {
    const items = itemsOf(value);
    if (items.every(isNetwork)) return items;
    throw new Error("must be addresses or networks, such as 10.0.0.0/8");
  },
});

/** A whole number within a range, both ends included. */
export const whole = (help: string, fallback: number, range: [number, number], unit?: string) => ({
  help,
  fallback,
  values: range.map((number) => number.toLocaleString("en")).join(" to "),
  ...(unit === undefined ? {} : { unit }),
  parse(value: string) {
    const number = /^\d+$/.test(value.trim()) ? Number(value) : Number.NaN;
    if (number >= range[0] && number <= range[1]) return number;
    throw new Error(`must be a whole number from ${range[0]} to ${range[1]}`);
  },
});

/** A schedule: a cron pattern (minute, hour, day, month, weekday), in UTC. */
export const schedule = (help: string, fallback: string): Row<string> =>
  checked(`${help}, as cron has it, in UTC`, fallback, {
    isValid: isPattern,
    form: "be a cron pattern, such as 0 5 * * 0",
  });

function isPattern(value: string): boolean {
  if (value.trim().split(/\s+/).length !== 5) return false;
  try {
    return new Cron(value, { paused: true, utcOffset: 0 }).nextRun() !== null;
  } catch {
    return false;
  }
}

/** One of a few words. */
export const choice = <T extends string>(
  help: string,
  fallback: T,
  choices: readonly T[],
): Row<T> => ({
  help: `${help}: ${choices.join(", ")}`,
  fallback,
  parse(value) {
    const found = choices.find((known) => known === value);
    if (found !== undefined) return found;
    throw new Error(`must be one of ${choices.join(", ")}`);
  },
});

/** An address that a path can follow: an origin, perhaps with a path of its own. */
export const url = (help: string): Row<string | undefined> =>
  checked(help, undefined, {
    isValid: (value) => /^https?:\/\/[^/?#]+(?:\/[\w.~%/-]*)?$/.test(value) && URL.canParse(value),
    form: "be an address like https://events.example.com",
  });

/** Whether a text is an address or a network in CIDR notation (RFC 4632, RFC 4291 2.3). */
function isNetwork(text: string): boolean {
  const [address = "", bits = "0", ...rest] = text.split("/");
  const bitsMax = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax;
}
