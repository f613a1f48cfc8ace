/*
 * The log of the running server. The rules of all ports are in `events.ts`.
 */

/** Facts of a log line, by name. They never have a body, a key, a distinct id or a property. */
export type LogFacts = Record<string, unknown>;

/**
 * Writes one line for each call, at any time and from any thread: a message with its facts. It never
 * fails. `info` is for normal events. `warn` is for what needs a look, `error` for what failed.
 */
export type Log = Record<"info" | "warn" | "error", (message: string, facts?: LogFacts) => void>;
