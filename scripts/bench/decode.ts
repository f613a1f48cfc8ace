import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import LZString from "lz-string";
import { countryOf } from "../../src/app/process/countries.ts";
import { admitBody, type Body } from "../../src/core/capture/admit-body.ts";
import { eventStream, FILL_STREAM } from "./events.ts";

/** What one way of packing costs: `bytes` are of the JSON, `micros` are of a body. */
export type DecodeCost = { name: string; bytes: number; events: number; micros: number };

const BATCH_EVENTS = 100;
const NOW = Date.parse("2026-11-21T12:00:00Z");

/** Measures every encoding in turns; the median of `rounds`, each long enough to be measured. */
export function decodeCosts(rounds: number): DecodeCost[] {
  const single = bodyOf(1);
  const batch = bodyOf(BATCH_EVENTS);
  const form = (data: string) => Buffer.from(`data=${encodeURIComponent(data)}`);
  const base64 = Buffer.from(batch).toString("base64");
  const lz64 = LZString.compressToBase64(Buffer.from(batch).toString());
  const of = (
    name: string,
    bytes: Uint8Array,
    more: Partial<Body> = {},
    events = BATCH_EVENTS,
  ) => ({
    name,
    events,
    bytes: events === 1 ? single.length : batch.length,
    body: { ...PLAIN, bytes, ...more },
    times: [] as number[],
  });
  const cases = [
    of("JSON", single, {}, 1),
    of("gzip", gzipSync(single), {}, 1),
    of("JSON", batch),
    of("gzip", gzipSync(batch)),
    of("deflate", deflateSync(batch), { encoding: "deflate" }),
    of("br", brotliCompressSync(batch), { encoding: "br" }),
    of("zstd", zstdCompressSync(batch), { encoding: "zstd" }),
    of("base64", Buffer.from(base64)),
    of("a form of base64", form(base64)),
    of("lz64", Buffer.from(lz64), { compression: "lz64" }),
  ];
  for (let round = 0; round < rounds; round += 1) {
    for (const { body, events, times } of cases) {
      const repeats = BATCH_EVENTS / events;
      const started = performance.now();
      for (let n = 0; n < repeats; n += 1) admitBody(body, ARRIVED);
      times.push(((performance.now() - started) * 1000) / repeats);
    }
  }
  return cases.map(({ name, bytes, events, times }) => {
    const sorted = times.toSorted((a, b) => a - b);
    return { name, bytes, events, micros: sorted[sorted.length >> 1] ?? Number.NaN };
  });
}

const PLAIN: Omit<Body, "bytes"> = {
  encoding: "",
  compression: "",
  protocol: "events",
  sdk: "",
  hints: { key: undefined, keyInBody: true, sentAt: undefined, geoip: { country: "DE" } },
};

const ARRIVED = { now: NOW, newUuid: () => Bun.randomUUIDv7(), countryOf, salts: {} };

/** The body of a request as the load generator sends it. */
function bodyOf(events: number): Uint8Array {
  const stream = eventStream({ epoch: NOW, persons: 1000, filled: 0 }, FILL_STREAM);
  const request = Buffer.from(stream.next(events));
  return request.subarray(request.indexOf("\r\n\r\n") + 4);
}
