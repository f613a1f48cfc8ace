import { makingAdmin, withAdmin } from "./admin.ts";
import { type Command, EXIT } from "./command.ts";
import { wholeNumber } from "./key.ts";
import { table } from "./table.ts";

/** Lists projects with their keys. */
export const projectList: Command = {
  name: "project list",
  summary: "List projects and their project keys.",
  async run({ config }, io) {
    const projects = await withAdmin(config.settings, (admin) => admin.projects.all());
    const rows = projects.map(({ id, name, api_token, created_at }) => [
      String(id),
      name,
      api_token,
      created_at,
    ]);
    for (const line of table(["id", "name", "project key", "created"], rows)) io.out(line);
    return EXIT.ok;
  },
};

/** Makes a project. */
export const projectCreate: Command = {
  name: "project create",
  summary: "Make a project; prints its id and project key.",
  args: ["NAME"],
  async run({ args, config }, io) {
    const name = args[0] ?? "";
    const project = await makingAdmin(config.settings, ({ projects }) => projects.create({ name }));
    io.out(`${project.id} ${project.api_token}`);
    return EXIT.ok;
  },
};

/** Gives a project a new key. */
export const projectRotateKey: Command = {
  name: "project rotate-key",
  summary: "Give a project a new project key; the old one stops at once.",
  args: ["ID"],
  async run({ args, config }, io) {
    const id = wholeNumber(args[0] ?? "", "ID");
    const project = await withAdmin(config.settings, ({ projects }) => projects.rotateKey(id));
    io.out(project.api_token);
    return EXIT.ok;
  },
};
