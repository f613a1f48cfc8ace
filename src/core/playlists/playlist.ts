import type { User } from "../access/key.ts";
import { Failure } from "../values/failure.ts";
import { isLonger, type Json, storableText } from "../values/json.ts";

/** The kinds of playlists: recordings chosen one by one, or recordings that its filters find. */
export const PLAYLIST_TYPES = ["collection", "filters"] as const;

/** One of PLAYLIST_TYPES. */
export type PlaylistType = (typeof PLAYLIST_TYPES)[number];

/** The fields by which a list of playlists may be sorted. */
export const PLAYLIST_ORDERS = ["last_modified_at", "created_at", "name"] as const;

/** How a list of playlists is sorted. */
export type PlaylistOrder = { by: (typeof PLAYLIST_ORDERS)[number]; isDescending: boolean };

/** The number of recordings of a playlist: recordings that were added one by one, and recordings found by filters. */
export type RecordingsCounts = Record<
  "collection" | "saved_filters",
  { count: number; watched_count: number }
>;

/** A session recording playlist (contract 2.3). */
export type Playlist = {
  id: number;
  /** Names it in paths; unique in its project. */
  short_id: string;
  name: string;
  derived_name: string;
  description: string;
  pinned: boolean;
  created_at: string;
  created_by: User;
  deleted: boolean;
  filters: Json;
  /** When and by whom name, description or filters were last sent (decision 45). */
  last_modified_at: string;
  last_modified_by: User;
  recordings_counts: RecordingsCounts;
  type: PlaylistType;
};

/** The writable fields (contract 4.3). */
export type PlaylistFields = Pick<
  Playlist,
  "name" | "derived_name" | "description" | "pinned" | "deleted" | "filters"
> & {
  /** Stored and never returned. */
  _create_in_folder: string;
};

/** The sent fields: null is an empty name. */
export type SentFields = Partial<
  Omit<PlaylistFields, "name" | "derived_name"> & Record<"name" | "derived_name", string | null>
>;

/** A recording of a playlist. */
export type PlaylistRecording = {
  /** The session's id, as its recorder gave it. */
  id: string;
  added_at: string;
};

/** The recordings of a playlist, as clients expect them (decision 45). */
export type PlaylistRecordings = {
  results: PlaylistRecording[];
  has_next: boolean;
  /** The address of the next page; null on the last page. */
  next: string | null;
  version: 4;
};

/** Characters of a playlist's texts. */
export const PLAYLIST_CHARS_MAX = {
  name: 400,
  derived_name: 400,
  description: 10_000,
  _create_in_folder: 1000,
} as const;

/** Bytes of a playlist's filters as JSON. */
export const PLAYLIST_FILTERS_BYTES_MAX = 65_536;

/** Characters of the id of a session recording. */
export const SESSION_RECORDING_ID_CHARS_MAX = 200;

/** The sent fields as they are stored. Fails `too_long`. */
export function storableFields(sent: SentFields): Partial<PlaylistFields> {
  const texts: Partial<Record<keyof typeof PLAYLIST_CHARS_MAX, string>> = {};
  for (const [name, charsMax] of Object.entries(PLAYLIST_CHARS_MAX)) {
    const key = name as keyof typeof PLAYLIST_CHARS_MAX;
    const text = sent[key] === null ? "" : sent[key];
    if (text === undefined) continue;
    if (isLonger(text, charsMax)) {
      throw new Failure("too_long", `At most ${charsMax} characters.`, name);
    }
    texts[key] = storableText(text);
  }
  const { filters } = sent;
  const filtersBytes = filters === undefined ? 0 : Buffer.byteLength(JSON.stringify(filters));
  if (filtersBytes > PLAYLIST_FILTERS_BYTES_MAX) {
    const detail = `At most ${PLAYLIST_FILTERS_BYTES_MAX} bytes as JSON.`;
    throw new Failure("too_long", detail, "filters");
  }
  return { ...sent, ...texts } as Partial<PlaylistFields>;
}

/**
 * Fails `invalid_input` on filters that do not fit the sent type (decision 45). Without a type, any filters may
 * be sent (contract 4.3).
 */
export function checkFilters(type: PlaylistType | undefined, filters: Json | undefined): void {
  if (type === "filters" && isNothing(filters)) {
    const detail = "A playlist of the type filters must have filters.";
    throw new Failure("invalid_input", detail, "filters");
  }
  if (type === "collection" && !isNothing(filters)) {
    const detail = "A playlist of the type collection has no filters.";
    throw new Failure("invalid_input", detail, "filters");
  }
}

function isNothing(filters: Json | undefined): boolean {
  if (typeof filters === "object" && filters !== null) return Object.keys(filters).length === 0;
  return !filters;
}

/** Whether the sent fields make the sender the last modifier of the playlist (decision 45). */
export function isModification({ name, description, filters }: SentFields): boolean {
  return name !== undefined || description !== undefined || filters !== undefined;
}

/**
 * The counts of a playlist with so many recordings. No recordings are kept: none was watched, and
 * filters find none.
 */
export function recordingsCounts(count: number): RecordingsCounts {
  return {
    collection: { count, watched_count: 0 },
    saved_filters: { count: 0, watched_count: 0 },
  };
}
