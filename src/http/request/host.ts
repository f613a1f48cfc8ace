/** A valid Host. Bun puts Host before the path, so a slash in it would change the path. */
const HOST = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d*)?$/i;

const PORT_MAX = 65_535;

/** A request of HTTP/1.0 has no host, so its URL is only a path: adds the host of `listenUrl`. */
export function withHost(request: Request, listenUrl: string): Request {
  return request.url.startsWith("/")
    ? new Request(new URL(request.url, listenUrl).href, request)
    : request;
}

/** Whether a text may be the header Host. */
export function isHost(host: string): boolean {
  return HOST.test(host) && Number(/:(\d*)$/.exec(host)?.[1] ?? 0) <= PORT_MAX;
}
