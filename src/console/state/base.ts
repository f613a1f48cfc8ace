/** The content of a meta element of the shell. */
const metaOf = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="hoglet-${name}"]`)?.content ?? "";

/** The path prefix of the server, such as `/stats`; empty at the root. */
export const BASE = metaOf("base").replace(/\/+$/, "");

/** The address of the flags and signs. */
export const EMBLEMS = metaOf("emblems");

/** The version of the server that this page came from. */
export const VERSION = metaOf("version");

/** The path of the console. All its pages are below it. */
export const CONSOLE = `${BASE}/console`;

/** The address of the server as clients reach it, without a slash at the end. */
export const serverAddress = (): string => `${location.origin}${BASE}`;
