import { PageHead } from "../../layout/page-head.tsx";
import { useAddress } from "../../state/address.ts";
import { Tabs } from "../../ui/tabs.tsx";
import { Appearance } from "./appearance.tsx";
import { KeysTab } from "./keys-tab.tsx";
import { ProjectsTab } from "./projects-tab.tsx";
import { SessionsTab } from "./sessions-tab.tsx";

/** The tabs of the settings. */
export const SETTINGS = [
  { value: "projects", label: "Projects" },
  { value: "keys", label: "Keys" },
  { value: "sessions", label: "Sessions" },
  { value: "appearance", label: "Appearance" },
] as const;

/** Projects with their keys, personal keys, sessions, and how the console looks. */
export function SettingsPage() {
  const { query, set } = useAddress();
  const tab = SETTINGS.find(({ value }) => value === query["tab"])?.value ?? "projects";
  const part = SETTINGS.find(({ value }) => value === tab)?.label;
  const choose = (value: typeof tab) => set({ tab: value === "projects" ? "" : value, open: "" });
  return (
    <>
      <PageHead title="Settings" part={part} />
      <Tabs label="Settings" tabs={SETTINGS} value={tab} onChange={choose}>
        {tab === "projects" && <ProjectsTab />}
        {tab === "keys" && <KeysTab />}
        {tab === "sessions" && <SessionsTab />}
        {tab === "appearance" && <Appearance />}
      </Tabs>
    </>
  );
}
