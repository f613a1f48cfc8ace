import { Failure } from "../domain/errors.ts";
import type { MatchFilter, PartAsked, PersonRow } from "../storage/person-list.ts";
import type {
  MatchedNow,
  MirrorState,
  PersonFacts,
  PersonMatches,
  PropertyValue,
} from "../storage/person-match.ts";
import type { PersonSnapshot } from "../storage/person-snapshots.ts";
import { checkUpToDate, type IsBehind } from "./behind.ts";
import type { Ingest } from "./ingest.ts";
import type { Watch } from "./unmirrored.ts";

/** Persons, and characters of their properties, that are looked at beside the mirror. */
const UNMIRRORED_MAX = { persons: 20_000, chars: 33_554_432 };

/** Persons that are read at a time, and between which others get their turn. */
const ROWS_AT_ONCE = 200;

/** How long a search may wait for a mirror that lacks no more than that, in milliseconds. */
const WAIT_MS_MAX = 15_000;

/** How long, and how often, is waited to be told of a change that SQLite has, in milliseconds. */
const TOLD_MS = { max: 1000, poll: 2 };

type Needs = {
  matches: PersonMatches;
  snapshots: () => PersonSnapshot;
  ingest: Pick<Ingest, "mirrored" | "watch">;
  isBehind: IsBehind;
};

/** Finds persons by their properties. */
export type PersonMatching = {
  /** A part of those who match, and how many they are. Fails `invalid_input`, `unavailable`, `query_timeout`. */
  places(
    project: number,
    filter: MatchFilter,
    part: PartWanted,
  ): Promise<{ count: number; rows: PersonRow[] }>;
  /** The values of a property, the most frequent first. Fails `unavailable`, `query_timeout`. */
  values(project: number, key: string, part: string, signal: AbortSignal): Promise<PropertyValue[]>;
};

/** A part of a list, for whoever waits for it. */
export type PartWanted = PartAsked & { signal: AbortSignal };

/**
 * Finds persons as both stores have them at one instant (decision 83): the event store's mirror is
 * asked, and what it lacks is told to it with the question.
 */
export function personMatching({ matches, snapshots, ingest, isBehind }: Needs): PersonMatching {
  /** Undefined if the mirror lacks too much. */
  const attempt = <T>({ project, signal }: Asked, watch: Watch, work: Work<T>) =>
    matches.read(signal, async (mirror) => {
      using now = snapshots();
      const ids = await told(watch, mirror.version, now.version);
      const persons = ids && (await factsOf(now, project, ids));
      if (ids === undefined || persons === undefined) return undefined;
      const owner = (distinctId: string) => now.owner(project, distinctId);
      return { found: await work(mirror, now, { unmirrored: { ids, persons }, owner }) };
    });

  const together = async <T>(asked: Asked, work: Work<T>): Promise<T> => {
    checkUpToDate(isBehind);
    for (const deadline = performance.now() + WAIT_MS_MAX; performance.now() < deadline; ) {
      const watch = ingest.watch();
      const done = await attempt(asked, watch, work).finally(watch.end);
      if (done !== undefined) return done.found;
      await ingest.mirrored();
    }
    throw new Failure("unavailable", "Persons are being stored. Try again in a moment.");
  };

  return {
    places: (project, filter, { signal, ...part }) =>
      together({ project, signal }, async (mirror, now, matched) => {
        const { count, places } = await mirror.places(project, filter, part, matched);
        const rows: PersonRow[] = [];
        for await (const ids of parts(places.map(({ id }) => id))) {
          rows.push(...(await now.byIds(project, ids)));
        }
        return { count, rows };
      }),
    values: (project, key, part, signal) =>
      together({ project, signal }, (mirror, _, matched) =>
        mirror.values(project, key, part, matched),
      ),
  };
}

type Asked = { project: number; signal: AbortSignal };

type Work<T> = (mirror: MirrorState, now: PersonSnapshot, matched: MatchedNow) => Promise<T>;

/** Whom a mirror of a version lacks of another; undefined if nobody says it in time. */
async function told(watch: Watch, version: number, last: number): Promise<number[] | undefined> {
  const deadline = performance.now() + TOLD_MS.max;
  for (;;) {
    const ids = watch.between(version, last);
    if (ids !== undefined || performance.now() > deadline) return ids;
    await Bun.sleep(TOLD_MS.poll);
  }
}

/** Undefined if they are too many, or too large. */
async function factsOf(
  now: PersonSnapshot,
  project: number,
  ids: readonly number[],
): Promise<PersonFacts[] | undefined> {
  if (ids.length > UNMIRRORED_MAX.persons) return undefined;
  const found: PersonFacts[] = [];
  let chars = 0;
  for await (const some of parts(ids)) {
    const facts = now.facts(project, some);
    chars += facts.reduce((sum, { properties }) => sum + properties.length, 0);
    if (chars > UNMIRRORED_MAX.chars) return undefined;
    found.push(...facts);
  }
  return found;
}

/** A few at a time: others get their turn between them. */
async function* parts(ids: readonly number[]) {
  for (let at = 0; at < ids.length; at += ROWS_AT_ONCE) {
    if (at > 0) await Bun.sleep(0);
    yield ids.slice(at, at + ROWS_AT_ONCE);
  }
}
