import type { WarningRow } from "../ports/warnings.ts";
import { isoTime } from "../values/time.ts";
import type { CountedRefusal, LoadedPage } from "./arrivals.ts";
import { REASONS, type Reason } from "./readiness.ts";

/** The wait of an event from which on it is worth a sentence, in milliseconds. */
const SLOW_MS = 10_000;

/** A cause why events do not appear, with its remedy, as one sentence or two. */
export type Advice = { code: string; text: string };

/** The facts from which causes are read. */
export type Symptoms = {
  /** The project's own key. */
  api_token: string;
  hasEvents: boolean;
  arrived: { accepted: number; dropped: number };
  refused: readonly CountedRefusal[];
  /** The last page that asked for the configuration of posthog-js. */
  loaded: LoadedPage | undefined;
  /** Warnings of the same time, the latest first. */
  warnings: readonly Pick<WarningRow, "type">[];
  lag_ms: number;
  /** Sequence numbers of the journal that were gone at this or an earlier start. */
  lost: number;
  /** Why the server is not ready. */
  reasons: readonly Reason[];
};

/** Warnings by which the clock of a sender is recognised as wrong. */
const CLOCK_WARNINGS = [
  "event_timestamp_in_future",
  "event_timestamp_too_early",
  "invalid_timestamp",
];

/** Returns the causes that the facts show, the most certain first; none if events come as they should. */
export function adviceFor(symptoms: Symptoms): Advice[] {
  return [
    ...serverAdvice(symptoms),
    ...refusalAdvice(symptoms),
    ...eventAdvice(symptoms),
    ...silenceAdvice(symptoms),
  ];
}

function serverAdvice({ reasons, lag_ms, lost }: Symptoms): Advice[] {
  const isFull = reasons.includes("disk_full") || reasons.includes("journal_refused");
  return [
    ...(lost > 0 ? [advice("journal_lost", lostText(lost))] : []),
    ...(isFull ? [advice("disk_floor", DISK_FLOOR)] : []),
    ...(reasons.length > 0 && !isFull
      ? [
          advice(
            "not_ready",
            `The server is not ready. ${reasons.map((reason) => REASONS[reason]).join(" ")}`,
          ),
        ]
      : []),
    ...(lag_ms > SLOW_MS
      ? [advice("lag", `Events wait ${Math.round(lag_ms / 1000)} s before they are stored.`)]
      : []),
  ];
}

const lostText = (lost: number) =>
  `A part of the journal was gone when the server started, now or earlier: ${lost === 1 ? "1 event or log record is" : `up to ${lost} events and log records are`} lost. If you have a backup, restore it. This stays until you delete the file journal.lost of the data directory and start again.`;

const DISK_FLOOR = "The disk is almost full, so events are rejected. Make space on it.";

function refusalAdvice({ refused, api_token }: Symptoms): Advice[] {
  const countOf = (some: readonly CountedRefusal[]) => {
    const count = some.reduce((sum, one) => sum + one.count, 0);
    return count === 1 ? "1 request was" : `${count} requests were`;
  };
  const wrong = refused.filter(
    ({ code, key_mask }) => code === "invalid_api_key" || key_mask !== null,
  );
  const lost = refused.filter(
    (one) => !wrong.includes(one) && (one.status === 404 || one.status === 405),
  );
  const others = Map.groupBy(
    refused.filter((one) => !wrong.includes(one) && !lost.includes(one)),
    ({ code }) => code,
  );
  const [key, path] = [wrong[0]?.key_mask, lost[0]?.path];
  return [
    ...(wrong.length === 0
      ? []
      : [
          advice(
            "wrong_key",
            `${countOf(wrong)} refused, the last with ${key == null ? "no key" : `the key ${key}`}. The key of this project is ${api_token}.`,
          ),
        ]),
    ...(lost.length === 0
      ? []
      : [
          advice(
            "unknown_path",
            `${countOf(lost)} sent to an unknown path, the last to ${path}. SDKs get the address of Hoglet without a path, exporters of OTLP get it with /i.`,
          ),
        ]),
    ...[...others].map(([code, some]) =>
      advice("refused", `${countOf(some)} refused with ${some[0]?.status} ${code}.`),
    ),
  ];
}

function eventAdvice({ arrived, warnings }: Symptoms): Advice[] {
  const types = warnings.map(({ type }) => type);
  const clock = types.find((type) => CLOCK_WARNINGS.includes(type));
  return [
    ...(arrived.dropped > 0
      ? [
          advice(
            "dropped",
            arrived.dropped === 1
              ? "1 event was dropped. Its warning says why."
              : `${arrived.dropped} events were dropped. Their warnings say why.`,
          ),
        ]
      : []),
    ...(clock === undefined
      ? []
      : [advice("clock", `The clock of a sender may be wrong: there are warnings ${clock}.`)]),
  ];
}

function silenceAdvice({ hasEvents, arrived, refused, loaded }: Symptoms): Advice[] {
  if (hasEvents || arrived.accepted + arrived.dropped > 0) return [];
  if (loaded !== undefined) return [advice("snippet_found", foundText(loaded))];
  return refused.length > 0 ? [] : [advice("nothing_arrived", NOTHING)];
}

const foundText = ({ at, origin }: LoadedPage) =>
  `posthog-js is on ${origin ?? "a page"} with the key of this project, last loaded at ${isoTime(at).slice(11, 19)} UTC, but has sent no event. It sends nothing for automated browsers, for visitors who opted out, and with Do Not Track if the page respects it.`;

const NOTHING =
  "No request for this project has arrived. Ad blockers, a page on https that sends to http, and a firewall cannot be seen from here.";

const advice = (code: string, text: string): Advice => ({ code, text });
