import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { PAGES, type Page } from "../pages/index.ts";
import { href } from "../state/address.ts";
import { focusHeading } from "../ui/focus.ts";
import { Icon } from "../ui/icon.tsx";
import { moveRow, useKeys } from "../ui/keys.ts";
import { Bar } from "./bar/bar.tsx";
import { KeyboardHelp } from "./keyboard-help.tsx";
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
      <TopBar onSearch={() => setOpen("bar")} onHelp={() => setOpen("help")} />
      <div class="frame">
        <Navigation page={page} />
        <main id="main" class={page?.isWide ? "content wide" : "content"}>
          {children}
        </main>
      </div>
      {open === "help" && <KeyboardHelp onClose={close} />}
      {open === "bar" && <Bar onClose={close} onHelp={() => setOpen("help")} />}
    </>
  );
}

/** The pages with an icon. The current one is marked, also while a page below it is open. */
function Navigation({ page }: { page: Page | undefined }) {
  const top = page?.path.split("/")[0];
  const bar = useRef<HTMLElement>(null);
  // Where the pages do not fit, the bar scrolls, and the current one is shown.
  useEffect(() => {
    if (top !== undefined && bar.current) showCurrent(bar.current);
  }, [top]);
  return (
    <nav class="navigation" aria-label="Pages" ref={bar}>
      <ul>
        {PAGES.filter(({ icon }) => icon).map(({ path, title, icon }) => (
          <li key={path}>
            <a href={href(path)} aria-current={path === top ? "page" : undefined}>
              {icon && <Icon name={icon} />}
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Scrolls a bar to its current link. `scrollIntoView` would have the first Tab go on from that link. */
function showCurrent(bar: HTMLElement): void {
  const current = bar.querySelector<HTMLElement>("[aria-current]");
  if (current === null) return;
  bar.scrollLeft = current.offsetLeft - (bar.clientWidth - current.offsetWidth) / 2;
  bar.scrollTop = current.offsetTop - (bar.clientHeight - current.offsetHeight) / 2;
}
