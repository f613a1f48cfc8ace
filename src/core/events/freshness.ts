import { Failure } from "../values/failure.ts";

/** Whether the event store still lacks events that were accepted before the start. */
export type IsCatchingUp = () => boolean;

/** Fails `unavailable` while the store catches up: missing events would look as if they never came. */
export function requireCaughtUp(isCatchingUp: IsCatchingUp): void {
  if (!isCatchingUp()) return;
  throw new Failure("unavailable", "The event store is being brought up from the journal.");
}
