import { signal } from "@preact/signals";
import { api, type Schemas } from "../../api/client.ts";

/** A dashboard with its tiles. */
export type Dashboard = Schemas["Dashboard"];

/** A change of a dashboard; tiles that are not sent stay. */
export type Change = Schemas["DashboardChange"];

/** Reads a dashboard. Throws a problem if that fails. */
export const readDashboard = (id: string, signal: AbortSignal): Promise<Dashboard> =>
  api.get("dashboards/{id}/", { path: { id: Number(id) }, signal });

/** Lists dashboards, the newest first. The first list of a project with events makes one. */
export const listDashboards = (
  query: { deleted?: boolean; search?: string; limit?: number; offset?: number; cursor?: string },
  signal?: AbortSignal,
): Promise<Schemas["DashboardListedPage"]> => api.get("dashboards/", { query, signal });

/** How many changes of dashboards this page has made. The navigation lists them again after each. */
export const dashboardChanges = signal(0);

async function changed(answer: Promise<Dashboard>): Promise<Dashboard> {
  const dashboard = await answer;
  dashboardChanges.value += 1;
  return dashboard;
}

/** Makes a dashboard. Throws a problem if that is refused. */
export const createDashboard = (body: Schemas["DashboardDraft"]): Promise<Dashboard> =>
  changed(api.post("dashboards/", { body }));

/** Changes a dashboard. Throws a problem if that is refused. */
export const changeDashboard = (id: number, body: Change): Promise<Dashboard> =>
  changed(api.patch("dashboards/{id}/", { path: { id }, body }));

/** How the parts of the editor change a dashboard. Screen readers say `said`. */
export type Edits = {
  /** Throws a problem if it is refused. */
  send(change: Change, said?: string): Promise<void>;
  /** Shows a refusal on the page; says whether it was taken. */
  attempt(change: Change, said?: string): Promise<boolean>;
};
