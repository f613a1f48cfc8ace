import type { Projects } from "../access/projects.ts";
import type {
  PlaylistFilter,
  PlaylistPlace,
  PlaylistReads,
  PlaylistRow,
  PlaylistWrites,
  RecordingRow,
} from "../ports/playlists.ts";
import { Failure } from "../values/failure.ts";
import { withShortId } from "../values/ids.ts";
import { isLonger, storableText } from "../values/json.ts";
import { cursorPage, type Page, type PageQuery } from "../values/page.ts";
import { type Clock, isoTime } from "../values/time.ts";
import { type Moment, zonedSpan } from "../values/zoned-time.ts";
import {
  checkFilters,
  isModification,
  PLAYLIST_ORDERS,
  PLAYLIST_TYPES,
  type Playlist,
  type PlaylistOrder,
  type PlaylistRecordings,
  type PlaylistType,
  recordingsCounts,
  SESSION_RECORDING_ID_CHARS_MAX,
  type SentFields,
  storableFields,
} from "./playlist.ts";

/** A request for a list of playlists, as it was sent. */
export type PlaylistQuery = Pick<
  PlaylistFilter,
  "created_by" | "short_id" | "search" | "pinned" | "deleted"
> & {
  type?: string | undefined;
  /**
   * ISO 8601 or an age such as `-7d`; both inclusive, of the last modification. Days, and times without a
   * zone, are on the clock of the project.
   */
  date_from?: string | undefined;
  date_to?: string | undefined;
  /** One of PLAYLIST_ORDERS, with `-` before it the other way round. */
  order?: string | undefined;
};

/** Playlists of a project (contract 4.1); no recordings are kept, so filters find none (decision 45). */
export type Playlists = {
  /**
   * The last modified first, unless `order` says otherwise. Fails `invalid_input` and
   * `invalid_choice`. `url` is the public address of the request.
   */
  list(project: number, asked: PlaylistQuery, query: PageQuery, url: URL): Promise<Page<Playlist>>;
  /** `user` is the id of its author. Fails `too_long`, `invalid_choice` and `invalid_input`. */
  create(
    project: number,
    user: number,
    sent: SentFields & { type?: string | undefined },
  ): Promise<Playlist>;
  /** Fails `not_found`, also when it is deleted. */
  get(place: PlaylistPlace): Promise<Playlist>;
  /** Changes the sent fields, also of a deleted playlist. Fails `not_found` and `too_long`. */
  change(place: PlaylistPlace, user: number, sent: SentFields): Promise<Playlist>;
  /** Its recordings, the last added first. Fails as `get` does. */
  recordings(place: PlaylistPlace, query: PageQuery, url: URL): Promise<PlaylistRecordings>;
  /**
   * Adds a recording, unless the playlist has it. The recording need not be stored. `sent` is only checked.
   * Fails as `change` does, and `invalid_input` if filters find its recordings.
   */
  attach(place: PlaylistPlace, recording: string, sent: SentFields): Promise<void>;
  /** Removes a recording. Fails `not_found`, also if the playlist does not have it. */
  detach(place: PlaylistPlace, recording: string): Promise<void>;
};

type Needs = {
  reads: PlaylistReads;
  writes: PlaylistWrites;
  projects: Pick<Projects, "get">;
  now: Clock;
  randomBytes: (count: number) => Uint8Array;
};

const EMPTY = {
  name: "",
  derived_name: "",
  description: "",
  pinned: false,
  deleted: false,
  filters: {},
  _create_in_folder: null,
};

