/**
 * How long tests wait before they give up. A busy machine may stand still for many seconds: these are bounds for what
 * hangs, not for what is slow.
 */

/** How long one test may take, in milliseconds. */
export const TEST_MS_MAX = 300_000;

/** How long a test waits for one thing to happen, in milliseconds. */
export const WAIT_MS_MAX = 120_000;
