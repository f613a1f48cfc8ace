import { COMMIT, VERSION } from "../app/process/version.ts";
import { type Command, EXIT } from "./command.ts";

/** Prints the version. */
export const versionShow: Command = {
  name: "version",
  summary: "Print the version of hoglet.",
  async run(_typed, io) {
    const commit = COMMIT === "" ? "" : ` (${COMMIT})`;
    io.out(`hoglet ${VERSION}${commit} ${process.platform}-${process.arch} bun ${Bun.version}`);
    return EXIT.ok;
  },
};
