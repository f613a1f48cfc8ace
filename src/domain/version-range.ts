/**
 * Major, minor and patch, whole numbers of up to 38 digits, and 1; 0 for a pre-release, which comes before
 * (SemVer 2.0 11).
 */
export type Version = [bigint, bigint, bigint, 0 | 1];

/** From a version on and before another; null where it is open. */
export type VersionRange = { from: Version | null; before: Version | null };

/** Each number may be a time, or count builds; a filter and what is stored have the same room. */
const VERSION = /^[vV]?(\d{1,38})(?:\.(\d{1,38}))?(?:\.(\d{1,38}))?(-.*|\+.*)?$/;
const WILDCARD = /^[vV]?(\d{1,38})(?:\.(\d{1,38}))?\.[*xX]$/;

/**
 * The versions that an operator means by `text`, by their first three numbers; undefined if it is
 * none. `~1.2` is 1.2.x, `^1.2` is from 1.2 on below 2, `^0.2` below 0.3, a wildcard is `1.2.*`.
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
