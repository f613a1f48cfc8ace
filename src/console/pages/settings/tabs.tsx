import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { PageHead } from "../../layout/page-head.tsx";
import { href, useAddress } from "../../state/address.ts";

/** The tabs of the settings. */
export const SETTINGS = [
  { value: "projects", label: "Projects" },
  { value: "install", label: "Install" },
  { value: "keys", label: "Keys" },
  { value: "sessions", label: "Sessions" },
  { value: "deletions", label: "Deletions" },
  { value: "appearance", label: "Appearance" },
] as const;

/** The name of a tab in the address. */
export type SettingsTab = (typeof SETTINGS)[number]["value"];

/** A page that has become a tab of the settings: its old address leads there, with its state. */
export const movedTo = (tab: SettingsTab) =>
  function Moved() {
    const { query } = useAddress();
    const { route } = useLocation();
    const to = href("settings", { ...query, tab });
    useEffect(() => route(to, true), [to, route]);
    return <PageHead title="Settings" />;
  };
