/**
 * Major, minor and patch, whole numbers of up to 38 digits, and 1; 0 for a pre-release, which comes before
 * (SemVer 2.0 11).
 */
export type Version = [bigint, bigint, bigint, 0 | 1];

/** From a version on and before another; null where it is open. */
export type VersionRange = { from: Version | null; before: Version | null };

/** Digits of each number of a version; a text with a longer number is no version (decision 105). */
export const DIGITS_MAX = 38;

/** Numbers may be long: some are times or counts of builds. Filters and stored values have the same limit. */
const VERSION = /^[vV]?(\d{1,38})(?:\.(\d{1,38}))?(?:\.(\d{1,38}))?(-.*|\+.*)?$/;
const WILDCARD = /^[vV]?(\d{1,38})(?:\.(\d{1,38}))?\.[*xX]$/;

/**
 * The versions that an operator means by `text`, by their first three numbers; undefined for other
 * texts. `~1.2` is 1.2.x, `^1.2` is from 1.2 on below 2, `^0.2` below 0.3, a wildcard is `1.2.*`.
 * All pre-releases of one version are the same.
 */
export function versionRange(
  operator: "eq" | "gt" | "gte" | "lt" | "lte" | "tilde" | "caret" | "wildcard",
  text: string,
): VersionRange | undefined {
  const match = (operator === "wildcard" ? WILDCARD : VERSION).exec(text.trim());
  if (match === null) return undefined;
  const [major = 0n, minor = 0n, patch = 0n] = match.slice(1, 4).map((part) => BigInt(part ?? 0));
  const given = match.slice(1, 4).filter((part) => part !== undefined).length;
  const isRelease = !match[4]?.startsWith("-");
  const from: Version = [major, minor, patch, isRelease ? 1 : 0];
  const next: Version = isRelease ? [major, minor, patch + 1n, 0] : [major, minor, patch, 1];
  const nextMinor: Version = [major, minor + 1n, 0n, 0];
  const nextMajor: Version = [major + 1n, 0n, 0n, 0];
  switch (operator) {
    case "eq":
      return { from, before: next };
    case "gt":
      return { from: next, before: null };
    case "gte":
      return { from, before: null };
    case "lt":
      return { from: null, before: from };
    case "lte":
      return { from: null, before: next };
    case "caret":
      if (major > 0 || given === 1) return { from, before: nextMajor };
      if (minor > 0 || given === 2) return { from, before: nextMinor };
      return { from, before: [0n, 0n, patch + 1n, 0] };
    default:
      return { from, before: given === 1 ? nextMajor : nextMinor };
  }
}

/** A number without leading zeros, with at most DIGITS_MAX digits. */
const NUMBER = String.raw`(?:0|[1-9]\d{0,${DIGITS_MAX - 1}})`;

/**
 * Patterns of the texts that are versions of a range (decision 105): each is to match as a whole, by RE2, which
 * reads a text once. To take texts apart into numbers takes forty times as long.
 */
export function versionPatterns({ from, before }: VersionRange): string[] {
  return [
    ...(from === null ? [] : [versionPattern(from, above, from[3] === 0 ? ANY : RELEASE)]),
    ...(before === null ? [] : [versionPattern(before, below, before[3] === 0 ? null : PRE)]),
  ];
}

const ANY = String.raw`(?:[-+]\S*)?`;
const RELEASE = String.raw`(?:\+\S*)?`;
const PRE = String.raw`-\S*`;

/** Matches versions whose first different number is on one side; `same` matches the rest of equal ones. */
function versionPattern(
  version: Version,
  beside: (number: string) => string[],
  same: string | null,
): string {
  const [major = "", minor = "", patch = ""] = version.map(String);
  const numbers = [
    ...beside(major).map((one) => [one, NUMBER, NUMBER]),
    ...beside(minor).map((one) => [major, one, NUMBER]),
    ...beside(patch).map((one) => [major, minor, one]),
  ];
  const versions = numbers.map((parts) => parts.join(String.raw`\.`) + ANY);
  const isTooLong = patch.length > DIGITS_MAX;
  if (same !== null && !isTooLong) versions.push([major, minor, patch].join(String.raw`\.`) + same);
  // Nothing is before 0.0.0 as a pre-release.
  return String.raw`\s*v?(?:${versions.join("|") || "[^\\s\\S]"})\s*`;
}

/** Patterns of greater numbers: longer ones, or ones with a greater digit after the same digits. */
function above(number: string): string[] {
  const { length } = number;
  // After the greatest number: no stored number has as many digits.
  if (length > DIGITS_MAX) return [];
  const longer = length < DIGITS_MAX ? [`[1-9]${digits(length, DIGITS_MAX - 1)}`] : [];
  const asLong = [...number].flatMap((digit, at) => {
    const rest = length - at - 1;
    const first = digit === "9" ? [] : [`[${Number(digit) + 1}-9]`];
    return first.map((one) => number.slice(0, at) + one + digits(rest, rest));
  });
  return [...longer, ...asLong];
}

/** Patterns of the numbers that are less. */
function below(number: string): string[] {
  const { length } = number;
  const shorter = length > 1 ? ["0", `[1-9]${digits(0, length - 2)}`] : [];
  const asLong = [...number].flatMap((digit, at) => {
    const rest = length - at - 1;
    const least = at === 0 && length > 1 ? 1 : 0;
    const first = Number(digit) > least ? [`[${least}-${Number(digit) - 1}]`] : [];
    return first.map((one) => number.slice(0, at) + one + digits(rest, rest));
  });
  return [...shorter, ...asLong];
}

const digits = (from: number, to: number) => (to === 0 ? "" : String.raw`\d{${from},${to}}`);
