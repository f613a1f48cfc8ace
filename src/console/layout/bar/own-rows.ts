import { leave, mayAsk, signOut } from "../../api/session.ts";
import { SETTINGS } from "../../pages/settings/tabs.tsx";
import { href } from "../../state/address.ts";
import { BASE, CONSOLE } from "../../state/base.ts";
import { THEMES, theme } from "../../state/preferences.ts";
import { project, projects } from "../../state/project.ts";
import { copyText } from "../../ui/button.tsx";
import { announce } from "../../ui/live-region.tsx";
import { places } from "../places.ts";
import type { Row } from "./row.ts";

const pages = (): Row[] =>
  places().map((place) => ({ ...place, key: `page ${place.key}`, note: "Page" }));

const settings = (): Row[] =>
  SETTINGS.map(({ value, label }) => ({
    key: `settings ${value}`,
    icon: "settings",
    title: label,
    note: "Settings",
    href: href("settings", { tab: value }),
  }));

const otherProjects = (): Row[] =>
  (projects.value ?? [])
    .filter(({ id }) => id !== project.value?.id)
    .map(({ id, name }) => ({
      key: `project ${id}`,
      icon: "right",
      title: name,
      note: "Project",
      href: `${CONSOLE}/${id}/`,
    }));

const themes = (): Row[] =>
  THEMES.filter(({ value }) => value !== theme.value).map(({ value, label }) => ({
    key: `theme ${value}`,
    icon: "theme",
    title: `Theme: ${label}`,
    note: "Command",
    run: () => {
      theme.value = value;
    },
  }));

async function copyKey(): Promise<void> {
  const isCopied = await copyText(project.value?.api_token ?? "");
  announce(isCopied ? "Copied" : "Can't copy here.");
}

const commands = (onHelp: () => void): Row[] =>
  [
    ...(mayAsk()
      ? [{ key: "new", icon: "plus", title: "New insight", href: href("insights/new") } as const]
      : []),
    { key: "copy", icon: "copy", title: "Copy project API key", run: copyKey } as const,
    { key: "keys", icon: "help", title: "Keyboard shortcuts", run: onHelp } as const,
    { key: "docs", icon: "logs", title: "Documentation", href: `${BASE}/docs` } as const,
    {
      key: "leave",
      icon: "right",
      title: "Sign out",
      run: () => void signOut().catch(leave),
    } as const,
  ].map((row) => ({ ...row, note: "Command" }));

/** Rows that need no request: pages, tabs of the settings, projects and commands. */
export const ownRows = (onHelp: () => void): Row[] => [
  ...pages(),
  ...settings(),
  ...otherProjects(),
  ...commands(onHelp),
  ...themes(),
];
