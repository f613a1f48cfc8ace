import { and, asc, count, desc, eq, gte, lte, type SQL, sql } from "drizzle-orm";
import type {
  PlaylistFilter,
  PlaylistPlace,
  PlaylistReads,
  PlaylistRow,
  PlaylistWrites,
} from "../../core/ports/playlists.ts";
import { anyCase } from "../../core/values/case-folding.ts";
import {
  CREATED_BY,
  creator,
  LAST_MODIFIED_BY,
  modifier,
  playlist,
  playlistRecording,
} from "./schema.ts";
import { afterKey, type Sqlite } from "./sqlite.ts";

/** Reads playlists on any connection. */
export function playlistReads(sqlite: Sqlite): PlaylistReads {
  const { orm, snapshot } = sqlite;
  const select = selects(sqlite);
  return {
    list: async (project, { order, ...filter }, { limit, offset, after }) =>
      snapshot(() => {
        const wanted = and(eq(playlist.project_id, project), ...conditions(filter));
        const by = order.by === "name" ? sql`${playlist.name} COLLATE NOCASE` : playlist[order.by];
        const direction = order.isDescending ? desc : asc;
        const towards = order.isDescending ? "down" : "up";
        return {
          count: orm.select({ count: count() }).from(playlist).where(wanted).get()?.count ?? 0,
          rows: select
            .rows()
            .where(and(wanted, afterKey([by, playlist.id], towards, after)))
            .orderBy(direction(by), direction(playlist.id))
            .limit(limit)
            .offset(offset)
            .all()
            .map(flat),
        };
      }),
    find: async (place) => select.one(and(at(place), present())),
    recordings: async (place, { limit, offset, after }) =>
      snapshot(() => {
        const found = select.one(and(at(place), present()));
        if (found === undefined) return undefined;
        const rows = orm
          .select({
            number: playlistRecording.id,
            id: playlistRecording.session_recording_id,
            added_at: playlistRecording.added_at,
          })
          .from(playlistRecording)
          .where(
            and(
              eq(playlistRecording.playlist_id, found.id),
              afterKey([playlistRecording.id], "down", after),
            ),
          )
          .orderBy(desc(playlistRecording.id))
          .limit(limit)
          .offset(offset)
          .all();
        return { count: found.recordings, rows };
      }),
  };
}

/** Writes playlists on the connection that writes. */
export function playlistWrites(sqlite: Sqlite): PlaylistWrites {
  const { orm, transaction } = sqlite;
  const select = selects(sqlite);
  const idOf = (place: PlaylistPlace) =>
    orm
      .select({ id: playlist.id })
      .from(playlist)
      .where(and(at(place), present()))
      .get()?.id;
  const add = (id: number, recordings: number) =>
    orm
      .update(playlist)
      .set({ recordings: sql`${playlist.recordings} + ${recordings}` })
      .where(eq(playlist.id, id))
      .run();

  return {
    insert: async (draft) =>
      transaction(() => {
        const target = [playlist.project_id, playlist.short_id];
        const made = orm
          .insert(playlist)
          .values(draft)
          .onConflictDoNothing({ target })
          .returning({ id: playlist.id })
          .get();
        return made && select.one(eq(playlist.id, made.id));
      }),
    update: async (place, change) =>
      transaction(() => {
        const isChange = Object.keys(change).length > 0;
        if (isChange) orm.update(playlist).set(change).where(at(place)).run();
        return select.one(at(place));
      }),
    attach: async (place, { id: session_recording_id, added_at }) =>
      transaction(() => {
        const playlist_id = idOf(place);
        if (playlist_id === undefined) return false;
        const added = orm
          .insert(playlistRecording)
          .values({ playlist_id, session_recording_id, added_at })
          .onConflictDoNothing()
          .returning({ id: playlistRecording.id })
          .all();
        if (added.length > 0) add(playlist_id, 1);
        return true;
      }),
    detach: async (place, recording) =>
      transaction(() => {
        const playlist_id = idOf(place);
        if (playlist_id === undefined) return false;
        const ofRecording = and(
          eq(playlistRecording.playlist_id, playlist_id),
          eq(playlistRecording.session_recording_id, recording),
        );
        const removed = orm
          .delete(playlistRecording)
          .where(ofRecording)
          .returning({ id: playlistRecording.id })
          .all();
        if (removed.length > 0) add(playlist_id, -1);
        return removed.length > 0;
      }),
  };
}

/** Playlists with their users. */
function selects({ orm }: Sqlite) {
  const rows = () =>
    orm
      .select({ playlist, created_by: CREATED_BY, last_modified_by: LAST_MODIFIED_BY })
      .from(playlist)
      .innerJoin(creator, eq(creator.id, playlist.created_by))
      .innerJoin(modifier, eq(modifier.id, playlist.last_modified_by));
  const one = (wanted: SQL | undefined): PlaylistRow | undefined => {
    const found = rows().where(wanted).get();
    return found && flat(found);
  };
  return { rows, one };
}

type Joined = {
  playlist: typeof playlist.$inferSelect;
  created_by: PlaylistRow["created_by"];
  last_modified_by: PlaylistRow["last_modified_by"];
};

function flat({ playlist: found, created_by, last_modified_by }: Joined): PlaylistRow {
  const { project_id: _project, _create_in_folder, ...row } = found;
  return { ...row, created_by, last_modified_by };
}

function at({ project, short_id }: PlaylistPlace): SQL | undefined {
  return and(eq(playlist.project_id, project), eq(playlist.short_id, short_id));
}

function present(): SQL {
  return eq(playlist.deleted, false);
}

function conditions(filter: Omit<PlaylistFilter, "order">): (SQL | undefined)[] {
  const { created_by, short_id, search, pinned, type, deleted = false, from, to } = filter;
  const holds = (column: typeof playlist.name | typeof playlist.derived_name) =>
    sql`${column} GLOB ${anyCase(search ?? "")}`;
  return [
    eq(playlist.deleted, deleted),
    created_by === undefined ? undefined : eq(playlist.created_by, created_by),
    short_id === undefined ? undefined : eq(playlist.short_id, short_id),
    search === undefined
      ? undefined
      : sql`(${holds(playlist.name)} OR ${holds(playlist.derived_name)})`,
    pinned === undefined ? undefined : eq(playlist.pinned, pinned),
    type === undefined ? undefined : eq(playlist.type, type),
    from === undefined ? undefined : gte(playlist.last_modified_at, from),
    to === undefined ? undefined : lte(playlist.last_modified_at, to),
  ];
}
