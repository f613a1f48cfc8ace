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

/** One of `every` cases, others at each `turn`; all of them in `npm run test:long`. */
export function turnOf<T>(all: readonly T[], turn: number, every: number): readonly T[] {
  return casesOf(
    all.filter((_, index) => (index + turn) % every === 0),
    all,
  );
}

/** How many minutes a test with random choices takes: `HOGLET_TEST_MINUTES`, or 0 for its usual rounds. */
export const MINUTES = Number(process.env["HOGLET_TEST_MINUTES"] ?? 0);

/** A seed for random choices: `HOGLET_TEST_SEED`, or else the given one, or else a new one. */
export function seedOf(seed = Math.floor(Math.random() * 2 ** 31)): number {
  return Number(process.env["HOGLET_TEST_SEED"] ?? seed);
}

/** Runs a test with random choices. If it fails, prints the variables that repeat it. */
export async function repeatable(seed: number, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    const long = IS_LONG ? `${LONG_VARIABLE}=1 ` : "";
    console.error(`To try again: ${long}HOGLET_TEST_SEED=${seed}`);
    throw error;
  }
}

/**
 * Tries every `stride`th step from `first` on, such as `sqlite:7`, until one is not reached. Fails if none is
 * reached; a failure prints the step and the seed.
 */
export async function eachStep(
  { seed, kind, first, stride }: { seed: number; kind: string; first: number; stride: number },
  isReached: (step: string) => Promise<boolean>,
): Promise<void> {
  let step = first;
  await repeatable(seed, async () => {
    try {
      while (await isReached(`${kind}:${step}`)) step += stride;
      if (step === first) throw new Error("The first step is not reached");
    } catch (error) {
      console.error(`At ${kind}:${step}.`);
      throw error;
    }
  });
}
