/** The variable that asks for every round of the long tests; `npm run test:long` sets it to 1. */
export const LONG_VARIABLE = "HOGLET_TEST_LONG";

/** Whether every round of the long tests is run. */
export const IS_LONG = process.env[LONG_VARIABLE] === "1";

/** How many rounds a test runs: `few` in `npm test`, `all` in `npm run test:long`. */
export function rounds(few: number, all: number): number {
  return IS_LONG ? all : few;
}

/** The cases of a test: `few` in `npm test`, `all` in `npm run test:long`. */
export function casesOf<T>(few: readonly T[], all: readonly T[]): readonly T[] {
  return IS_LONG ? all : few;
}

/** A seed for random choices: `HOGLET_TEST_SEED`, or else the given one, or else a new one. */
export function seedOf(seed = Math.floor(Math.random() * 2 ** 31)): number {
  return Number(process.env["HOGLET_TEST_SEED"] ?? seed);
}

/** The variables that repeat a failed run with this seed. */
export function again(seed: number): string {
  return `To try again: ${IS_LONG ? `${LONG_VARIABLE}=1 ` : ""}HOGLET_TEST_SEED=${seed}`;
}
