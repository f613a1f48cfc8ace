const PATHS = {
  home: "M2.5 7.5 8 3l5.5 4.5v6h-4v-4h-3v4h-4z",
  live: "M8 9.3a1.3 1.3 0 1 0 0-2.6 1.3 1.3 0 0 0 0 2.6zM4.7 11.3a4.7 4.7 0 0 1 0-6.6M11.3 4.7a4.7 4.7 0 0 1 0 6.6M2.8 13.2a7.3 7.3 0 0 1 0-10.4M13.2 2.8a7.3 7.3 0 0 1 0 10.4",
  start: "M4 13V3l8 5z",
  dashboards: "M2.5 2.5h4.5v6H2.5zM9 2.5h4.5v3.5H9zM9 8h4.5v5.5H9zM2.5 10.5H7v3H2.5z",
  insights: "M2.5 13.5h11M4.5 11V8M8 11V4M11.5 11V6",
  events: "M3 4h10M3 8h10M3 12h6",
  persons: "M8 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 13.5c.5-2.5 2.5-4 5-4s4.5 1.5 5 4",
  groups: "M2.5 13.5v-7h5v7M7.5 13.5v-11h6v11M1.5 13.5h13M10 5.5h1M10 8h1M10 10.5h1",
  sql: "M5 4 1.5 8 5 12M11 4l3.5 4-3.5 4M9.5 3l-3 10",
  playlists: "M2.5 3.5h11v9h-11zM7 6l3 2-3 2z",
  logs: "M4 2.5h6l2.5 2.5v8.5H4zM6 7h4.5M6 10h4.5",
  tasks: "M3 4.5 4.5 6 7 3M3 10.5 4.5 12 7 9M9 4.5h4.5M9 10.5h4.5",
  health: "M1.5 8.5h3l2-5 3 9 2-4h3",
  settings:
    "M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M3.4 12.6l1.4-1.4M11.2 4.8l1.4-1.4",
  theme: "M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11M10 4v8M12 5.5v5",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.7 3.7",
  close: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  down: "M4 6l4 4 4-4",
  right: "M6 4l4 4-4 4",
  left: "M10 4L6 8l4 4",
  up: "M8 13V3M4 7l4-4 4 4",
  fall: "M8 3v10M4 9l4 4 4-4",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  done: "M3 8.5 6.5 12 13 4.5",
  warning: "M8 2 1.5 13.5h13zM8 6.5v3.5M8 11.8v.4",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  table: "M2.5 3.5h11v9h-11zM2.5 6.5h11M6.5 6.5v6",
  chart: "M2.5 2.5v11h11M5 10l3-3 2 2 3.5-4.5",
  edit: "M3 13l.6-2.6L10.5 3.5l2 2-6.9 6.9z",
  lock: "M4 7.5h8v6H4zM5.5 7.5v-2a2.5 2.5 0 0 1 5 0v2",
  filter: "M2 3.5h12L9.5 8.5v4l-3 1.5V8.5z",
  download: "M8 2.5v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11",
  account: "M8 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 13.5c.5-2.5 2.5-4 5-4s4.5 1.5 5 4",
  star: "M8 2l1.8 3.8 4.2.5-3.1 2.9.8 4.1L8 11.3l-3.7 2 .8-4.1L2 6.3l4.2-.5z",
  refresh: "M13 8a5 5 0 1 1-1.5-3.5L13 6M13 2.5V6H9.5",
  trash: "M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.5 9h6l.5-9",
  help: "M6 6a2 2 0 1 1 2.8 1.8c-.5.3-.8.7-.8 1.2v.5M8 11.8v.4",
} as const;

/** The name of an icon. */
export type IconName = keyof typeof PATHS;

/** A picture of 16 px in the colour of the text. Readers of the screen pass over it. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
