import type {
  Playlist,
  PlaylistFields,
  PlaylistOrder,
  PlaylistRecording,
  PlaylistType,
} from "../playlists/playlist.ts";
import type { Part } from "../values/page.ts";

/*
 * Playlists of session recordings. A deleted playlist stays stored: `update` finds it, and may
 * restore it; so does a list of deleted ones. The rules of all ports are in `events.ts`.
 */

/** A stored playlist with its users; `recordings` is the number of its recordings. */
export type PlaylistRow = Omit<Playlist, "recordings_counts"> & { recordings: number };

/** Identity of a playlist. */
export type PlaylistPlace = { project: number; short_id: string };

/** A recording of a playlist. `number` grows with each recording that is added. */
export type RecordingRow = PlaylistRecording & { number: number };

/** Conditions on the playlists of a list, which all hold, and their order. */
export type PlaylistFilter = {
  /** Id of the user who made it. */
  created_by?: number | undefined;
  short_id?: string | undefined;
  /** Part of `name` or `derived_name`, in any case of its letters. */
  search?: string | undefined;
  pinned?: boolean | undefined;
  type?: PlaylistType | undefined;
  /** Whether the playlists are deleted; by default they are not. */
  deleted?: boolean | undefined;
  /** First and last time of `last_modified_at`, both included, in the stored form. */
  from?: string | undefined;
  to?: string | undefined;
  order: PlaylistOrder;
};

/** Position of a playlist in a list: the value that it is ordered by, and its id. */
export type PlaylistKeys = readonly [by: string, id: number];

/** Reads of playlists. Only a list finds deleted ones, if its filter asks for them. */
export type PlaylistReads = {
  /**
   * Returns playlists in `filter.order`; playlists with equal values are in the order of their ids, in
   * the same direction. Names are compared without the case of ASCII letters.
   */
  list(
    project: number,
    filter: PlaylistFilter,
    part: Part<PlaylistKeys>,
  ): Promise<{ count: number; rows: PlaylistRow[] }>;
  /** Returns one playlist. */
  find(place: PlaylistPlace): Promise<PlaylistRow | undefined>;
  /** Returns the recordings of a playlist, the last added first; undefined without the playlist. */
  recordings(
    place: PlaylistPlace,
    part: Part,
  ): Promise<{ count: number; rows: RecordingRow[] } | undefined>;
};

/** A new playlist; its users are given by id. */
export type NewPlaylist = Omit<PlaylistFields, "_create_in_folder"> &
  Pick<Playlist, "short_id" | "type" | "created_at" | "last_modified_at"> & {
    project_id: number;
    _create_in_folder: string | null;
    created_by: number;
    last_modified_by: number;
  };

/** New values of a playlist's fields. A field that is absent keeps its value. */
export type PlaylistChange = Partial<
  PlaylistFields & { last_modified_at: string; last_modified_by: number }
>;

/** Changes of playlists. Each method may be called at any time. */
export type PlaylistWrites = {
  /**
   * Makes a playlist and returns it; undefined if the project has the short id already, also of a
   * deleted playlist. A repeated call returns undefined.
   */
  insert(draft: NewPlaylist): Promise<PlaylistRow | undefined>;
  /**
   * Changes a playlist, also a deleted one, and returns it; undefined if it does not exist.
   * It may be repeated.
   */
  update(place: PlaylistPlace, change: PlaylistChange): Promise<PlaylistRow | undefined>;
  /**
   * Adds a recording unless the playlist has it; returns false without such a playlist that is not
   * deleted. It may be repeated.
   */
  attach(place: PlaylistPlace, recording: PlaylistRecording): Promise<boolean>;
  /**
   * Removes a recording; returns false if the playlist does not have it, or is deleted, or does not
   * exist. It may be repeated.
   */
  detach(place: PlaylistPlace, recording: PlaylistRecording["id"]): Promise<boolean>;
};
