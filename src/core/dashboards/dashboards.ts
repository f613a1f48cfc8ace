import type { Projects } from "../access/projects.ts";
import type {
  DashboardFilter,
  DashboardPlace,
  DashboardReads,
  DashboardRow,
  DashboardWrites,
  NewDashboard,
  TileChange,
} from "../ports/dashboards.ts";
import type { InsightWrites } from "../ports/insights.ts";
import { Failure } from "../values/failure.ts";
import { newShortId, withShortId } from "../values/ids.ts";
import { isObject, type Json, type JsonObject, storableText } from "../values/json.ts";
import { cursorPage, type Page, type PageQuery } from "../values/page.ts";
import { type Clock, isoTime } from "../values/time.ts";
import type { Dashboard } from "./dashboard.ts";
import { checkDashboardFilters, withDashboardFilters } from "./filters.ts";
import { type SentDashboard, storableDashboard, tileChanges } from "./sent.ts";
import {
  isFormer,
  renewalOf,
  subjectOf,
  TEMPLATES,
  type TemplateTile,
  WEBSITE_PROPERTIES,
  websiteTiles,
} from "./template.ts";

/** Dashboards of a project. */
export type Dashboards = {
  /**
   * The newest first. The first call for a project that has events makes its dashboard "Website", for the user with
   * the id `user` (decision 180). `url` is the public address of the request, for links. Fails as the read of names does.
   */
  list(
    asking: DashboardAsking,
    filter: DashboardFilter,
    query: PageQuery,
    url: URL,
  ): Promise<Page<DashboardRow>>;
  /**
   * Makes a dashboard, with the tiles of a template if `use_template` names one. `user` is the id of its author.
   * Fails `invalid_input`, `invalid_choice` and `too_long`.
   */
  create(
    asking: DashboardAsking,
    sent: SentDashboard & { use_template?: string | undefined },
  ): Promise<Dashboard>;
  /**
   * Returns a query with the filters of a dashboard, and others, put over it, as {@link withDashboardFilters} does.
   * Anything but an object stays as it is. Fails `invalid_input` and `too_long`.
   */
  filtered(project: number, query: Json, asked: FiltersAsked): Promise<Json>;
  /**
   * Returns a dashboard. Once there are page views, unchanged tiles from before get their form for a website (decision
   * 180). Fails `not_found`, also when it is deleted.
   */
  get(place: DashboardPlace, signal: AbortSignal): Promise<Dashboard>;
  /**
   * Changes the sent fields, also of a deleted dashboard. Tiles that are not sent stay as they are. Fails
   * `not_found`, `invalid_input` and `too_long`.
   */
  change(place: DashboardPlace, user: number, sent: SentDashboard): Promise<Dashboard>;
};

/** Filters that are put over a query: those of a dashboard, and others in place of them. */
export type FiltersAsked = {
  dashboard?: number | undefined;
  filters_override?: JsonObject | undefined;
};

/** A request for dashboards: its project, and the id of its user. */
export type DashboardAsking = { project: number; user: number; signal: AbortSignal };

type Needs = {
  reads: DashboardReads;
  writes: DashboardWrites;
  insights: Pick<InsightWrites, "update">;
  projects: Pick<Projects, "get">;
  /** The most frequent names of a project's events; undefined while the event store catches up. */
  eventNames: (project: number, signal: AbortSignal) => Promise<string[] | undefined>;
  /** Called for properties that many queries will look at. */
  onFrequent: (properties: ReadonlySet<string>) => void;
  now: Clock;
  randomBytes: (count: number) => Uint8Array;
};

/** The name and the period of the dashboard that each project gets. */
const DEFAULT = { name: "Website", filters: { date_from: "-6d" } };

