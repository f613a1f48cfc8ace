import { admitBody, type Body } from "../../core/capture/admit-body.ts";
import type { DailySalts } from "../../core/capture/cookieless.ts";
import { admitLogs, type LogsBody } from "../../core/logs/logs.ts";
import { countUnkept, type UnkeptSignal } from "../../core/logs/unkept.ts";
import { countryOf } from "../process/countries.ts";
import { gcAfterBytes, gcWithinShare } from "../process/garbage-collection.ts";
import { serve } from "./rpc.ts";

const collect = () => Bun.gc(true);

const collectAfter = gcAfterBytes(collect);

const collectWithin = gcWithinShare(collect);

/** The time of arrival and the sources that decoding needs. */
const arrived = (now: number) => ({
  ...{ now, newUuid: () => Bun.randomUUIDv7(), countryOf },
  collect: collectWithin,
});

/** Decodes a body, and notes its bytes for the next garbage collection. */
function decoded<T extends { lines: Uint8Array }>({ bytes }: Pick<Body, "bytes">, decode: () => T) {
  const admission = decode();
  collectAfter(bytes.length + admission.lines.length);
  return admission;
}

/** The API of the decode worker, which parses large bodies so that other requests need not wait. */
export const decoder = {
  async admit(body: Body, now: number, salts: DailySalts) {
    return decoded(body, () => admitBody(body, { ...arrived(now), salts }));
  },
  async admitLogs(body: LogsBody, now: number) {
    return decoded(body, () => admitLogs(body, arrived(now)));
  },
  async countUnkept(body: LogsBody, signal: UnkeptSignal) {
    const count = countUnkept(body, signal);
    collectAfter(body.bytes.length);
    return count;
  },
};

if (!Bun.isMainThread) {
  serve(globalThis as unknown as Parameters<typeof serve>[0], { decoder });
}
