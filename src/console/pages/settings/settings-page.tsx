import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { PageHead } from "../../layout/page-head.tsx";
import { href, useAddress } from "../../state/address.ts";
import { FIRST_PAGE } from "../../ui/list.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Install } from "../start/start-page.tsx";
import { DeletionsTab } from "../tasks/tasks-page.tsx";
import { Appearance } from "./appearance.tsx";
import { KeysTab } from "./keys-tab.tsx";
import { ProjectsTab } from "./projects-tab.tsx";
import { SessionsTab } from "./sessions-tab.tsx";

/** The tabs of the settings. */
export const SETTINGS = [
  { value: "projects", label: "Projects", component: ProjectsTab },
  { value: "install", label: "Install", component: Install },
  { value: "keys", label: "Keys", component: KeysTab },
  { value: "sessions", label: "Sessions", component: SessionsTab },
  { value: "deletions", label: "Deletions", component: DeletionsTab },
  { value: "appearance", label: "Appearance", component: Appearance },
] as const;

type Tab = (typeof SETTINGS)[number];

/** The settings of the projects, of the server and of this browser, each on a tab. */
export function SettingsPage() {
  const { query, set } = useAddress();
  const tab = SETTINGS.find(({ value }) => value === query["tab"]) ?? SETTINGS[0];
  const choose = (value: Tab["value"]) =>
    set({ tab: value === "projects" ? "" : value, state: "", ...FIRST_PAGE });
  return (
    <>
      <PageHead title="Settings" part={tab.label} />
      <Tabs label="Settings" tabs={SETTINGS} value={tab.value} onChange={choose}>
        <tab.component />
      </Tabs>
    </>
  );
}

/** A page that has become a tab of the settings: its old address leads there, with its state. */
export const movedTo = (tab: Tab["value"]) =>
  function Moved() {
    const { query } = useAddress();
    const { route } = useLocation();
    const to = href("settings", { ...query, tab });
    useEffect(() => route(to, true), [to, route]);
    return <PageHead title="Settings" />;
  };
