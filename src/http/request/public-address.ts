import { networkInterfaces } from "node:os";

/** What the server knows of its own address. */
export type AddressOptions = {
  /** The setting `public_url`; undefined when it is not set. */
  publicUrl: string | undefined;
  /** Where the server listens, such as `http://127.0.0.1:8000`. */
  listenUrl: string;
  /** Host names that links may repeat (setting `allowed_hosts`). */
  allowedHosts: readonly string[];
  /** Whether a request comes by a proxy whose word counts (setting `trusted_proxies`). */
  isProxied: (request: Request) => boolean;
};

/**
 * Finds the address for links in answers: `public_url`, else the Host header if it names this
 * machine or an allowed host, else where the server listens. Never a forged Host (decision 14). A
 * trusted proxy says in `X-Forwarded-Host` and `X-Forwarded-Proto` what was asked of it.
 */
export function publicAddress({ publicUrl, listenUrl, allowedHosts, isProxied }: AddressOptions) {
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
    const asked = isProxied(request) ? forwarded(request) : new URL(request.url);
    const base = publicUrl ?? (own.has(asked.hostname) ? asked.origin : listenUrl);
    return new URL(base.replace(/\/$/, "") + asked.pathname + asked.search);
  };
}

/** The address that a proxy was asked for, as it tells; what it does not tell is the request's own. */
function forwarded({ url, headers }: Request): URL {
  const own = new URL(url);
  // The last value is the nearest proxy's own word.
  const told = (name: string) => headers.get(name)?.split(",").at(-1)?.trim();
  const proto = told("x-forwarded-proto")?.toLowerCase();
  const scheme = proto === "http" || proto === "https" ? `${proto}:` : own.protocol;
  const host = told("x-forwarded-host") ?? own.host;
  const origin = `${scheme}//${host}`;
  return URL.canParse(origin) ? new URL(own.pathname + own.search, origin) : own;
}
