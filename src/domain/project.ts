/** A project: what events, persons and playlists belong to. */
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

/** Characters of a project's name. */
export const PROJECT_NAME_CHARS_MAX = 200;
