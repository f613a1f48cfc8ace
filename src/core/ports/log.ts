/** Facts beside a message. Never a body, key, distinct id or property. */
export type LogFacts = Record<string, unknown>;

/** Where the running server writes what happens: one event a line, on standard error. */
export type Log = Record<"info" | "warn" | "error", (message: string, facts?: LogFacts) => void>;
