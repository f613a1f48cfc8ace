import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { api, read } from "../api/client.ts";
import { useLoad } from "../api/load.ts";
import { may, mayAsk } from "../api/session.ts";
import { useEventNames } from "../api/suggestions.ts";
import { PAGES } from "../pages/index.ts";
import { href } from "../state/address.ts";
import { eventTitle } from "../state/format.ts";
import { inProject } from "../state/project.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";

type Found = { key: string; icon: IconName; title: string; kind: string; href: string };

/** Persons and events that are shown at most. */
const SHOWN = 6;

function usePersons(text: string): Found[] {
  const key = text.length >= 2 && may("person:read") ? `search ${text}` : null;
  const { data } = useLoad(key, (signal) =>
    read(
      api.GET("/api/environments/{project_id}/persons/", {
        params: { path: inProject(), query: { search: text, limit: SHOWN } },
        signal,
      }),
    ),
  );
  if (key === null) return [];
  return (data?.results ?? []).map(({ uuid, name }) => ({
    key: `person ${uuid}`,
    icon: "persons",
    title: name,
    kind: "Person",
    href: href(`persons/${uuid}`),
  }));
}

/** Finds pages, persons and events by a part of their name. Last, it offers to ask the text as a question. */
export function SearchDialog({ onClose }: { onClose: () => void }) {
  const { route } = useLocation();
  const [text, setText] = useState("");
  const persons = usePersons(text.trim());
  const { names } = useEventNames(text.trim());
  const pages = PAGES.filter(
    ({ icon, title }) => icon && title.toLowerCase().includes(text.trim().toLowerCase()),
  ).map(
    ({ path, title, icon }): Found => ({
      key: `page ${path}`,
      icon: icon ?? "right",
      title,
      kind: "Page",
      href: href(path),
    }),
  );
  const events = (text.trim() === "" ? [] : names).slice(0, SHOWN).map(
    (name): Found => ({
      key: `event ${name}`,
      icon: "events",
      title: eventTitle(name),
      kind: "Event",
      href: href("events", { event: name }),
    }),
  );
  const asked = text.trim();
  const question: Found = {
    key: "ask",
    icon: "insights",
    title: `Ask: ${asked}`,
    kind: "Question",
    href: href("insights/new", { ask: asked }),
  };
  const canAsk = asked !== "" && mayAsk();
  const found = [...pages, ...persons, ...events, ...(canAsk ? [question] : [])];
  const go = (to: string) => {
    onClose();
    route(to);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    const first = found[0];
    if (first) go(first.href);
  };
  return (
    <Dialog title="Search" onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <Field
          label="Search pages, persons and events, or ask"
          isBare
          type="search"
          autofocus
          autocomplete="off"
          placeholder="Page, e-mail address, distinct id, event, question"
          value={text}
          onInput={setText}
        />
      </form>
      <ul class="found">
        {found.map((one) => (
          <li key={one.key}>
            <a
              href={one.href}
              onClick={(event) => {
                event.preventDefault();
                go(one.href);
              }}
            >
              <Icon name={one.icon} />
              <span>{one.title}</span>
              <span class="caption">{one.kind}</span>
            </a>
          </li>
        ))}
        {found.length === 0 && <li class="caption">Nothing found.</li>}
      </ul>
    </Dialog>
  );
}
