import type { Natives } from "./native-library.ts";

/** The native files in the executable: the build puts them here. Undefined when run from source. */
export const natives: Natives | undefined = undefined;
