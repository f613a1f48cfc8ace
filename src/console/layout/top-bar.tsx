import { useLocation } from "preact-iso/router";
import { leave, session, signOut } from "../api/session.ts";
import { href } from "../state/address.ts";
import { BASE, CONSOLE } from "../state/base.ts";
import { THEMES, theme } from "../state/preferences.ts";
import { project, projects } from "../state/project.ts";
import { Icon } from "../ui/icon.tsx";
import { CTRL } from "../ui/keys.ts";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { Mark } from "./mark.tsx";

function Brand() {
  return (
    <a class="brand" href={href("")} aria-label="Hoglet, first page">
      <Mark />
      <span class="brand-name">Hoglet</span>
    </a>
  );
}

/** The bar where no project can be shown: only the way out. */
export function AccountBar() {
  return (
    <header class="top-bar">
      <Brand />
      <span class="grow" />
      <AccountMenu />
    </header>
  );
}

/** The bar at the top: project, search, theme, account. */
export function TopBar({ onSearch, onHelp }: { onSearch: () => void; onHelp: () => void }) {
  return (
    <header class="top-bar">
      <Brand />
      <ProjectPicker />
      <button type="button" class="search-button" onClick={onSearch}>
        <Icon name="search" />
        <span>Search or ask</span>
        <kbd>{CTRL} K</kbd>
      </button>
      <Menu
        label="Theme"
        icon="theme"
        isQuiet
        items={THEMES.map(({ value, label }) => ({
          label,
          isChosen: theme.value === value,
          onChoose: () => {
            theme.value = value;
          },
        }))}
      />
      <AccountMenu onHelp={onHelp} />
    </header>
  );
}

function ProjectPicker() {
  const { route } = useLocation();
  const all = projects.value ?? [];
  return (
    <Menu
      label="Project"
      isQuiet
      items={[
        ...all.map(({ id, name }) => ({
          label: name,
          isChosen: id === project.value?.id,
          onChoose: () => route(`${CONSOLE}/${id}/`),
        })),
        { label: "Manage projects", icon: "settings", href: href("settings") },
      ]}
    >
      <span class="project-name">{project.value?.name ?? "No project"}</span>
    </Menu>
  );
}

function AccountMenu({ onHelp }: { onHelp?: () => void }) {
  const email = session.value?.user.email ?? "Account";
  const items: MenuItem[] = [
    ...(onHelp ? [{ label: "Keyboard shortcuts", icon: "help", onChoose: onHelp } as const] : []),
    { label: "Documentation", icon: "logs", href: `${BASE}/docs` },
    { label: "Sign out", icon: "right", onChoose: () => void signOut().catch(leave) },
  ];
  return <Menu label={email} icon="account" isQuiet items={items} />;
}
