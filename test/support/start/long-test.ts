import { test } from "bun:test";
import { IS_LONG } from "./rounds.ts";

/** A test of `npm run test:long` alone. */
export const longTest: (name: string, run: () => Promise<void>) => void = IS_LONG ? test : () => {};
