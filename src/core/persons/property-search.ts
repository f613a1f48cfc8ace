import { checkUpToDate, type IsBehind } from "../events/freshness.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { Watch } from "../ingest/mirror-lag.ts";
import type { Listed, PartAsked } from "../ports/person-reads.ts";
import type {
  MatchedNow,
  MatchFilter,
  MirrorState,
  PersonFacts,
  PersonMatches,
  PersonSnapshot,
  PropertyValue,
} from "../ports/person-search.ts";
import { Failure } from "../values/failure.ts";

/** Persons who changed that are looked at beside the mirror. */
const UNMIRRORED_MAX = 20_000;

/** Persons, and characters of their properties, that are told of at a time; between them others get their turn. */
const AT_ONCE = { persons: 200, chars: 8_388_608 };

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
  /**
   * A part of those who match, and how many they are; what is not read yet is wanted as it was found. Fails `invalid_input`, `unavailable`,
   * `query_timeout`.
   */
  places(project: number, filter: MatchFilter, part: PartWanted): Promise<Listed>;
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
      const changed = await told(watch, mirror.version, now.version);
      if (changed === undefined || changed.length > UNMIRRORED_MAX) return undefined;
      const whole = (ids: readonly number[]) => wholeOf(now, project, ids);
      const moved = (since: number | undefined) => now.moved(project, since);
      const owner = (distinctId: string) => now.owner(project, distinctId);
      return { found: await work(mirror, now, { changed, whole, moved, owner }) };
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
        const { version } = now;
        return { count, version, ...now.read(project, { places, asOf: version }) };
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

/** Persons whole, as many at a time as come to some bytes. */
async function* wholeOf(
  now: PersonSnapshot,
  project: number,
  ids: readonly number[],
): AsyncIterable<PersonFacts[]> {
  let part: PersonFacts[] = [];
  let chars = 0;
  for (const [at, id] of ids.entries()) {
    if (at % AT_ONCE.persons === AT_ONCE.persons - 1) await Bun.sleep(0);
    const facts = now.facts(project, id);
    if (facts === undefined) continue;
    part.push(facts);
    chars += facts.properties.length;
    if (chars < AT_ONCE.chars) continue;
    yield part;
    part = [];
    chars = 0;
  }
  if (part.length > 0) yield part;
}
