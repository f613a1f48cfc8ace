import { Failure } from "../../core/values/failure.ts";

/** Elysia passes on what it cannot decode, as it stands. Fails `invalid_input` on that, and on NUL. */
export function checkPath(url: string): void {
  if (!url.includes("%") || decoded(new URL(url).pathname)?.includes("\0") === false) return;
  throw new Failure("invalid_input", "The address is not valid percent-encoding.");
}

/** What percent-encoding says in UTF-8; undefined if it is not valid. */
export function decoded(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
