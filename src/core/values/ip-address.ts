/** Every notation of a mapped address has these digits. */
const MAPPED = /ffff/i;

/** The IPv4 address in an IPv4-mapped IPv6 address (RFC 4291 2.5.5.2). */
export function mappedIpv4(address: string): string | undefined {
  if (!MAPPED.test(address)) return undefined;
  const { hostname } = new URL(`http://[${address}]`);
  const [, high, low] = /^\[::ffff:([\da-f]+):([\da-f]+)\]$/.exec(hostname) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const [left, right] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [left >> 8, left & 255, right >> 8, right & 255].join(".");
}

/** The network of 64 bits that an IPv6 address is in, always in the same notation. */
export function networkOf(address: string): string {
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const [left, right] = [head, tail ?? ""].map((part) => part.split(":").filter(Boolean));
  const missing = 8 - (left?.length ?? 0) - (right?.length ?? 0);
  const zeros = new Array<string>(tail === undefined ? 0 : missing).fill("0");
  return `${[...(left ?? []), ...zeros, ...(right ?? [])].slice(0, 4).join(":")}::/64`;
}

const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;
const IPV6 = /^[\da-f:.]+$/i;
const NETWORK = /^([\da-f]{1,4}):([\da-f]{1,4}):([\da-f]{1,4}):([\da-f]{1,4})::\/64$/;

/**
 * An IPv4 address as a number, or the first 64 bits of an IPv6 address as a big integer; undefined for any
 * other text. It takes a network of {@link networkOf} as well.
 */
export function addressNumber(text: string): number | bigint | undefined {
  if (!text.includes(":")) return ipv4Number(text);
  if (text.endsWith("::/64")) return networkNumber(text);
  if (!(IPV6.test(text) && URL.canParse(`http://[${text}]`))) return undefined;
  const mapped = mappedIpv4(text);
  return mapped === undefined ? networkNumber(networkOf(text)) : ipv4Number(mapped);
}

function ipv4Number(address: string): number | undefined {
  const parts = IPV4.exec(address)?.slice(1).map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) return undefined;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}

function networkNumber(network: string): bigint | undefined {
  const groups = NETWORK.exec(network)?.slice(1) ?? [];
  const digits = groups.map((group) => group.padStart(4, "0")).join("");
  return digits === "" ? undefined : BigInt(`0x${digits}`);
}
