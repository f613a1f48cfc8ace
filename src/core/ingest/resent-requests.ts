import type { Frame } from "../ports/journal.ts";
import { meaningOf, type ProjectWarning } from "../warnings/warning.ts";
import type { Marked, Repeated } from "./dedup-window.ts";
import { type Candidate, isOfEvents, warningsOf } from "./slice-content.ts";

/** Events of one request of which is remembered that they came before: of more, how many they are. */
const KNOWN_MAX = 100_000;

/** The events of a request, as far as slices have got. */
type Request = {
  first: number;
  count: number;
  project_id: number;
  /** Up to which sequence number they are counted. */
  upTo: number;
  /** The uuids of those that were new in earlier slices. */
  fresh: Set<string>;
  /**
   * How many of them came before as they are, how often each uuid among them did, and the uuids that
   * came more than once, and first with this request.
   */
  known: { count: number; uuids: Map<string, number>; own: Set<string> };
};

/**
 * Warnings without those of events that came before: each is told of when it came first (decision 38).
 * They stand in the journal behind their request's events, which may be of earlier slices.
 */
export function resentRequests() {
  let request = requestOf({ first_seq: 0, count: 0, project_id: 0 });
  /** The request with which the last slice that was applied ended. */
  let applied = request;

  /** Counts those of a request's events that came before, which begin at `next`; where they end. */
  const count = (frame: Frame, repeated: readonly Repeated<Candidate>[], next: number) => {
    const end = frame.first_seq + frame.count;
    // Its first events may have been of an earlier slice.
    if (frame.first_seq !== request.first) request = requestOf(frame);
    let at = next;
    for (let one = repeated[at]; one && one.of.seq < end; one = repeated[at]) {
      if (one.same && one.of.seq > request.upTo) add(one, request);
      at += 1;
    }
    // A slice that failed is read again, and those of its events that are counted are not twice.
    request.upTo = Math.max(request.upTo, repeated[at - 1]?.of.seq ?? 0);
    return at;
  };

  return {
    /**
     * What the frames of a slice tell up to a sequence number, with those of its events up to there
     * that came before, in the order of their numbers.
     */
    warningsIn(
      frames: readonly Frame[],
      upTo: number,
      repeated: readonly Repeated<Candidate>[],
    ): ProjectWarning[] {
      let next = 0;
      request = applied;
      return frames
        .filter(({ first_seq }) => first_seq <= upTo)
        .flatMap((frame) => {
          if (isOfEvents(frame)) next = count(frame, repeated, next);
          if (frame.kind !== "warnings") return [];
          const { first, count: events, project_id } = request;
          const isBehind = frame.first_seq === first + events && frame.project_id === project_id;
          return isBehind ? ofNew(warningsOf(frame), request) : warningsOf(frame);
        });
    },

    /**
     * Goes on behind the slice that was last asked for, which ended with `last`, with those of its
     * events that were new. Without it, that slice comes again.
     */
    applied(last: number, fresh: readonly Marked<Candidate>[]): void {
      applied = request;
      if (last + 1 >= request.first + request.count) return;
      for (const { event } of fresh) {
        if (request.fresh.size >= KNOWN_MAX) break;
        if (event.seq >= request.first) request.fresh.add(event.event.uuid);
      }
    },
  };
}

function add({ of, first }: Repeated<Candidate>, request: Request): void {
  const { known } = request;
  const { uuid } = of.event;
  known.count += 1;
  if (known.uuids.size + known.own.size >= KNOWN_MAX) return;
  const isOwn = first === undefined ? request.fresh.has(uuid) : first.seq >= request.first;
  if (isOwn) known.own.add(uuid);
  else known.uuids.set(uuid, (known.uuids.get(uuid) ?? 0) + 1);
}

function requestOf(frame: Pick<Frame, "first_seq" | "count" | "project_id">): Request {
  const { first_seq: first, count, project_id } = frame;
  const known = { count: 0, uuids: new Map(), own: new Set<string>() };
  return { first, count, project_id, upTo: 0, fresh: new Set(), known };
}

function ofNew(warnings: ProjectWarning[], { count, known }: Request): ProjectWarning[] {
  if (known.count === 0) return warnings;
  const told = new Map<string, number>();
  return warnings.filter(({ type, count: cases, event_uuid }) => {
    // Of what is dropped nothing is kept to know it by.
    if (meaningOf(type).severity !== "warning") return true;
    if (known.count === count) return false;
    const isOwn = known.own.has(event_uuid ?? "");
    const again = known.uuids.get(event_uuid ?? "") ?? 0;
    if ((again === 0 && !isOwn) || cases > 1) return true;
    const key = `${event_uuid} ${type}`;
    const before = told.get(key) ?? 0;
    told.set(key, before + 1);
    // Of those that one request has, one is stored, and nothing says which of them was changed.
    return isOwn ? before === 0 : before >= again;
  });
}
