import type { ComponentType } from "preact";
import type { IconName } from "../ui/icon.tsx";
import { DashboardPage } from "./dashboards/dashboard-page.tsx";
import { DashboardsPage } from "./dashboards/dashboards-page.tsx";
import { HomePage } from "./home-page.tsx";
import { later } from "./later.tsx";
import { movedTo } from "./settings/tabs.tsx";

/** A page of the console. */
export type Page = {
  /** Its path below the project, such as `persons/:id`; parts that begin with `:` come as `params`. */
  path: string;
  /** The name of the browser's tab and of the navigation. */
  title: string;
  icon?: IconName;
  /** Its part of the navigation, where its pages have the order of the table. */
  group?: Group;
  /** The letter that leads here after `g`. */
  key?: string;
  /** Whether it only leads on to another page. */
  leadsOn?: boolean;
  /** Whether it takes more of a wide window than other pages. */
  isWide?: boolean;
  component: ComponentType<PageProps>;
};

/** The parts of the navigation, from its top to its foot. */
export const GROUPS = ["Home", "Analyse", "Data", "Settings"] as const;

/** A part of the navigation. */
export type Group = (typeof GROUPS)[number];

/** The properties of each page: the named parts of its path. All other state is in the query of the address. */
export type PageProps = { params: Record<string, string> };

/**
 * All pages. To add one, write its component in a folder of `pages` and add its row here: navigation,
 * keys and search follow from the row.
 */
export const PAGES: readonly Page[] = [
  {
    ...{ path: "", title: "Home", icon: "home", group: "Home", leadsOn: true },
    component: HomePage,
  },
  {
    ...{ path: "insights", title: "Insights", icon: "insights", key: "i", group: "Analyse" },
    component: later(() =>
      import("./insights/insights-page.tsx").then((file) => file.InsightsPage),
    ),
  },
  {
    path: "insights/:short_id",
    title: "Insight",
    component: later(() => import("./insights/insight-page.tsx").then((file) => file.InsightPage)),
  },
  {
    ...{ path: "dashboards", title: "Dashboards", icon: "dashboards", key: "d", group: "Analyse" },
    component: DashboardsPage,
  },
  { path: "dashboards/:id", title: "Dashboard", isWide: true, component: DashboardPage },
  {
    path: "sql",
    title: "SQL",
    icon: "sql",
    key: "q",
    group: "Analyse",
    component: later(() => import("./sql/sql-page.tsx").then((file) => file.SqlPage)),
  },
  {
    ...{ path: "events", title: "Events", icon: "events", key: "e", group: "Data" },
    component: later(() => import("./events/events-page.tsx").then((file) => file.EventsPage)),
  },
  {
    ...{ path: "persons", title: "People", icon: "persons", key: "p", group: "Data" },
    component: later(() => import("./persons/persons-page.tsx").then((file) => file.PersonsPage)),
  },
  {
    path: "persons/:id",
    title: "Person",
    component: later(() => import("./persons/person-page.tsx").then((file) => file.PersonPage)),
  },
  {
    path: "groups",
    title: "Groups",
    icon: "groups",
    group: "Data",
    component: later(() => import("./groups/groups-page.tsx").then((file) => file.GroupsPage)),
  },
  {
    path: "groups/:type",
    title: "Group",
    component: later(() => import("./groups/group-page.tsx").then((file) => file.GroupPage)),
  },
  {
    path: "logs",
    title: "Logs",
    icon: "logs",
    key: "l",
    group: "Data",
    component: later(() => import("./logs/logs-page.tsx").then((file) => file.LogsPage)),
  },
  {
    ...{ path: "playlists", title: "Playlists", icon: "playlists", group: "Data" },
    component: later(() =>
      import("./playlists/playlists-page.tsx").then((file) => file.PlaylistsPage),
    ),
  },
  {
    path: "playlists/:short_id",
    title: "Playlist",
    component: later(() =>
      import("./playlists/playlist-page.tsx").then((file) => file.PlaylistPage),
    ),
  },
  {
    ...{ path: "settings", title: "Settings", icon: "settings", group: "Settings" },
    component: later(() =>
      import("./settings/settings-page.tsx").then((file) => file.SettingsPage),
    ),
  },
  {
    ...{ path: "health", title: "Health", icon: "health", key: "h", group: "Settings" },
    component: later(() => import("./health/health-page.tsx").then((file) => file.HealthPage)),
  },
  { path: "start", title: "Install", key: "s", leadsOn: true, component: movedTo("install") },
  { path: "tasks", title: "Deletions", key: "t", leadsOn: true, component: movedTo("deletions") },
];
