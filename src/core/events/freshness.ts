import { Failure } from "../values/failure.ts";

/** Whether the event store still lacks events that were accepted before the start. */
export type IsBehind = () => boolean;

/** Fails `unavailable` while the store catches up: missing events would look as if they never came. */
export function checkUpToDate(isBehind: IsBehind): void {
  if (!isBehind()) return;
  throw new Failure("unavailable", "The event store is being brought up from the journal.");
}
