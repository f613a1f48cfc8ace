import { LICENCES } from "../app/process/version.ts";
import { type Command, EXIT } from "./command.ts";

/** Prints the licences of all that is in the executable. */
export const licensesShow: Command = {
  name: "licenses",
  summary: "Print the licences of hoglet and of everything in its executable.",
  async run(_typed, io) {
    const fromSource =
      "This hoglet runs from its sources: the licences are in LICENSE and node_modules.";
    io.out(LICENCES === "" ? fromSource : LICENCES.trimEnd());
    return EXIT.ok;
  },
};
