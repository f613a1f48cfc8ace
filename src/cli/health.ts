import { type Command, EXIT } from "./command.ts";

/** The longest time for an answer of the server, in milliseconds. */
const TIMEOUT_MS = 5000;

/** Asks a running server whether it can serve, for containers without curl. */
export const health: Command = {
  name: "health",
  summary: "Exit 0 if the server at --host and --port can serve, else 1.",
  async run({ config }, io) {
    const { host, port, tls_cert } = config.settings;
    const reached = { "0.0.0.0": "127.0.0.1", "::": "[::1]" }[host] ?? host;
    const url = `${tls_cert === undefined ? "http" : "https"}://${reached}:${port}/_readiness`;
    try {
      const response = await fetch(url, {
        signal: AbortSignal.timeout(TIMEOUT_MS),
        // The certificate is for the public name, not for the address asked here.
        tls: { rejectUnauthorized: false },
      });
      io.out(await response.text());
      return response.ok ? EXIT.ok : EXIT.error;
    } catch {
      io.err(`No answer from ${url}.`);
      return EXIT.error;
    }
  },
};