/** Dashboards in the store. */
export function dashboards(needs: Needs): Dashboards {
  const { reads, writes, projects, eventNames, now, randomBytes } = needs;
  const checkFilters = async (project: number, filters: JsonObject | undefined, attr?: string) => {
    if (filters === undefined) return;
    const { timezone } = await projects.get(project);
    checkDashboardFilters(filters, { now: now(), timezone }, attr);
  };
  const changeBy = (user: number) => ({
    ...{ last_modified_at: isoTime(now()), last_modified_by: user },
  });
  const draft = ({ project, user }: DashboardAsking): NewDashboard => {
    const changed = changeBy(user);
    const made = { created_at: changed.last_modified_at, created_by: user };
    const fields = { name: "", description: "", tags: [], pinned: false, filters: {} };
    return { project_id: project, ...fields, ...made, ...changed, isDefault: false };
  };
  /** Tiles with new insights, by the author of their dashboard. */
  const templated = (made: NewDashboard, tiles: readonly TemplateTile[]) => {
    if (tiles.length > 0) needs.onFrequent(new Set(WEBSITE_PROPERTIES));
    return tiles.map(({ name, query, layouts }): TileChange => {
      const { project_id, created_at, created_by, last_modified_at, last_modified_by } = made;
      const insight = {
        ...{ project_id, short_id: newShortId(randomBytes), name, description: "", query },
        ...{ tags: [], favorited: false, saved: true, dashboards: [] },
        ...{ created_at, created_by, last_modified_at, last_modified_by },
      };
      return { insight, layouts, attr: "use_template" };
    });
  };
  const makeDefault = async (asking: DashboardAsking): Promise<void> => {
    if (await reads.hasHadDefault(asking.project)) return;
    const names = (await eventNames(asking.project, asking.signal)) ?? [];
    if (names.length === 0) return;
    const website = { ...draft(asking), ...DEFAULT, pinned: true, isDefault: true };
    await writes.insert(website, templated(website, websiteTiles(subjectOf(names))));
  };
  const renewed = renewals(needs, (asking, tiles) => templated(draft(asking), tiles));
  return {
    async list(asking, filter, query, url) {
      await makeDefault(asking);
      const search = filter.search && storableText(filter.search);
      return cursorPage(url, query, {
        keysOf: ({ id }: DashboardRow) => [id] as const,
        keyTypes: [0],
        read: (part) => reads.list(asking.project, { ...filter, search }, part),
      });
    },
    async create(asking, { use_template, tiles = [], ...sent }) {
      await checkFilters(asking.project, sent.filters);
      const isWebsite = isTemplate(use_template);
      const { deleted: _deleted, ...fields } = storableDashboard(sent);
      const made = { ...draft(asking), ...(isWebsite ? DEFAULT : {}), ...fields };
      const added = tileChanges(tiles);
      // New short ids for each try.
      return withShortId(randomBytes, () => {
        const own = isWebsite ? templated(made, websiteTiles("$pageview")) : [];
        return writes.insert(made, [...own, ...added]);
      });
    },
    async filtered(project, query, { dashboard: id, filters_override }) {
      await checkFilters(project, filters_override, "filters_override");
      const filters = id === undefined ? {} : await reads.filters({ project, id });
      if (filters === undefined) {
        throw new Failure("invalid_input", "The dashboard was not found.", "dashboard");
      }
      const both = { ...filters, ...filters_override };
      return isObject(query) ? withDashboardFilters(query, both) : query;
    },
    get: async (place, signal) => renewed(found(await reads.find(place)), place, signal),
    async change(place, user, { tiles = [], ...sent }) {
      await checkFilters(place.project, sent.filters);
      const changes = tileChanges(tiles);
      const fields = storableDashboard(sent);
      const isModified = Object.keys(fields).some((name) => name !== "deleted");
      const change = { ...fields, ...(isModified || changes.length > 0 ? changeBy(user) : {}) };
      return found(await writes.update(place, change, changes));
    },
  };
}

/** Gives dashboards that were made before the main event of their project was known their form with it. */
function renewals(
  { reads, writes, insights, eventNames }: Needs,
  templated: (asking: DashboardAsking, tiles: readonly TemplateTile[]) => TileChange[],
) {
  const running = new Map<string, Promise<Dashboard>>();
  const renew = async (place: DashboardPlace, signal: AbortSignal): Promise<Dashboard> => {
    const subject = subjectOf((await eventNames(place.project, signal)) ?? []);
    const dashboard = found(await reads.find(place));
    if (subject === null) return dashboard;
    const { project } = place;
    const renewal = renewalOf(dashboard.tiles, subject);
    for (const { short_id, ...change } of renewal.insights) {
      await insights.update(project, short_id, change);
    }
    const moved = renewal.places.map((one) => ({ ...one, attr: "tiles" }));
    const asking = { project, user: dashboard.created_by.id, signal };
    return found(await writes.update(place, {}, [...moved, ...templated(asking, renewal.added)]));
  };
  return async (dashboard: Dashboard, place: DashboardPlace, signal: AbortSignal) => {
    if (!dashboard.tiles.some(isFormer)) return dashboard;
    // Two reads at once add its tiles once.
    const key = `${place.project} ${place.id}`;
    const renewing = running.get(key) ?? renew(place, signal).finally(() => running.delete(key));
    running.set(key, renewing);
    return await renewing;
  };
}

function found(dashboard: Dashboard | undefined): Dashboard {
  if (dashboard === undefined) throw new Failure("not_found", "Not found.");
  return dashboard;
}

/** Whether a template is asked for. Fails `invalid_choice` on one that is not known. */
function isTemplate(name: string | undefined): boolean {
  if (name === undefined) return false;
  if (TEMPLATES.some((known) => known === name)) return true;
  const detail = `One of ${TEMPLATES.join(", ")} is expected.`;
  throw new Failure("invalid_choice", detail, "use_template");
}
