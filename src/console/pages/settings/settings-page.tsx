import type { ComponentType } from "preact";
import { PageHead } from "../../layout/page-head.tsx";
import { useAddress } from "../../state/address.ts";
import { FIRST_PAGE } from "../../ui/list.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Install } from "../start/start-page.tsx";
import { DeletionsTab } from "../tasks/tasks-page.tsx";
import { Appearance } from "./appearance.tsx";
import { KeysTab } from "./keys-tab.tsx";
import { ProjectsTab } from "./projects-tab.tsx";
import { SessionsTab } from "./sessions-tab.tsx";
import { SETTINGS, type SettingsTab } from "./tabs.tsx";

const COMPONENTS: Record<SettingsTab, ComponentType> = {
  ...{ projects: ProjectsTab, install: Install, keys: KeysTab, sessions: SessionsTab },
  ...{ deletions: DeletionsTab, appearance: Appearance },
};

/** The settings of the projects, of the server and of this browser, each on a tab. */
export function SettingsPage() {
  const { query, set } = useAddress();
  const tab = SETTINGS.find(({ value }) => value === query["tab"]) ?? SETTINGS[0];
  const Shown = COMPONENTS[tab.value];
  const choose = (value: SettingsTab) =>
    set({ tab: value === "projects" ? "" : value, state: "", ...FIRST_PAGE });
  return (
    <>
      <PageHead title="Settings" part={tab.label} />
      <Tabs label="Settings" tabs={SETTINGS} value={tab.value} onChange={choose}>
        <Shown />
      </Tabs>
    </>
  );
}
