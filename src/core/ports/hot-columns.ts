/** Number of queries that used each property since the last call, and the seconds that they took. */
export type Uses = ReadonlyMap<string, { queries: number; seconds: number }>;

/**
 * Gives columns of their own to the properties that queries use most (decision 87). Columns only make
 * queries faster: a store without them may do nothing and return false. The rules of all ports are in
 * `events.ts`.
 */
export type MaterializedColumns = {
  /**
   * Adds the uses of a day, as in `2026-11-21`, and forgets the oldest days. Fails if the disk is full.
   * It must not be repeated after success: a second call adds the uses again.
   */
  note(uses: Uses, day: string): Promise<void>;

  /**
   * Frees the columns of unused properties and gives a free column to the most used property. Returns
   * true if a column must be filled; then `fill` follows. Fails if the disk is full.
   */
  choose(): Promise<boolean>;

  /**
   * Fills the chosen column for some more events, unless reads run. Returns true while more events are
   * to be filled, and then it is called again. Fails if the disk is full. A call may come first after
   * a restart, to continue.
   */
  fill(): Promise<boolean>;
};
