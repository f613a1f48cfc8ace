import type {
  DefinitionKeys,
  DefinitionNoteReads,
  DefinitionReads,
  DefinitionWrites,
  DescribedPlace,
} from "../ports/definitions.ts";
import { Failure } from "../values/failure.ts";
import { parseUuid, uuidBytes, uuidV5 } from "../values/ids.ts";
import { isLonger, storableText } from "../values/json.ts";
import type { Part } from "../values/page.ts";
import { storableTags } from "../values/tags.ts";
import {
  ALSO_CALLED_CHARS_MAX,
  ALSO_CALLED_MAX,
  DESCRIPTION_CHARS_MAX,
  type DefinitionFilter,
  type DefinitionNote,
  type DescribedKind,
  type EventDefinition,
  NO_NOTE,
  type PropertyDefinition,
  type PropertyOwner,
} from "./definition.ts";
import { EVENT_NAME_CHARS_MAX } from "./event.ts";
import { type IsCatchingUp, requireCaughtUp } from "./freshness.ts";

/** A page of a list; `count` counts all pages. */
type Page<T> = { count: number; rows: T[] };

type Keys = Part<DefinitionKeys>;

/** An event or a property by name, with its note. */
export type Described<T> = T & DefinitionNote & { id: string };

/** One of both. */
export type DescribedDefinition = Described<EventDefinition | PropertyDefinition>;

/** Identity of a definition. */
export type DefinitionPlace = Omit<DescribedPlace, "kind"> & {
  kind: DescribedKind | "group_property";
};

/** A name as it is asked for. A UUID that is no name may be the id of a definition of the kinds `ids`. */
export type NameOrId = DefinitionPlace & { ids?: readonly DefinitionPlace["kind"][] };

/** The fields of a note as they are sent. */
export type SentNote = { [field in keyof DefinitionNote]?: DefinitionNote[field] | undefined };

/** Events and properties of projects. All fail `unavailable` while the event store catches up. */
export type Definitions = Pick<DefinitionReads, "eventValues" | "groupValues"> & {
  /** As {@link DefinitionReads.events}, each with its note. */
  events(
    project: number,
    filter: DefinitionFilter,
    part: Keys,
    signal: AbortSignal,
  ): Promise<Page<Described<EventDefinition>>>;
  /** As {@link DefinitionReads.properties}, each with its note. Groups' properties have no notes. */
  properties(
    project: number,
    filter: Parameters<DefinitionReads["properties"]>[1],
    part: Keys,
    signal: AbortSignal,
  ): Promise<Page<Described<PropertyDefinition>>>;
  /** Returns one definition. Fails `not_found` for a name that neither occurs nor is described. */
  one(asked: NameOrId, signal: AbortSignal): Promise<DescribedDefinition>;
  /**
   * Changes the sent fields of a note, and returns the definition. The name need not occur, unless it is a UUID.
   * Fails `not_found`, `invalid_input`, `required` and `too_long`.
   */
  describe(asked: NameOrId, sent: SentNote, signal: AbortSignal): Promise<DescribedDefinition>;
};

type Needs = {
  reads: DefinitionReads;
  notes: DefinitionNoteReads;
  writes: DefinitionWrites;
  /** Is called after the words of a project have changed. */
  onWords: (project: number) => void;
  isCatchingUp: IsCatchingUp;
};

/** The namespace of the ids of definitions (RFC 9562 5.5): a name has the same id in each copy of a project. */
const ID_NAMESPACE = uuidBytes("0b6a1f4d-3c58-5e97-8d21-7f9e4a2c6b03");

const idOf = ({ project, kind, name }: DefinitionPlace) =>
  uuidV5(ID_NAMESPACE, JSON.stringify([project, kind, name]));

const NO_NOTES: ReadonlyMap<string, DefinitionNote> = new Map();

const ONE: Keys = { limit: 1, offset: 0 };

/** Names that are read at once to find an id. */
const ID_PAGE = 10_000;

/** The kinds of properties, by their owners. */
const KINDS: Record<PropertyOwner, DefinitionPlace["kind"]> = {
  event: "event_property",
  person: "person_property",
  group: "group_property",
};

/** The owners of properties, by their kinds. */
const OWNERS: Record<Exclude<DefinitionPlace["kind"], "event">, PropertyOwner> = {
  event_property: "event",
  person_property: "person",
  group_property: "group",
};

