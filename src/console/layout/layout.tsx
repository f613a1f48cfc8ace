import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { PAGES, type Page } from "../pages/index.ts";
import { href } from "../state/address.ts";
import { project } from "../state/project.ts";
import { focusHeading } from "../ui/focus.ts";
import { moveRow, useKeys } from "../ui/keys.ts";
import { Bar } from "./bar/bar.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { KeyboardHelp } from "./keyboard-help.tsx";
import { Navigation } from "./navigation.tsx";
import { TopBar } from "./top-bar.tsx";

/** The frame of every page: top bar, navigation, content, and the keys that work everywhere. */
export function Layout({
  page,
  children,
}: {
  page: Page | undefined;
  children: ComponentChildren;
}) {
  const { route } = useLocation();
  const [open, setOpen] = useState<"help" | "bar" | undefined>();
  const close = () => setOpen(undefined);
  useKeys({
    "?": () => setOpen("help"),
    "/": () => setOpen("bar"),
    // Over another dialog it would lead away from unfinished work.
    "Ctrl+k": () => document.querySelector(":modal") === null && setOpen("bar"),
    j: () => moveRow(1),
    k: () => moveRow(-1),
    ...Object.fromEntries(
      PAGES.filter(({ key }) => key).map(({ key, path }) => [`g ${key}`, () => route(href(path))]),
    ),
  });
  return (
    <>
      <button type="button" class="skip" onClick={focusHeading}>
        Skip to the content
      </button>
      <ConnectionBanner />
      <TopBar onSearch={() => setOpen("bar")} onHelp={() => setOpen("help")} />
      <div class="frame">
        <Navigation key={project.value?.id} onAsk={() => setOpen("bar")}>
          <main id="main" class={page?.isWide ? "content wide" : "content"}>
            {children}
          </main>
        </Navigation>
      </div>
      {open === "help" && <KeyboardHelp onClose={close} />}
      {open === "bar" && <Bar onClose={close} onHelp={() => setOpen("help")} />}
    </>
  );
}
