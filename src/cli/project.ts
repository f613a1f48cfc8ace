import { GRACE_HOURS_DEFAULT } from "../core/access/project.ts";
import { escapeControlChars } from "../core/values/json.ts";
import { table } from "../core/values/table.ts";
import { type Command, EXIT, UsageError } from "./command.ts";
import { wholeNumber } from "./key.ts";
import { makingAdmin, withAdmin } from "./with-data.ts";

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

/** Creates a project. */
export const projectCreate: Command = {
  name: "project create",
  summary: "Create a project; prints its id and project key.",
  args: ["NAME"],
  async run({ args, config }, io) {
    const name = args[0] ?? "";
    const project = await makingAdmin(config.settings, io, ({ projects }) =>
      projects.create({ name }),
    );
    io.out(`${project.id} ${project.api_token}`);
    return EXIT.ok;
  },
};

/** Gives a project another name. */
export const projectRename: Command = {
  name: "project rename",
  summary: "Give a project another name.",
  args: ["ID", "NAME"],
  async run({ args, config }, io) {
    const id = wholeNumber(args[0] ?? "", "ID");
    const name = args[1] ?? "";
    const project = await withAdmin(config.settings, ({ projects }) =>
      projects.change(id, { name }),
    );
    io.out(`${project.id} ${escapeControlChars(project.name)}`);
    return EXIT.ok;
  },
};

/** Gives a project a new key. */
export const projectRotateKey: Command = {
  name: "project rotate-key",
  summary: "Give a project a new project key; the old one is accepted for a while.",
  args: ["ID"],
  flags: {
    "--grace-hours": `hours in which the old key is still accepted; 0 ends it at once (${GRACE_HOURS_DEFAULT})`,
  },
  async run({ args, flags, config }, io) {
    const id = wholeNumber(args[0] ?? "", "ID");
    const grace_hours = hours(flags["--grace-hours"] ?? String(GRACE_HOURS_DEFAULT));
    const project = await withAdmin(config.settings, ({ projects }) =>
      projects.rotateKey(id, { grace_hours }),
    );
    io.out(project.api_token);
    for (const { api_token, ends_at } of project.former_api_tokens) {
      io.err(`${api_token} is accepted until ${ends_at}.`);
    }
    return EXIT.ok;
  },
};

function hours(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new UsageError("--grace-hours must be a whole number, such as 24.");
}
