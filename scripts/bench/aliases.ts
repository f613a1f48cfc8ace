import { PROJECT_KEY, type Server } from "../../test/support/start/server.ts";

/** Links of the chain. */
export const LINKS = 10_000;

type Page = { count: number; results: { uuid: string; distinct_ids: string[] }[] };

/**
 * Sends a batch in which each event merges the person of the last one into the next, and beside it
 * one of as many events that merge nobody; milliseconds from the request until all can be queried,
 * of both. `stored` waits for that. Throws unless the chain has become one person.
 */
export async function chainOfAliases(
  server: Server,
  stored: (events: number) => Promise<void>,
): Promise<{ chain: number; plain: number }> {
  const name = Bun.randomUUIDv7();
  const link = (n: number) => `${name}-${n}`;
  const plain = await timed(server, stored, (n) => ({
    event: "linked",
    distinct_id: link(-1 - n),
  }));
  const chain = await timed(server, stored, (n) => ({
    event: "$create_alias",
    distinct_id: link(n),
    properties: { alias: link(n + 1) },
  }));
  const [first, last] = await Promise.all(
    [link(0), link(LINKS)].map((id) => server.get<Page>(`/persons/?distinct_id=${id}`)),
  );
  const [person] = first?.results ?? [];
  if (person === undefined || person.uuid !== last?.results[0]?.uuid) {
    throw new Error("The chain's ends are not one person");
  }
  if (person.distinct_ids.length !== LINKS + 1) throw new Error("The chain lacks distinct ids");
  return { chain, plain };
}

/** Events that each set one property of the same person or group. */
export const CHANGES = LINKS;

/** The properties that the person and the group have before, and the bytes of those of the group. */
const KEYS = 2000;
const GROUP_BYTES = 400_000;

/**
 * Changes a plain person, one with very many properties, and a large group, each by as many events in one batch;
 * milliseconds from the request until all can be queried.
 */
export async function changesOfLarge(
  server: Server,
  stored: (events: number) => Promise<void>,
): Promise<{ plain: number; manyKeys: number; group: number }> {
  const name = Bun.randomUUIDv7();
  const keys = Object.fromEntries(Array.from({ length: KEYS }, (_, at) => [`key ${at}`, at]));
  const ofGroup = ($group_set: object) => ({
    event: "$groupidentify",
    distinct_id: `${name}-g`,
    properties: { $group_type: "bench", $group_key: name, $group_set },
  });
  const batch = [
    { event: "changed", distinct_id: `${name}-many`, properties: { $set: keys } },
    ofGroup({ text: "x".repeat(GROUP_BYTES) }),
  ].map((event) => ({ ...event, uuid: Bun.randomUUIDv7() }));
  const response = await server.capture({ api_key: PROJECT_KEY, batch });
  if (!response.ok) throw new Error(`capture answered ${response.status}`);
  await stored(batch.length);
  const ofPerson = (id: string) => (n: number) => ({
    event: "changed",
    distinct_id: `${name}-${id}`,
    properties: { $set: { [`key ${n % KEYS}`]: n } },
  });
  return {
    plain: await timed(server, stored, (n) => ({
      ...ofPerson("plain")(n),
      properties: { $set: { a: n } },
    })),
    manyKeys: await timed(server, stored, ofPerson("many")),
    group: await timed(server, stored, (n) => ofGroup({ [`key ${n % KEYS}`]: n })),
  };
}

async function timed(
  server: Server,
  stored: (events: number) => Promise<void>,
  event: (n: number) => object,
): Promise<number> {
  const batch = Array.from({ length: LINKS }, (_, n) => ({
    ...event(n),
    uuid: Bun.randomUUIDv7(),
  }));
  const started = performance.now();
  const response = await server.capture({ api_key: PROJECT_KEY, batch });
  if (!response.ok) throw new Error(`capture answered ${response.status}`);
  await stored(LINKS);
  return performance.now() - started;
}
