import { table } from "../core/values/table.ts";
import { type Command, EXIT } from "./command.ts";

/** Prints every setting. */
export const configShow: Command = {
  name: "config",
  summary: "Print each setting with its value and its source.",
  async run({ config }, io) {
    const rows = config.shown.map(({ name, value, source, help }) => [name, value, source, help]);
    for (const line of table(["setting", "value", "from", "meaning"], rows)) io.out(line);
    return EXIT.ok;
  },
};
