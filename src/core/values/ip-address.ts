/** The IPv4 address in an IPv4-mapped IPv6 address (RFC 4291 2.5.5.2). */
export function mappedIpv4(address: string): string | undefined {
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
