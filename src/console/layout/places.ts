import { GROUPS, type Group, PAGES } from "../pages/index.ts";
import { href } from "../state/address.ts";
import type { IconName } from "../ui/icon.tsx";

/** A place that the navigation leads to. */
export type Place = { key: string; title: string; icon: IconName; group: Group; href: string };

/** The live list has no page of its own: it is the list of events as they come. */
const live = (): Place => ({
  ...{ key: "live", title: "Live", icon: "live", group: "Home" },
  href: href("events", { live: "1" }),
});

/** All places, in the order of the navigation. */
export const places = (): Place[] =>
  GROUPS.flatMap((group) => {
    const own = PAGES.flatMap((page): Place[] => {
      const { path, title, icon } = page;
      if (page.group !== group || icon === undefined) return [];
      return [{ key: path || "home", title, icon, group, href: href(path) }];
    });
    return group === "Home" ? [...own, live()] : own;
  });
