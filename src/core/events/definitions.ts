import type {
  DefinitionKeys,
  DefinitionNoteReads,
  DefinitionReads,
  DefinitionWrites,
  DescribedPlace,
} from "../ports/definitions.ts";
import { Failure } from "../values/failure.ts";
import { uuidBytes, uuidV5 } from "../values/ids.ts";
import { isLonger, storableText } from "../values/json.ts";
import type { Part } from "../values/page.ts";
import {
  ALSO_CALLED_CHARS_MAX,
  ALSO_CALLED_MAX,
  DESCRIPTION_CHARS_MAX,
  type DefinitionFilter,
  type DefinitionNote,
  type DescribedKind,
  type EventDefinition,
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

/** A description and words as they are sent. */
export type SentNote = { description?: string | undefined; also_called?: string[] | undefined };

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
  one(place: DefinitionPlace, signal: AbortSignal): Promise<DescribedDefinition>;
  /**
   * Changes the sent fields of a note, and returns the definition; the name need not occur. Fails `invalid_input`,
   * `required` and `too_long`.
   */
  describe(
    place: DescribedPlace,
    sent: SentNote,
    signal: AbortSignal,
  ): Promise<DescribedDefinition>;
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

const NO_NOTE: DefinitionNote = { description: "", also_called: [] };
const NO_NOTES: ReadonlyMap<string, DefinitionNote> = new Map();

const ONE: Keys = { limit: 1, offset: 0 };

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

/** Events and properties in the stores. */
export function definitions({ reads, notes, writes, onWords, isCatchingUp }: Needs): Definitions {
  const described = async <T extends { name: string }>(
    project: number,
    kind: DefinitionPlace["kind"],
    rows: readonly T[],
  ): Promise<Described<T>[]> => {
    const names = rows.map(({ name }) => name);
    const found = kind === "group_property" ? NO_NOTES : await notes.notes(project, kind, names);
    return rows.map((row) => {
      const id = idOf({ project, kind, name: row.name });
      return { id, ...row, ...(found.get(row.name) ?? NO_NOTE) };
    });
  };
  const counted = async ({ project, kind, name }: DefinitionPlace, signal: AbortSignal) => {
    if (kind === "event") return (await reads.events(project, { name }, ONE, signal)).rows[0];
    const filter = { type: OWNERS[kind], name };
    return (await reads.properties(project, filter, ONE, signal)).rows[0];
  };
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
    async one(place, signal) {
      requireCaughtUp(isCatchingUp);
      const row = await counted(place, signal);
      const found = await described(place.project, place.kind, [row ?? unseen(place)]);
      const [definition] = found as [DescribedDefinition];
      const { description, also_called } = definition;
      if (row === undefined && description === "" && also_called.length === 0) {
        throw new Failure("not_found", "Not found.");
      }
      return definition;
    },
    async describe(place, sent, signal) {
      requireCaughtUp(isCatchingUp);
      checkLength(place.name, EVENT_NAME_CHARS_MAX, "name");
      const change = storableNote(sent);
      const note = await writes.describe(place, change);
      if (change.also_called !== undefined) onWords(place.project);
      const counts = (await counted(place, signal)) ?? unseen(place);
      return { id: idOf(place), ...counts, ...note };
    },
  };
}

/** The definition of a name that does not occur. */
function unseen({ kind, name }: DefinitionPlace): EventDefinition | PropertyDefinition {
  const count = 0;
  if (kind === "event") return { name, count, first_seen_at: null, last_seen_at: null };
  const type = OWNERS[kind];
  return { name, type, property_type: null, is_numerical: false, count, last_seen_at: null };
}

/** Returns the sent fields in storable form; a field that is absent stays absent. */
function storableNote(sent: SentNote): Partial<DefinitionNote> {
  const { description, also_called } = sent;
  if (description !== undefined) checkLength(description, DESCRIPTION_CHARS_MAX, "description");
  return {
    ...(description === undefined ? {} : { description: storableText(description) }),
    ...(also_called === undefined ? {} : { also_called: storableWords(also_called) }),
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
