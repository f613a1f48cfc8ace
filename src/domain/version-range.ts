/** Major, minor, patch. */
export type Version = [number, number, number];

/** From a version on and before another; null where it is open. */
export type VersionRange = { from: Version | null; before: Version | null };

const VERSION = /^[vV]?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:[-+].*)?$/;
const WILDCARD = /^[vV]?(\d{1,9})(?:\.(\d{1,9}))?\.[*xX]$/;

/**
 * The versions that an operator means by `text`, by their first three numbers; undefined if it is
 * none. `~1.2` is 1.2.x, `^1.2` is from 1.2 on below 2, `^0.2` below 0.3, a wildcard is `1.2.*`.
 */
export function versionRange(
  operator: "eq" | "gt" | "gte" | "lt" | "lte" | "tilde" | "caret" | "wildcard",
  text: string,
): VersionRange | undefined {
  const match = (operator === "wildcard" ? WILDCARD : VERSION).exec(text.trim());
  if (match === null) return undefined;
  const given = match
    .slice(1)
    .filter((part) => part !== undefined)
    .map(Number);
  const [major = 0, minor = 0, patch = 0] = given;
  const from: Version = [major, minor, patch];
  const next: Version = [major, minor, patch + 1];
  const nextMinor: Version = [major, minor + 1, 0];
  const nextMajor: Version = [major + 1, 0, 0];
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
      if (major > 0 || given.length === 1) return { from, before: nextMajor };
      return { from, before: minor > 0 || given.length === 2 ? nextMinor : next };
    default:
      return { from, before: given.length === 1 ? nextMajor : nextMinor };
  }
}
