/*
 * Sessions of the console, and the links that begin them. Another connection or thread sees a write as soon
 * as it resolves. The rules of all ports are in `events.ts`.
 */

/** A stored session. Only the hash of its value is kept, so a copy of the data has no cookies. */
export type SessionRow = {
  id: number;
  /** SHA-256 of the value in the cookie. No two sessions have the same one. */
  hash: string;
  /** SHA-256 of the key that it belongs to. A rolled key has another one. */
  key_hash: string;
  /** The user of that key. */
  user_id: number;
  /** How it began. */
  method: "link" | "key";
  /** The name of the browser and its system, such as "Firefox on Linux". */
  browser: string;
  created_at: string;
  /** To the hour. */
  last_seen_at: string;
};

/** A link that signs in once. */
export type LinkRow = {
  /** SHA-256 of the value in the link. */
  hash: string;
  key_hash: string;
  ends_at: string;
};

/** Reads of sessions. Sessions that have ended by the clock may be among them; only core reads the clock. */
export type SessionReads = {
  /** Returns the session with a hash. Each request of the console calls it. */
  byHash(hash: string): Promise<SessionRow | undefined>;
  /** Returns the sessions of a user, the newest first. */
  list(user_id: number): Promise<SessionRow[]>;
};

/** Which sessions are removed when another begins. */
export type Expired = { made_before: string; seen_before: string };

/** Changes of sessions and links. Each method may be called at any time. */
export type SessionWrites = {
  /**
   * Makes a session and returns it with its id. In the same transaction it removes the `expired` ones, and the
   * user's oldest ones over `keep`. It must not be repeated.
   */
  insert(
    draft: Omit<SessionRow, "id">,
    removed: { expired: Expired; keep: number },
  ): Promise<SessionRow>;
  /** Notes when a session was last seen. It may be repeated. */
  see(id: number, at: string): Promise<void>;
  /** Ends a session; false if it does not exist, or is not of the user `user_id`. It may be repeated. */
  end(id: number, user_id?: number): Promise<boolean>;
  /** Ends all sessions and links, and returns how many sessions there were. */
  endAll(): Promise<number>;
  /** Keeps a link, and removes links that end before `at`. */
  insertLink(link: LinkRow, at: string): Promise<void>;
  /** Removes a link and returns it; undefined if it does not exist. Only one of two calls at once gets it. */
  takeLink(hash: string): Promise<LinkRow | undefined>;
};
