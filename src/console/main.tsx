import { render } from "preact";
import { asProblem } from "./api/problem.ts";
import { followOtherTabs, loadSession, signIn } from "./api/session.ts";
import { App } from "./app.tsx";
import { signInProblem } from "./layout/sign-in.tsx";
import { applyPreferences } from "./state/preferences.ts";
import { keepFocus } from "./ui/focus.ts";
import { rememberFirstKeys } from "./ui/keys.ts";

/** Signs in by the link of the address, which is taken out of it at once; else asks for the session. */
async function begin(): Promise<void> {
  const link = /^#link=([\w-]+)$/.exec(location.hash)?.[1];
  if (link === undefined) return loadSession();
  history.replaceState(null, "", location.pathname + location.search);
  try {
    await signIn({ link });
  } catch (error) {
    signInProblem.value = asProblem(error);
    await loadSession();
  }
}

const start = () =>
  begin().catch((error: unknown) => {
    signInProblem.value = asProblem(error);
  });

applyPreferences();
rememberFirstKeys();
keepFocus();
followOtherTabs();
start();
// A link that is opened where the form already is changes only the end of the address.
addEventListener("hashchange", () => location.hash.startsWith("#link=") && start());
render(<App />, document.getElementById("app") ?? document.body);
