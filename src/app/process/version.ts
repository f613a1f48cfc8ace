import { version } from "../../../package.json";

declare const HOGLET_COMMIT: string | undefined;
declare const HOGLET_LICENCES: string | undefined;

/** The version of this program, from package.json. */
export const VERSION: string = version;

/** The commit it was built from, with `-dirty` when the tree was changed; empty if unknown. */
export const COMMIT: string = typeof HOGLET_COMMIT === "string" ? HOGLET_COMMIT : "";

/** The licences of everything in the executable; empty when run from source. */
export const LICENCES: string = typeof HOGLET_LICENCES === "string" ? HOGLET_LICENCES : "";
