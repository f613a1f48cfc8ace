/** The path prefix of the server, such as `/stats`; empty at the root. A meta element of the shell has it. */
export const BASE = (
  document.querySelector<HTMLMetaElement>('meta[name="hoglet-base"]')?.content ?? ""
).replace(/\/+$/, "");

/** The path of the console. All its pages are below it. */
export const CONSOLE = `${BASE}/console`;

/** The address of the server as clients reach it, without a slash at the end. */
export const serverAddress = (): string => `${location.origin}${BASE}`;
