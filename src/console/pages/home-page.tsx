import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { api, read } from "../api/client.ts";
import { useLoad } from "../api/load.ts";
import { PageHead } from "../layout/page-head.tsx";
import { href } from "../state/address.ts";
import { inProject } from "../state/project.ts";
import { Load, Skeleton } from "../ui/states.tsx";

/** Leads to where the project is: before its first event to the start page, else to its events. */
export function HomePage() {
  const { route } = useLocation();
  const events = useLoad("first event", (signal) =>
    read(
      api.GET("/api/environments/{project_id}/events/", {
        params: { path: inProject(), query: { limit: 1 } },
        signal,
      }),
    ),
  );
  const count = events.data?.count;
  useEffect(() => {
    if (count !== undefined) route(href(count === 0 ? "start" : "events"), true);
  }, [count, route]);
  return (
    <>
      <PageHead title="Home" />
      <Load of={events} skeleton={<Skeleton rows={4} height={48} />}>
        {() => null}
      </Load>
    </>
  );
}
