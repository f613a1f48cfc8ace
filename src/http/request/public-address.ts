import { networkInterfaces } from "node:os";

/** Settings that decide the address of the server in links. */
export type AddressOptions = {
  /** The setting `public_url`. */
  publicUrl: string | undefined;
  /** Where the server listens, such as `http://127.0.0.1:8000`. */
  listenUrl: string;
  /** Host names that links may repeat (setting `allowed_hosts`). */
  allowedHosts: readonly string[];
  /** Whether a request comes from a trusted proxy (setting `trusted_proxies`). */
  isProxied: (request: Request) => boolean;
};

/**
 * Returns the address of a request for links in its answer. The host is `public_url`, else the Host header
 * if it names this machine or an allowed host, else the address on which the server listens. A forged Host
 * never appears (decision 14). A trusted proxy sends the host in `X-Forwarded-Host`.
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
    const requested = isProxied(request) ? forwarded(request) : new URL(request.url);
    const base = publicUrl ?? (own.has(requested.hostname) ? requested.origin : listenUrl);
    return new URL(base.replace(/\/$/, "") + requested.pathname + requested.search);
  };
}

/** The address that a proxy received; parts without a header are those of the request. */
function forwarded({ url, headers }: Request): URL {
  const own = new URL(url);
  // The nearest proxy adds the last value.
  const lastOf = (name: string) => headers.get(name)?.split(",").at(-1)?.trim();
  const proto = lastOf("x-forwarded-proto")?.toLowerCase();
  const scheme = proto === "http" || proto === "https" ? `${proto}:` : own.protocol;
  const host = lastOf("x-forwarded-host") ?? own.host;
  const origin = `${scheme}//${host}`;
  return URL.canParse(origin) ? new URL(own.pathname + own.search, origin) : own;
}
