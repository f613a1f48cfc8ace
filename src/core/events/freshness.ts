import { Failure } from "../values/failure.ts";

/** Whether the event store lacks what was accepted before the start. */
export type IsBehind = () => boolean;

/** Fails `unavailable` while it does: what is not there yet would look as if it never was. */
export function checkUpToDate(isBehind: IsBehind): void {
  if (!isBehind()) return;
  throw new Failure("unavailable", "The event store is being brought up from the journal.");
}