/** Playlists in a store. */
export function playlists({ reads, writes, projects, now, randomBytes }: Needs): Playlists {
  return {
    async list(project, asked, query, url) {
      const { timezone } = await projects.get(project);
      const filter = filterOf(asked, { now: now(), timezone });
      const listed = await cursorPage(url, query, {
        keysOf: (row: PlaylistRow) => [row[filter.order.by], row.id] as const,
        keyTypes: ["", 0],
        read: (part) => reads.list(project, filter, part),
      });
      return { ...listed, results: listed.results.map(shown) };
    },
    async create(project_id, user, { type: asked, ...sent }) {
      const at = isoTime(now());
      const type = asked === undefined ? undefined : typeOf(asked);
      checkFilters(type, sent.filters);
      const draft = {
        ...EMPTY,
        ...storableFields(sent),
        project_id,
        type: type ?? "collection",
        created_at: at,
        created_by: user,
        last_modified_at: at,
        last_modified_by: user,
      };
      const insert = (short_id: string) => writes.insert({ ...draft, short_id });
      return shown(await withShortId(randomBytes, insert));
    },
    get: async (place) => shown(found(await reads.find(place))),
    async change(place, user, sent) {
      const modified = { last_modified_at: isoTime(now()), last_modified_by: user };
      const change = { ...storableFields(sent), ...(isModification(sent) ? modified : {}) };
      return shown(found(await writes.update(place, change)));
    },
    async recordings(place, query, url) {
      const { next, results } = await cursorPage(url, query, {
        keysOf: ({ number }: RecordingRow) => [number] as const,
        keyTypes: [0],
        read: async (part) => found(await reads.recordings(place, part)),
      });
      const recordings = results.map(({ number: _, ...row }) => row);
      return { results: recordings, has_next: next !== null, next, version: 4 };
    },
    async attach(place, recording, sent) {
      storableFields(sent);
      if (isLonger(recording, SESSION_RECORDING_ID_CHARS_MAX)) {
        const detail = `At most ${SESSION_RECORDING_ID_CHARS_MAX} characters.`;
        throw new Failure("too_long", detail, "session_recording_id");
      }
      if (found(await reads.find(place)).type === "filters") {
        throw new Failure("invalid_input", "The filters of this playlist find its recordings.");
      }
      const isThere = await writes.attach(place, { id: recording, added_at: isoTime(now()) });
      found(isThere || undefined);
    },
    async detach(place, recording) {
      found((await writes.detach(place, recording)) || undefined);
    },
  };
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Failure("not_found", "Not found.");
  return value;
}

function shown({ recordings, ...row }: PlaylistRow): Playlist {
  return { ...row, recordings_counts: recordingsCounts(recordings) };
}

function filterOf(asked: PlaylistQuery, moment: Moment): PlaylistFilter {
  const { type, date_from, date_to, order, search, ...rest } = asked;
  return {
    ...rest,
    search: search && storableText(search),
    type: type === undefined ? undefined : typeOf(type),
    from: timeOf("date_from", date_from, moment),
    to: timeOf("date_to", date_to, moment),
    order: orderOf(order),
  };
}

function typeOf(text: string): PlaylistType {
  const type = PLAYLIST_TYPES.find((known) => known === text);
  if (type !== undefined) return type;
  throw new Failure("invalid_choice", `One of ${PLAYLIST_TYPES.join(", ")} is expected.`, "type");
}

function timeOf(attr: string, text: string | undefined, moment: Moment): string | undefined {
  if (text === undefined) return undefined;
  const span = zonedSpan(text, moment)?.instant;
  // Both ends are inclusive, and times of changes are of whole milliseconds.
  if (span !== undefined)
    return isoTime(attr === "date_to" ? Math.max(span.from, span.before - 1) : span.from);
  throw new Failure(
    "invalid_input",
    "A time in ISO 8601, or an age such as -7d, is expected.",
    attr,
  );
}

function orderOf(text = "-last_modified_at"): PlaylistOrder {
  const isDescending = text.startsWith("-");
  const by = PLAYLIST_ORDERS.find((known) => known === text.slice(isDescending ? 1 : 0));
  if (by !== undefined) return { by, isDescending };
  const detail = `One of ${PLAYLIST_ORDERS.join(", ")} is expected, or the same after a -.`;
  throw new Failure("invalid_choice", detail, "order");
}
