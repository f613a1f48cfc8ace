import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { api } from "../api/client.ts";
import { useLoad } from "../api/load.ts";
import { may } from "../api/session.ts";
import { PageHead } from "../layout/page-head.tsx";
import { href } from "../state/address.ts";
import { zone } from "../state/project.ts";
import { dayOfBound } from "../state/ranges.ts";
import { dayIn, shiftDay } from "../state/zoned-days.ts";
import { Load, Skeleton } from "../ui/states.tsx";
import { listDashboards } from "./dashboards/changes.ts";

/** How old a project is until a day says more of it than a week, in milliseconds. */
const YOUNG_MS = 2 * 86_400_000;

/** Pages with the scope that each reads by, in the order in which a project begins with them. */
const READ_BY: readonly [scope: string, page: string][] = [
  ["query:read", "events"],
  ["insight:read", "insights"],
  ["person:read", "persons"],
  ["group:read", "groups"],
  ["error_tracking:read", "logs"],
  ["session_recording_playlist:read", "playlists"],
];

/** The first page that the session's key may read. Health needs no more than each page does. */
const readablePage = (): string => READ_BY.find(([scope]) => may(scope))?.[1] ?? "health";

/** The page that a project begins with: before its first event the start page, else its first dashboard, if the key may read it. */
async function firstPage(signal: AbortSignal): Promise<string> {
  const { first_event_at } = await api.get("/api/projects/{project_id}/status/", { signal });
  if (first_event_at === null) return href("start");
  if (!may("dashboard:read")) return href(readablePage());
  const { results } = await listDashboards({ limit: 100 }, signal);
  const first = results.find(({ pinned }) => pinned) ?? results[0];
  if (first === undefined) return href("dashboards");
  const from = String(first.filters["date_from"] ?? "-6d");
  const newest = may("query:read") || may("event:read") ? await newestDay(signal) : undefined;
  const isNew = Date.now() - Date.parse(first_event_at) < YOUNG_MS;
  // Old events may have come on the first day.
  const isYoung =
    isNew && newest !== undefined && (await newestDay(signal, YOUNG_MS)) === undefined;
  return href(`dashboards/${first.id}`, { first: firstPeriod(from, newest, isYoung) });
}

/** The day of the newest event of at least an age, in milliseconds, on the project's clock; undefined without one. */
async function newestDay(signal: AbortSignal, age = 0): Promise<string | undefined> {
  const before = age === 0 ? {} : { before: new Date(Date.now() - age).toISOString() };
  const { results } = await api.get("events/", { query: { limit: 1, ...before }, signal });
  const { timestamp } = results[0] ?? {};
  return timestamp && dayIn(new Date(timestamp), zone());
}

/**
 * The period that a dashboard opens with, instead of its own: the first day of a young project, or the 30 days up to
 * the newest event, if that is older than the dashboard's own period. Undefined if that one has events.
 */
function firstPeriod(from: string, newest: string | undefined, isYoung: boolean) {
  const today = dayIn(new Date(), zone());
  if (newest === undefined) return undefined;
  const began = dayOfBound(from, new Date(), zone()) ?? "";
  if (newest < began) return `${shiftDay(newest, -29)}..${newest}`;
  return isYoung && newest === today ? "today" : undefined;
}

/** Leads to where the project is. */
export function HomePage() {
  const { route } = useLocation();
  const first = useLoad("first page", firstPage);
  const { data } = first;
  useEffect(() => {
    if (data !== undefined) route(data, true);
  }, [data, route]);
  return (
    <>
      <PageHead title="Home" />
      <Load of={first} skeleton={<Skeleton rows={4} height={48} />}>
        {() => null}
      </Load>
    </>
  );
}
