import type { Settings } from "../app/settings/settings.ts";
import {
  LINK_MINUTES_DEFAULT,
  LINK_MINUTES_MAX,
  type LinkDraft,
  type Sessions,
} from "../core/access/sessions.ts";
import { Failure } from "../core/values/failure.ts";
import { escapeControlChars } from "../core/values/json.ts";
import { type Command, EXIT, PrintError, UsageError } from "./command.ts";
import { wholeNumber, words } from "./key.ts";
import { type Serving, withServer } from "./with-data.ts";

/** The desk of the server at `url`. Links have its public address, if the settings give one. */
export function consoleDesk(
  sessions: Sessions,
  settings: Settings,
  url: string,
): Serving["console"] {
  return {
    async link(draft) {
      if (settings.console === "off") {
        throw new Failure("not_found", "The console is off. Start the server with --console on.");
      }
      const { secret, ...made } = await sessions.makeLink(draft);
      return { ...made, url: `${consoleAddress(settings, url)}#link=${secret}` };
    },
    signOutAll: () => sessions.endAll(),
  };
}

/** The address of the console of a server at `url`. */
export function consoleAddress({ public_url: publicUrl }: Settings, url: string): string {
  return `${(publicUrl ?? url).replace(/\/$/, "")}/console/`;
}

/** Prints a link to the console that signs in. */
export const consoleLink: Command = {
  name: "console",
  summary: "Print a link to the console of the running server, which signs in once.",
  flags: {
    "--user":
      "e-mail address of the user who signs in, a new user if unknown; may only read by default (the first user, with all rights)",
    "--scopes": "rights of the session, such as person:read,insight:write",
    "--key": "id of a personal key, as `key list` has it, whose user and rights the session has",
    "--minutes": `how long the link is valid, at most ${LINK_MINUTES_MAX} (${LINK_MINUTES_DEFAULT})`,
  },
  switches: { "--sign-out-all": "end all sessions and links instead" },
  async run({ flags, config }, io) {
    const minutes = minutesOf(flags["--minutes"]);
    const draft = draftOf(flags);
    if (flags["--sign-out-all"] !== undefined) {
      const count = await withServer(config.settings, ({ console }) => console.signOutAll());
      io.out(count === 1 ? "1 session ended." : `${count} sessions ended.`);
      return EXIT.ok;
    }
    const made = await withServer(config.settings, ({ console }) =>
      console.link({ ...draft, minutes }),
    );
    io.out(made.url);
    const why = await io.unprinted();
    if (why !== undefined) throw new PrintError(`The link could not be printed (${why}).`);
    if (io.isTerminal) io.err(`It signs in once, within ${minutes} minutes.`);
    if (io.isTerminal && made.scopes.every((scope) => scope.endsWith(":read")))
      io.err("The session may only read. --scopes and --key give other rights.");
    if (made.made_user !== undefined)
      io.err(`A new user was made: ${escapeControlChars(made.made_user)}.`);
    return EXIT.ok;
  },
};

/** The user and the rights of the session. */
function draftOf(flags: Record<string, string>): LinkDraft {
  const { "--user": email, "--scopes": scopes, "--key": key } = flags;
  if (key === undefined)
    return { email, ...(scopes === undefined ? {} : { scopes: words(scopes) }) };
  if (scopes !== undefined) throw new UsageError("--scopes and --key exclude each other.");
  return { email, key_id: wholeNumber(key, "--key") };
}

function minutesOf(text: string | undefined): number {
  if (text === undefined) return LINK_MINUTES_DEFAULT;
  const minutes = wholeNumber(text, "--minutes");
  if (minutes <= LINK_MINUTES_MAX) return minutes;
  throw new UsageError(`--minutes is at most ${LINK_MINUTES_MAX}.`);
}
