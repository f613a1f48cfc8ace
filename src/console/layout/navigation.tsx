import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { api } from "../api/client.ts";
import { useLoad } from "../api/load.ts";
import { may } from "../api/session.ts";
import { dashboardChanges, listDashboards } from "../pages/dashboards/changes.ts";
import { GROUPS } from "../pages/index.ts";
import { href, useAddress } from "../state/address.ts";
import { CONSOLE } from "../state/base.ts";
import { project } from "../state/project.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { HealthMark } from "./health-mark.tsx";
import { type Place, places } from "./places.ts";

/** The most dashboards beneath the page of dashboards. */
const PINNED_MAX = 8;

/** The places of the project with its pinned dashboards, and the current place. */
function useGuide() {
  const { path } = useLocation();
  const { query } = useAddress();
  const [top = "", id = ""] = path
    .slice(CONSOLE.length + 1)
    .split("/")
    .slice(1);
  const of = project.value?.id;
  const mayList = may("dashboard:read");
  const dashboards = useLoad(
    mayList ? `pinned ${of} ${dashboardChanges.value}` : null,
    async (signal) => (await listDashboards({ limit: 100 }, signal)).results,
  );
  const mayPlay = may("session_recording_playlist:read");
  const playlists = useLoad(mayPlay ? `playlists ${of} ${top === "playlists"}` : null, (signal) =>
    api.get("session_recording_playlists/", { query: { limit: 1 }, signal }),
  );
  const isKnown = [dashboards, playlists].every(
    ({ data, problem, isLoading }) => data !== undefined || problem !== undefined || !isLoading,
  );
  const pinned = (dashboards.data ?? []).filter((one) => one.pinned).slice(0, PINNED_MAX);
  const home = pinned[0] ?? dashboards.data?.[0];
  const currentOf = (): string => {
    if (top === "events" && query["live"] === "1") return "live";
    if (top !== "dashboards" || id === "") return top;
    if (id === String(home?.id)) return "home";
    return pinned.some((one) => String(one.id) === id) ? `dashboards/${id}` : top;
  };
  const hasPlaylists = top === "playlists" || (playlists.data?.count ?? 0) > 0;
  return {
    pinned,
    isKnown,
    current: currentOf(),
    places: places().filter(({ key }) => key !== "playlists" || hasPlaylists),
  };
}

type Guide = ReturnType<typeof useGuide>;

function PlaceLink({ place, guide }: { place: Place; guide: Guide }) {
  const { key, title, icon } = place;
  return (
    <a href={place.href} title={title} aria-current={guide.current === key ? "page" : undefined}>
      <Icon name={icon} />
      <span class="place-name">{title}</span>
      {key === "health" && may("project:read") && <HealthMark />}
    </a>
  );
}

/** All places by their groups, with the pinned dashboards beneath the page of dashboards. */
function Places({ guide }: { guide: Guide }) {
  return (
    <>
      {GROUPS.map((group) => (
        <div key={group} class={group === "Settings" ? "places foot" : "places"}>
          {(group === "Analyse" || group === "Data") && <p class="caption">{group}</p>}
          <ul>
            {guide.places
              .filter((place) => place.group === group)
              .map((place) => (
                <li key={place.key}>
                  <PlaceLink place={place} guide={guide} />
                  {place.key === "dashboards" && <Pinned guide={guide} />}
                </li>
              ))}
          </ul>
        </div>
      ))}
    </>
  );
}

function Pinned({ guide: { pinned, current } }: { guide: Guide }) {
  if (pinned.length === 0) return null;
  return (
    <ul class="pinned" aria-label="Pinned dashboards">
      {pinned.map(({ id, name }) => (
        <li key={id}>
          <a
            href={href(`dashboards/${id}`)}
            aria-current={current === `dashboards/${id}` ? "page" : undefined}
          >
            <span class="place-name">{name || "Dashboard"}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The places on the phone's bar; the bar also asks, and opens all others. */
const ON_PHONES = ["home", "live", "persons"];

/** The way to all places around the content: a bar before it at the side, or on phones one after it at the bottom. */
export function Navigation(props: { onAsk: () => void; children: ComponentChildren }) {
  const guide = useGuide();
  const [isOpen, setOpen] = useState(false);
  const [home, live, persons] = ON_PHONES.map((key) =>
    guide.places.find((place) => place.key === key),
  );
  const link = (place: Place | undefined) => place && <PlaceLink place={place} guide={guide} />;
  return (
    <>
      {/* Its rows have their place once it is known which there are: no row moves. */}
      <nav class={guide.isKnown ? "navigation" : "navigation invisible"} aria-label="Pages">
        <Places guide={guide} />
      </nav>
      {props.children}
      <nav class="bottom-bar" aria-label="Main pages">
        {link(home)}
        {link(live)}
        <button type="button" onClick={props.onAsk}>
          <Icon name="search" />
          Ask
        </button>
        {link(persons)}
        <button type="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
          <Icon name="more" />
          More
        </button>
      </nav>
      {isOpen && (
        <Dialog title="Pages" onClose={() => setOpen(false)}>
          {/* biome-ignore lint/a11y: links get the keys; a click on one comes up to here. */}
          <div class="all-places" onClick={() => setOpen(false)}>
            <Places guide={guide} />
          </div>
        </Dialog>
      )}
    </>
  );
}