/** Finds events and properties with their notes, by name or id. */
function finding({ reads, notes }: Pick<Needs, "reads" | "notes">) {
  const notesOn = async (project: number, kind: DefinitionPlace["kind"], names: string[]) =>
    kind === "group_property" ? NO_NOTES : await notes.notes(project, kind, names);
  const described = async <T extends { name: string }>(
    project: number,
    kind: DefinitionPlace["kind"],
    rows: readonly T[],
  ): Promise<Described<T>[]> => {
    const names = rows.map(({ name }) => name);
    const found = await notesOn(project, kind, names);
    return rows.map((row) => {
      const id = idOf({ project, kind, name: row.name });
      return { id, ...row, ...(found.get(row.name) ?? NO_NOTE) };
    });
  };
  const listed = async (
    project: number,
    kind: DefinitionPlace["kind"],
    filter: DefinitionFilter,
    part: Keys,
    signal: AbortSignal,
  ): Promise<(EventDefinition | PropertyDefinition)[]> => {
    if (kind === "event") return (await reads.events(project, filter, part, signal)).rows;
    const properties = { ...filter, type: OWNERS[kind] };
    return (await reads.properties(project, properties, part, signal)).rows;
  };
  const counted = async ({ project, kind, name }: DefinitionPlace, signal: AbortSignal) =>
    (await listed(project, kind, { names: [name] }, ONE, signal))[0];
  /** Returns the definition of a name, or null for one that neither occurs nor is described. */
  const known = async (place: DefinitionPlace, signal: AbortSignal) => {
    const row = await counted(place, signal);
    const note = (await notesOn(place.project, place.kind, [place.name])).get(place.name);
    if (row === undefined && note === undefined) return null;
    return { id: idOf(place), ...(row ?? unseen(place)), ...(note ?? NO_NOTE) };
  };
  /** Returns the name of an id. It occurs, or has a note. */
  const nameOf = async (
    { project, kind }: Omit<DefinitionPlace, "name">,
    id: string,
    signal: AbortSignal,
  ): Promise<string | undefined> => {
    const isIt = (name: string) => idOf({ project, kind, name }) === id;
    const noted = kind === "group_property" ? [] : await notes.noted(project, kind);
    let found = noted.find(isIt);
    const part: Keys = { limit: ID_PAGE, offset: 0 };
    for (let rest = ID_PAGE; found === undefined && rest === ID_PAGE; ) {
      const rows = await listed(project, kind, {}, part, signal);
      found = rows.find(({ name }) => isIt(name))?.name;
      rest = rows.length;
      const last = rows.at(-1);
      if (last !== undefined) part.after = [last.count, last.name];
    }
    return found;
  };
  /** Returns the place of a name, or of the id that a UUID is. Fails `not_found` for a UUID that is neither. */
  const placeOf = async (
    { ids = [], ...place }: NameOrId,
    signal: AbortSignal,
  ): Promise<DefinitionPlace> => {
    const id = parseUuid(place.name);
    if (id === undefined || ids.length === 0) return place;
    if ((await known(place, signal)) !== null) return place;
    for (const kind of ids) {
      const name = await nameOf({ ...place, kind }, id, signal);
      if (name !== undefined) return { ...place, kind, name };
    }
    throw notFound();
  };
  return { described, counted, known, placeOf };
}

/** Events and properties in the stores. */
export function definitions({ reads, notes, writes, onWords, isCatchingUp }: Needs): Definitions {
  const { described, counted, known, placeOf } = finding({ reads, notes });
  return {
    eventValues: reads.eventValues,
    groupValues: reads.groupValues,
    async events(project, filter, part, signal) {
      requireCaughtUp(isCatchingUp);
      const { count, rows } = await reads.events(project, filter, part, signal);
      return { count, rows: await described(project, "event", rows) };
    },
    async properties(project, filter, part, signal) {
      requireCaughtUp(isCatchingUp);
      const { count, rows } = await reads.properties(project, filter, part, signal);
      return { count, rows: await described(project, KINDS[filter.type], rows) };
    },
    async one(asked, signal) {
      requireCaughtUp(isCatchingUp);
      const definition = await known(await placeOf(asked, signal), signal);
      if (definition === null) throw notFound();
      return definition;
    },
    async describe(asked, sent, signal) {
      requireCaughtUp(isCatchingUp);
      checkLength(asked.name, EVENT_NAME_CHARS_MAX, "name");
      const change = storableNote(sent);
      const { kind, ...place } = await placeOf(asked, signal);
      if (kind === "group_property") {
        throw new Failure("invalid_input", "Properties of groups have no notes.", "type");
      }
      const note = await writes.describe({ ...place, kind }, change);
      if (change.also_called !== undefined) onWords(place.project);
      const counts = (await counted({ ...place, kind }, signal)) ?? unseen({ ...place, kind });
      return { id: idOf({ ...place, kind }), ...counts, ...note };
    },
  };
}

const notFound = () => new Failure("not_found", "Not found.");

/** The definition of a name that does not occur. */
function unseen({ kind, name }: DefinitionPlace): EventDefinition | PropertyDefinition {
  const count = 0;
  if (kind === "event") return { name, count, first_seen_at: null, last_seen_at: null };
  const type = OWNERS[kind];
  return { name, type, property_type: null, is_numerical: false, count, last_seen_at: null };
}

/** Returns the sent fields in storable form; a field that is absent stays absent. */
function storableNote(sent: SentNote): Partial<DefinitionNote> {
  const { description, also_called, tags, verified } = sent;
  if (description !== undefined) checkLength(description, DESCRIPTION_CHARS_MAX, "description");
  return {
    ...(description === undefined ? {} : { description: storableText(description) }),
    ...(also_called === undefined ? {} : { also_called: storableWords(also_called) }),
    ...(tags === undefined ? {} : { tags: storableTags(tags) }),
    ...(verified === undefined ? {} : { verified }),
  };
}

/** Returns words without spaces around them, each once in any case of its letters. */
function storableWords(sent: readonly string[]): string[] {
  if (sent.length > ALSO_CALLED_MAX) {
    throw new Failure("invalid_input", `At most ${ALSO_CALLED_MAX} words.`, "also_called");
  }
  const words = new Map<string, string>();
  for (const [at, text] of sent.entries()) {
    const word = storableText(text).trim();
    if (word === "") throw new Failure("required", "A text is required.", `also_called__${at}`);
    checkLength(word, ALSO_CALLED_CHARS_MAX, `also_called__${at}`);
    const key = word.toLowerCase();
    if (!words.has(key)) words.set(key, word);
  }
  return [...words.values()];
}

function checkLength(text: string, most: number, attr: string): void {
  if (isLonger(text, most)) throw new Failure("too_long", `At most ${most} characters.`, attr);
}
