import type { Answered, TestProject } from "./app.ts";
import { PERSONAL_KEY } from "./server.ts";

/** The headers of a page of the console. */
export const OWN_PAGE = { "x-hoglet-console": "1", "sec-fetch-site": "same-origin" };

/** The path of the session of a page. */
export const SESSION = "/console/api/session/";

/** A browser that keeps the cookie of the console, and asks as its page does. */
export type ConsoleBrowser = {
  /** The header `Cookie` that it sends; undefined without one. */
  cookie(): string | undefined;
  /** A request of the page. `headers` replace its own. */
  ask(
    method: string,
    path: string,
    asked?: { body?: unknown; key?: string; headers?: Record<string, string> },
  ): Promise<Answered>;
};

/** A browser without a session; `cookie` is one that it has already. */
export function consoleBrowser({ ask }: Pick<TestProject, "ask">, cookie?: string): ConsoleBrowser {
  let kept = cookie;
  return {
    cookie: () => kept,
    async ask(method, path, { body, key, headers } = {}) {
      const answered = await ask(method, path, {
        key: key ?? null,
        ...(body === undefined ? {} : { body }),
        headers: { ...OWN_PAGE, ...(kept === undefined ? {} : { cookie: kept }), ...headers },
      });
      const set = answered.headers.get("set-cookie");
      if (set !== null) kept = set.includes("Max-Age=0") ? undefined : set.split(";", 1)[0];
      return answered;
    },
  };
}

/** A browser that has signed in with a key, that of the tests by default. */
export async function signedIn(
  app: Pick<TestProject, "ask">,
  key = PERSONAL_KEY,
): Promise<ConsoleBrowser> {
  const browser = consoleBrowser(app);
  const { status, text } = await browser.ask("POST", SESSION, { body: { key } });
  if (status !== 201) throw new Error(`The sign-in was refused: ${text}`);
  return browser;
}
