import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { useLoad } from "../api/load.ts";
import { Problem } from "../api/problem.ts";
import { loadSession } from "../api/session.ts";
import { Button } from "../ui/button.tsx";
import { focusHeading } from "../ui/focus.ts";
import { Empty } from "../ui/states.tsx";
import type { PageProps } from "./index.ts";

/** How many pages this tab has shown. The first one gets no focus, so that Tab reaches the skip link. */
let shown = 0;

/** A page whose file is loaded when it is opened for the first time. */
export function later(load: () => Promise<ComponentType<PageProps>>): ComponentType<PageProps> {
  let Loaded: ComponentType<PageProps> | undefined;
  return function Later(props: PageProps) {
    const { data = Loaded, problem } = useLoad(Loaded ? null : "page", async () => {
      Loaded = await load().catch(async () => {
        // Throws if the server is away, and then it is tried again by itself.
        await loadSession();
        // A server that was replaced by a newer one has other files.
        throw new Problem(404, {}, null);
      });
      return Loaded;
    });
    const Shown = data;
    useEffect(() => {
      if (Shown === undefined) return;
      shown += 1;
      if (shown > 1 && document.activeElement === document.body) focusHeading();
    }, [Shown]);
    if (Shown) return <Shown {...props} />;
    if (problem === undefined || problem.status === 0) return null;
    return (
      <Empty title="Can't load this page">
        <Button onClick={() => location.reload()}>Reload</Button>
      </Empty>
    );
  };
}
