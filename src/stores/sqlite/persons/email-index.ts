import type { SQLQueryBindings } from "bun:sqlite";
import type { AddressPacks } from "../../../core/ports/person-search.ts";
import { folded } from "../../../core/values/case-folding.ts";
import type { Place } from "../../../core/values/page.ts";
import { readSqlite, type Sqlite } from "../sqlite.ts";
import { inOrder, personPlaces } from "./order.ts";

/** How long they are held when nobody asks, and from one reading of them to the next, in milliseconds. */
const HELD_MS = 60_000;

/** Addresses that are read at a time, and bytes that are searched, between which others get their turn. */
const AT_ONCE = { addresses: 4096, bytes: 4_194_304 };

/** Each chunk has whole addresses, one behind the other, with a NUL between, which none of them has. */
type Pack = { project: number; version: number; chunks: Buffer[] };

/** Holds the addresses of one project, on connections of its own to the file of another one. */
export function addressPacks({ raw: { filename } }: Sqlite, bytesMax: number): AddressPacks {
  let pack: Pack | undefined;
  let missed: { project: number; at: number } | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let letGo: ReturnType<typeof setTimeout> | undefined;

  const use = (used: Pack) => {
    clearTimeout(letGo);
    pack = used;
    letGo = setTimeout(() => {
      pack = undefined;
    }, HELD_MS);
    letGo.unref();
  };
  const read = async (project: number) => {
    readAt = performance.now();
    using sqlite = snapshotOf(filename);
    const found = await readPack(sqlite.raw, project, bytesMax);
    if (found !== undefined) use(found);
  };

  return {
    async count(project, search) {
      if (pack?.project !== project) return undefined;
      const used = pack;
      use(used);
      const part = Buffer.from(folded(search));
      let count = 0;
      let bytes = 0;
      for (const chunk of used.chunks) {
        count += countIn(chunk, part);
        bytes += chunk.length;
        if (bytes < AT_ONCE.bytes) continue;
        bytes = 0;
        await Bun.sleep(0);
      }
      return { count, version: used.version };
    },

    missed(project) {
      const now = performance.now();
      const isAgain = missed?.project === project && now - missed.at < HELD_MS;
      missed = { project, at: now };
      if (!isAgain || pack !== undefined || now - readAt < HELD_MS) return;
      // What cannot be read is counted by the mirror.
      read(project).catch(() => undefined);
    },

    forget(project) {
      if (pack?.project === project) pack = undefined;
    },
  };
}

function snapshotOf(filename: string) {
  const { raw, close } = readSqlite(filename);
  raw.run("BEGIN");
  return { raw, [Symbol.dispose]: close };
}

/** Reads the addresses of a project; undefined if they are too many. */
async function readPack(
  raw: Sqlite["raw"],
  project: number,
  bytesMax: number,
): Promise<Pack | undefined> {
  const version = personPlaces(raw).version();
  const chunks: Buffer[] = [];
  let bytes = 0;
  let after: Place | undefined;
  for (;;) {
    const { sql, values } = inOrder("id, address", "AND address IS NOT NULL", after);
    const rows = raw
      .query<null, SQLQueryBindings>(sql)
      .values({ ...values, project, limit: AT_ONCE.addresses, offset: 0 }) as [
      number,
      string,
      string,
    ][];
    const chunk = Buffer.from(rows.map(([, address]) => address).join("\0"));
    bytes += chunk.length;
    if (bytes > bytesMax) return undefined;
    chunks.push(chunk);
    const last = rows.at(-1);
    if (last === undefined || rows.length < AT_ONCE.addresses) return { project, version, chunks };
    after = { id: last[0], at: last[2] };
    await Bun.sleep(0);
  }
}

/** How many addresses of a chunk have a part. */
function countIn(chunk: Buffer, part: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(part); at !== -1; ) {
    count += 1;
    const end = chunk.indexOf(0, at);
    if (end === -1) break;
    at = chunk.indexOf(part, end);
  }
  return count;
}
