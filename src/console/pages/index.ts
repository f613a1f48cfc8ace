import type { ComponentType } from "preact";
import type { IconName } from "../ui/icon.tsx";
import { DashboardPage } from "./dashboards/dashboard-page.tsx";
import { DashboardsPage } from "./dashboards/dashboards-page.tsx";
import { EventsPage } from "./events/events-page.tsx";
import { GroupPage } from "./groups/group-page.tsx";
import { GroupsPage } from "./groups/groups-page.tsx";
import { HealthPage } from "./health/health-page.tsx";
import { HomePage } from "./home-page.tsx";
import { InsightPage } from "./insights/insight-page.tsx";
import { InsightsPage } from "./insights/insights-page.tsx";
import { LogsPage } from "./logs/logs-page.tsx";
import { PersonPage } from "./persons/person-page.tsx";
import { PersonsPage } from "./persons/persons-page.tsx";
import { PlaylistPage } from "./playlists/playlist-page.tsx";
import { PlaylistsPage } from "./playlists/playlists-page.tsx";
import { SettingsPage } from "./settings/settings-page.tsx";
import { SqlPage } from "./sql/sql-page.tsx";
import { StartPage } from "./start/start-page.tsx";
import { TasksPage } from "./tasks/tasks-page.tsx";

/** A page of the console. */
export type Page = {
  /** Its path below the project, such as `persons/:id`; parts that begin with `:` come as `params`. */
  path: string;
  /** The name of the browser's tab and of the navigation. */
  title: string;
  /** Pages with an icon are in the navigation, in the order of the table. */
  icon?: IconName;
  /** The letter that leads here after `g`. */
  key?: string;
  /** Whether it takes more of a wide window than other pages. */
  isWide?: boolean;
  component: ComponentType<PageProps>;
};

/** The properties of each page: the named parts of its path. All other state is in the query of the address. */
export type PageProps = { params: Record<string, string> };

/**
 * All pages. To add one, write its component in a folder of `pages` and add its row here: navigation,
 * keys, search and title follow from the row.
 */
export const PAGES: readonly Page[] = [
  { path: "", title: "Home", component: HomePage },
  { path: "start", title: "Start", icon: "start", key: "s", component: StartPage },
  {
    path: "dashboards",
    title: "Dashboards",
    icon: "dashboards",
    key: "d",
    component: DashboardsPage,
  },
  { path: "dashboards/:id", title: "Dashboard", isWide: true, component: DashboardPage },
  { path: "insights", title: "Insights", icon: "insights", key: "i", component: InsightsPage },
  { path: "insights/:short_id", title: "Insight", component: InsightPage },
  { path: "events", title: "Events", icon: "events", key: "e", component: EventsPage },
  { path: "persons", title: "Persons", icon: "persons", key: "p", component: PersonsPage },
  { path: "persons/:id", title: "Person", component: PersonPage },
  { path: "groups", title: "Groups", icon: "groups", component: GroupsPage },
  { path: "groups/:type", title: "Group", component: GroupPage },
  { path: "sql", title: "SQL", icon: "sql", key: "q", component: SqlPage },
  { path: "playlists", title: "Playlists", icon: "playlists", component: PlaylistsPage },
  { path: "playlists/:short_id", title: "Playlist", component: PlaylistPage },
  { path: "logs", title: "Logs", icon: "logs", key: "l", component: LogsPage },
  { path: "tasks", title: "Tasks", icon: "tasks", key: "t", component: TasksPage },
  { path: "health", title: "Health", icon: "health", key: "h", component: HealthPage },
  { path: "settings", title: "Settings", icon: "settings", component: SettingsPage },
];
