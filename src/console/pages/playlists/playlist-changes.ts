import { api, type Schemas } from "../../api/client.ts";

/** A playlist of session recordings. */
export type Playlist = Schemas["Playlist"];

/** The name of a playlist; a playlist without one is named by its short id. */
export const nameOf = ({ name, derived_name, short_id }: Playlist): string =>
  name || derived_name || `Playlist ${short_id}`;

/** Changes the sent fields of a playlist. Throws a problem if that is refused. */
export function changePlaylist(
  short_id: string,
  body: Schemas["PlaylistFields"],
): Promise<Playlist> {
  return api.patch("session_recording_playlists/{short_id}/", { path: { short_id }, body });
}

/** Makes a playlist. Throws a problem if that is refused. */
export function makePlaylist(body: Schemas["PlaylistDraft"]): Promise<Playlist> {
  return api.post("session_recording_playlists/", { body });
}
