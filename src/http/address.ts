import { networkInterfaces } from "node:os";

/** What the server knows of its own address. */
export type AddressOptions = {
  /** The setting `public_url`; undefined when it is not set. */
  publicUrl: string | undefined;
  /** Where the server listens, such as `http://127.0.0.1:8000`. */
  listenUrl: string;
  /** Host names that links may repeat (setting `allowed_hosts`). */
  allowedHosts: readonly string[];
};

/**
 * Finds the address for links in answers: `public_url`, else the Host header if it names this
 * machine or an allowed host, else where the server listens. Never a forged Host (decision 14).
 */
export function publicAddress({ publicUrl, listenUrl, allowedHosts }: AddressOptions) {
  const own = new Set([
    "localhost",
    "127.0.0.1",
    "[::1]",
    ...allowedHosts,
    ...Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .map(({ address, family }) => (family === "IPv6" ? `[${address}]` : address)),
  ]);
  return (request: Request): URL => {
    const asked = new URL(request.url);
    const base = publicUrl ?? (own.has(asked.hostname) ? asked.origin : listenUrl);
    return new URL(base.replace(/\/$/, "") + asked.pathname + asked.search);
  };
}
