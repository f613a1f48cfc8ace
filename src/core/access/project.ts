/** A project, which has its own events, persons and playlists. */
export type Project = {
  id: number;
  uuid: string;
  name: string;
  /** The project key that SDKs send. Public. */
  api_token: string;
  /** IANA name; days and weeks of insights begin by it. */
  timezone: string;
  created_at: string;
};

/** A project key that was replaced, and is accepted until `ends_at` (decision 52). */
export type FormerKey = { api_token: string; ends_at: string };

/** Hours in which the old key of a project is accepted after a rotation, by default. */
export const GRACE_HOURS_DEFAULT = 24;

/** Hours for which a replaced key of a project is accepted. Installed apps send it until they are updated. */
export const GRACE_HOURS_MAX = 8760;

/** Replaced keys of one project that are accepted at the same time. */
export const FORMER_KEYS_MAX = 10;

/** Projects of one data directory. They are kept in memory. */
export const PROJECTS_MAX = 1000;

/** Characters of a project's name. */
export const PROJECT_NAME_CHARS_MAX = 200;
