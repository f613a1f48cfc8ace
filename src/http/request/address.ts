import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { mappedIpv4, networkOf } from "../../core/values/ip-address.ts";

/** Returns whether an address is one of `trustedProxies`, which are addresses and networks. */
export function trustedAddress(trustedProxies: readonly string[]): (address: string) => boolean {
  if (trustedProxies.length === 0) return () => false;
  const trusted = new BlockList();
  for (const proxy of trustedProxies) {
    const [address = "", bits] = proxy.split("/");
    if (bits === undefined) trusted.addAddress(address, familyOf(address));
    else trusted.addSubnet(address, Number(bits), familyOf(address));
  }
  return (text) => {
    const address = plain(text);
    return address !== undefined && trusted.check(address, familyOf(address));
  };
}

/**
 * Returns the address of the client: the one of the connection, or the last one in `X-Forwarded-For`
 * that is not of a trusted proxy. Undefined without a connection. An IPv6 address becomes its network of
 * 64 bits, because one host may use all addresses in it.
 */
export function clientAddress(trustedProxies: readonly string[]) {
  const isTrusted = trustedAddress(trustedProxies);

  return ({ headers }: Request, connection: string | undefined): string | undefined => {
    let address = plain(connection ?? "");
    if (address === undefined) return undefined;
    let hops: string[] | undefined;
    while (isTrusted(address)) {
      hops ??= (headers.get("x-forwarded-for") ?? "").split(",");
      const before = plain(hops.pop()?.trim() ?? "");
      if (before === undefined) break;
      address = before;
    }
    return familyOf(address) === "ipv6" ? networkOf(address) : address;
  };
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

/** An address without port, brackets and zone; an IPv4 address in IPv6 form becomes plain IPv4. */
function plain(text: string): string | undefined {
  const bare = /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, "$1");
  const address = bare.replace(/%.*$/, "");
  const version = isIP(address);
  if (version === 0) return undefined;
  return (version === 6 && mappedIpv4(address)) || address;
}

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
 * never appears (decision 14). A trusted proxy sends the host in `X-Forwarded-Host`, and the path below which
 * it serves Hoglet in `X-Forwarded-Prefix`.
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
    const hasProxy = isProxied(request);
    const requested = hasProxy ? forwarded(request) : new URL(request.url);
    const origin = own.has(requested.hostname) ? requested.origin : listenUrl;
    const base = publicUrl ?? origin + (hasProxy ? prefixOf(request) : "");
    return new URL(base.replace(/\/$/, "") + requested.pathname + requested.search);
  };
}

/** The path below which a proxy serves Hoglet; empty without one, and for anything that is no path. */
function prefixOf({ headers }: Request): string {
  const prefix = headers.get("x-forwarded-prefix")?.split(",").at(-1)?.trim() ?? "";
  return /^(?:\/[\w.~%-]+)+\/?$/.test(prefix) ? prefix.replace(/\/$/, "") : "";
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

/** The settings and the connection from which addresses are read. */
export type AddressNeeds = Omit<AddressOptions, "isProxied"> & {
  /** The address of the client at the other end of a request's connection. */
  connectionOf: (request: Request) => string | undefined;
  /** Proxies whose forwarding headers count (setting `trusted_proxies`). */
  trustedProxies: readonly string[];
};

/** The addresses of a request: that of its client, and the public one of the server. */
export function addresses(needs: AddressNeeds) {
  const { connectionOf, trustedProxies } = needs;
  const clientOf = clientAddress(trustedProxies);
  const isTrusted = trustedAddress(trustedProxies);
  const isProxied = (request: Request) => isTrusted(connectionOf(request) ?? "");
  return {
    clientOf: (request: Request) => clientOf(request, connectionOf(request)),
    address: publicAddress({ ...needs, isProxied }),
  };
}
