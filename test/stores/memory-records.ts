import { isDeepStrictEqual } from "node:util";
import type { DefinitionNote, DescribedKind } from "../../src/core/events/definition.ts";
import { DESCRIBED_MAX, NO_NOTE } from "../../src/core/events/definition.ts";
import type { DescribedPlace } from "../../src/core/ports/definitions.ts";
import type { LinkRow, SessionRow } from "../../src/core/ports/sessions.ts";
import { Failure } from "../../src/core/values/failure.ts";
import type { Records } from "./stores.ts";

/** Sessions in memory, as another kind of store would have them. */
export function memorySessions(): Records["sessions"] {
  let [sessions, links]: [SessionRow[], LinkRow[]] = [[], []];
  let last = 0;
  const newestFirst = (user_id: number) =>
    sessions.filter((session) => session.user_id === user_id).sort((a, b) => b.id - a.id);
  const drop = (isDropped: (session: SessionRow) => boolean) => {
    const before = sessions.length;
    sessions = sessions.filter((session) => !isDropped(session));
    return before - sessions.length;
  };
  return {
    byHash: async (hash) => sessions.find((session) => session.hash === hash),
    list: async (user_id) => newestFirst(user_id),
    async insert(draft, { expired, keep }) {
      const { made_before, seen_before } = expired;
      drop((one) => one.created_at < made_before || one.last_seen_at < seen_before);
      if (sessions.some(({ hash }) => hash === draft.hash)) throw new Error("The hash is taken");
      last += 1;
      const made = { ...draft, id: last };
      sessions.push(made);
      const over = new Set(newestFirst(draft.user_id).slice(keep));
      drop((session) => over.has(session));
      return made;
    },
    async see(id, at) {
      sessions = sessions.map((one) => (one.id === id ? { ...one, last_seen_at: at } : one));
    },
    end: async (id, user_id) =>
      drop((one) => one.id === id && (user_id === undefined || one.user_id === user_id)) > 0,
    async endAll() {
      links = [];
      return drop(() => true);
    },
    async insertLink(link, at) {
      links = [...links.filter(({ ends_at }) => ends_at >= at), link];
    },
    async takeLink(hash) {
      const taken = links.find((link) => link.hash === hash);
      links = links.filter((link) => link !== taken);
      return taken;
    },
  };
}

type Noted = { place: DescribedPlace; note: DefinitionNote };

/** Notes on definitions in memory. */
export function memoryNotes(): Records["definitions"] {
  const stored = new Map<string, Noted>();
  const keyOf = ({ project, kind, name }: DescribedPlace) => JSON.stringify([project, kind, name]);
  const of = (project: number, kind?: DescribedKind) =>
    [...stored.entries()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, noted]) => noted)
      .filter(({ place }) => place.project === project && (kind ?? place.kind) === place.kind);
  return {
    async notes(project, kind, names) {
      const noted = of(project, kind).filter(({ place }) => names.includes(place.name));
      return new Map(noted.map(({ place, note }) => [place.name, note]));
    },
    noted: async (project, kind) => of(project, kind).map(({ place }) => place.name),
    words: async (project) =>
      of(project)
        .filter(({ note }) => note.also_called.length > 0)
        .map(({ place: { kind, name }, note }) => ({ kind, name, also_called: note.also_called })),
    async describe(place, change) {
      const before = stored.get(keyOf(place))?.note;
      const note = { ...NO_NOTE, ...before, ...change };
      if (isDeepStrictEqual(note, NO_NOTE)) {
        stored.delete(keyOf(place));
        return note;
      }
      if (before === undefined && of(place.project).length >= DESCRIBED_MAX) {
        throw new Failure("invalid_input", `A project describes at most ${DESCRIBED_MAX} names.`);
      }
      stored.set(keyOf(place), { place, note });
      return note;
    },
  };
}
