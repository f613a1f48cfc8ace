import type {
  Playlist,
  PlaylistFields,
  PlaylistOrder,
  PlaylistRecording,
  PlaylistType,
} from "../playlists/playlist.ts";
import type { Part } from "../values/page.ts";

/** A playlist as it is kept; `recordings` is how many it has. */
export type PlaylistRow = Omit<Playlist, "recordings_counts"> & { recordings: number };

/** A playlist by its place; a deleted one is found only where that is said. */
export type PlaylistPlace = { project: number; short_id: string };

/** A recording with the number that it was added under. */
export type RecordingRow = PlaylistRecording & { number: number };

/** Which playlists a list asks for, and in which order. */
export type PlaylistFilter = {
  /** The id of a user. */
  created_by?: number | undefined;
  short_id?: string | undefined;
  /** Part of name or derived name, of any case. */
  search?: string | undefined;
  pinned?: boolean | undefined;
  type?: PlaylistType | undefined;
  /** The earliest and the latest time of the last modification, ISO 8601 as it is stored. */
  from?: string | undefined;
  to?: string | undefined;
  order: PlaylistOrder;
};

/**
 * What a playlist was listed by when the walk began that meets it, its id, and when that was: the number
 * of the last change by then (decision 56).
 */
export type PlaylistKeys = readonly [by: string, id: number, since: number];

/** What playlists a project has. */
export type PlaylistReads = {
  /** Those that are not deleted; ids decide between equals. `count` is exact. */
  list(
    project: number,
    filter: PlaylistFilter,
    part: Part<PlaylistKeys>,
  ): Promise<{ count: number; rows: { row: PlaylistRow; keys: PlaylistKeys }[] }>;
  /** One that is not deleted. */
  find(place: PlaylistPlace): Promise<PlaylistRow | undefined>;
  /** The recordings of one that is not deleted, the last added first; undefined without one. */
  recordings(
    place: PlaylistPlace,
    part: Part,
  ): Promise<{ count: number; rows: RecordingRow[] } | undefined>;
};

/** A playlist that is made; users by their ids. */
export type NewPlaylist = Omit<PlaylistFields, "_create_in_folder"> &
  Pick<Playlist, "short_id" | "type" | "created_at" | "last_modified_at"> & {
    project_id: number;
    _create_in_folder: string | null;
    created_by: number;
    last_modified_by: number;
  };

/** What a change sets; what is not in it stays. */
export type PlaylistChange = Partial<
  PlaylistFields & { last_modified_at: string; last_modified_by: number }
>;

/** Changes to playlists. */
export type PlaylistWrites = {
  /** Undefined if the project has the short id already. */
  insert(draft: NewPlaylist): Promise<PlaylistRow | undefined>;
  /** Also of a deleted one; undefined if there is none. */
  update(place: PlaylistPlace, change: PlaylistChange): Promise<PlaylistRow | undefined>;
  /** Adds a recording, once; false if there is no such playlist that is not deleted. */
  attach(place: PlaylistPlace, recording: PlaylistRecording): Promise<boolean>;
  /** Removes a recording; false if there is none, or no such playlist that is not deleted. */
  detach(place: PlaylistPlace, recording: PlaylistRecording["id"]): Promise<boolean>;
};
