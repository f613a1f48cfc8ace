import { useEffect, useRef } from "preact/hooks";
import { exec, LocationProvider, useLocation } from "preact-iso/router";
import { useLoad } from "./api/load.ts";
import { loadProjects, session } from "./api/session.ts";
import { ConflictDialog } from "./layout/conflict-dialog.tsx";
import { Layout } from "./layout/layout.tsx";
import { SignInDialog, SignInPage } from "./layout/sign-in.tsx";
import { Toast } from "./layout/toast.tsx";
import { AccountBar } from "./layout/top-bar.tsx";
import { PAGES, type Page } from "./pages/index.ts";
import { NotFound } from "./pages/not-found.tsx";
import { CONSOLE } from "./state/base.ts";
import { project, projectId, projects } from "./state/project.ts";
import { focusHeading } from "./ui/focus.ts";
import { LiveRegion } from "./ui/live-region.tsx";
import { Load, Skeleton } from "./ui/states.tsx";

/** The console: the sign-in page, or the page of the address in its frame. */
export function App() {
  const known = session.value;
  const wasSignedIn = useRef(false);
  wasSignedIn.current ||= known != null;
  return (
    <LocationProvider scope={`${CONSOLE}/`}>
      {wasSignedIn.current ? <Projects /> : <SignInPage />}
      {wasSignedIn.current && <SignInDialog />}
      <Toast />
      <LiveRegion />
      <ConflictDialog />
    </LocationProvider>
  );
}

/** Loads the projects, and leads to the first one if the address names none. */
function Projects() {
  const { path, route } = useLocation();
  const loaded = useLoad("projects", loadProjects);
  const [id = "", ...rest] = path.slice(CONSOLE.length + 1).split("/");
  if (projectId.peek() !== id) projectId.value = id;
  const first = projects.value?.[0]?.id;
  const isNamed = id !== "";
  useEffect(() => {
    if (!isNamed && first !== undefined) route(`${CONSOLE}/${first}/${location.search}`, true);
  }, [isNamed, first, route]);
  if (projects.value === undefined) {
    return (
      <>
        {loaded.problem && <AccountBar />}
        <main class="alone">
          <div class="stack">
            <Load of={loaded} skeleton={<Skeleton rows={3} height={48} />}>
              {() => null}
            </Load>
            {loaded.problem?.code === "permission_denied" && (
              <p>
                Every page of the console needs it. Sign out, then sign in with a key that has it.
              </p>
            )}
          </div>
        </main>
      </>
    );
  }
  if (!isNamed) return null;
  return <CurrentPage path={rest.join("/")} />;
}

/** The page of a path below the project, with the parameters of its pattern. */
function pageOf(path: string): { page: Page; params: Record<string, string> } | undefined {
  for (const page of PAGES) {
    const found = exec(`/${path}`, `/${page.path}`, { path, query: {}, params: {} });
    if (found) return { page, params: found.params };
  }
  return undefined;
}

function CurrentPage({ path }: { path: string }) {
  const found = pageOf(path);
  const isKnown = found !== undefined && project.value !== undefined;
  useFocusOnHeading(path);
  const Component = isKnown ? found.page.component : NotFound;
  return (
    <Layout page={found?.page}>
      {/* Another project or another person is another page: nothing of the old one stays. */}
      <Component key={`${project.value?.id} ${path}`} params={found?.params ?? {}} />
    </Layout>
  );
}

/**
 * After a change of the page, the focus is on its heading, so that keys go on from there. Where the console was only
 * opened, the first Tab reaches the skip link, also if the address led on to another page.
 */
function useFocusOnHeading(path: string): void {
  const last = useRef(path);
  useEffect(() => {
    if (last.current === path) return;
    const hasLedOn = pageOf(last.current)?.page.leadsOn ?? false;
    const isOpening = hasLedOn && document.activeElement === document.body;
    last.current = path;
    if (!isOpening) focusHeading();
  }, [path]);
}
