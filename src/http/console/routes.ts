import type { PageRoute } from "../operation/route.ts";
import { deletionRunRoute } from "./deletions.ts";
import { consolePages } from "./pages.ts";
import { sessionRoutes } from "./sessions.ts";

type Needs = Parameters<typeof consolePages>[0] &
  Parameters<typeof sessionRoutes>[0] &
  Parameters<typeof deletionRunRoute>[0] & {
    /** Whether browsers get the console (setting `console`). */
    hasConsole: boolean;
  };

/** The routes of the console; none if it is off. */
export const consoleRoutes = (needs: Needs): PageRoute[] =>
  needs.hasConsole
    ? [...consolePages(needs), ...sessionRoutes(needs), deletionRunRoute(needs)]
    : [];
