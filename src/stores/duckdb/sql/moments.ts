import { isoTime } from "../../../core/values/time.ts";
import { clockPieces, zonedSpan } from "../../../core/values/zoned-time.ts";
import { intervalOf, isDate, isNumber, isPlainTime, isTime, isTimeColumn } from "./nodes.ts";
import {
  constant,
  constantText,
  folded,
  isNode,
  MOMENT,
  type Node,
  nodesIn,
  refuse,
  unnamed,
} from "./tree.ts";
import type { Typing } from "./typing.ts";

const isPoint = (node: Node) => isTime(node) && intervalOf(node) === undefined;

/** A sum or difference with a date or a time: a number is of days of a date, and of seconds of a time. */
export function moved(typing: Typing, node: Node, [first, second]: Node[]): Node | undefined {
  if (first === undefined || second === undefined) return undefined;
  const [point, by] = isPoint(first) ? [first, second] : [second, first];
  if (!isPoint(point)) return undefined;
  if (isPoint(by)) return between(typing, node, [first, second]);
  const made = (time: Node, other: Node) => {
    return { ...node, children: point === first ? [time, other] : [other, time] };
  };
  const interval = intervalOf(by);
  if (!isDate(point)) {
    const isOfSeconds = interval === undefined && isNumber(by);
    return isOfSeconds ? made(point, typing.item("seconds", [by], by)) : undefined;
  }
  if (interval === "day") return typing.item("date", [unnamed(node)], node);
  if (interval === "time") return made(typing.item("time", [point], point), by);
  return { ...made(point, typing.item("days", [by], by)), [MOMENT]: "date" };
}

/** Days between dates, or seconds between times. */
function between(typing: Typing, node: Node, points: [Node, Node]): Node | undefined {
  if (points.every(isDate)) return typing.item("days", [unnamed(node)], node);
  return node.function_name === "-" ? typing.item("apart", points, node) : undefined;
}

/** dateDiff of weeks counts Mondays, that of hours knows which of two equal hours it is, and any may name a zone. */
export function counted(
  typing: Typing,
  node: Node,
  [unit, from, to, zone]: Node[],
): Node | undefined {
  if (unit === undefined || from === undefined || to === undefined) return undefined;
  const [first, last] = [from, to].map((time) =>
    zone === undefined ? time : (typing.template("totimezone", [time, zone], time) ?? time),
  ) as [Node, Node];
  const [, name] = /^(week|hour)s?$/.exec(folded(constantText(unit))) ?? [];
  if (name !== undefined) return typing.item(`${name}s`, [first, last], node);
  return zone === undefined ? undefined : { ...node, children: [unit, first, last] };
}

/** A text of a time with its offset or zone; Z is that of UTC. */
const WITH_OFFSET = /:[\d.]+\s*(?:[a-z]|[+-]\d)/i;

/** Returns a text that is written out as the time that it is, if it has an offset: DuckDB may ignore it. */
export function withOffset(typing: Typing, node: Node): Node {
  const hasOffset = WITH_OFFSET.test(constantText(node) ?? "");
  return hasOffset ? typing.item("read", [unnamed(node)], node) : node;
}

/** A cast of a text to a time or a date, which reads the offset. */
export function castTime(typing: Typing, node: Node): Node {
  const { child, cast_type, try_cast: isTry } = node;
  if (!/^(?:TIMESTAMP|DATE$)/.test(String(cast_type?.id)) || !isNode(child)) return node;
  if (child.class === "CONSTANT") return { ...node, child: withOffset(typing, child) };
  if (cast_type?.id === "TIMESTAMP_NS" || isTime(child) || isNumber(child)) return node;
  return { ...node, child: typing.item(isTry === true ? "time" : "read", [child], child) };
}

const ON_CLOCK =
  "toTimeZone is for the clock that is shown, and is no moment here: write the time without it.";

/** Returns whether an expression is made by toTimeZone, for another clock. */
function isOnClock({ function_name: name, children }: Node): boolean {
  const [zone, time] = nodesIn(children);
  return name === "timezone" && constantText(zone) !== undefined && time?.class === "CAST";
}

const READING = /^(?:todate(?:time(?:64)?)?|parsedatetimebesteffort)$/;

/** A text that is written out as a time; a time of a table in UTC, or in another zone; what it is depends on the column. */
export function inZone(
  typing: Typing,
  node: Node,
  name: string,
  [first, second]: Node[],
): Node | undefined {
  if (/^tounixtimestamp/.test(name) && first !== undefined && isOnClock(first)) {
    refuse(ON_CLOCK, node);
  }
  const isWritten = READING.test(name) && constantText(first) !== undefined;
  if (first !== undefined && isWritten && (second === undefined || isNumber(second))) {
    const read = typing.item("timed", [unnamed(first)], node);
    return name === "todate" ? typing.item("date", [unnamed(read)], node) : read;
  }
  if (first === undefined || second === undefined) return undefined;
  const isUtc = name === "timezone" && constantText(first) === "UTC";
  if (isUtc && isTimeColumn(second)) return typing.item("instant", [second], node);
  const isZoned = name === "todatetime" && isTime(first);
  return isZoned ? typing.template("totimezone", [first, second], node) : undefined;
}

/** Parts of a comparison that are the lower, and the upper bound of the other one, by its type. */
const BOUNDS: Readonly<Record<string, readonly [lower: string, upper: string, isStrict: boolean]>> =
  {
    COMPARE_GREATERTHAN: ["right", "left", true],
    COMPARE_GREATERTHANOREQUALTO: ["right", "left", false],
    COMPARE_LESSTHAN: ["left", "right", true],
    COMPARE_LESSTHANOREQUALTO: ["left", "right", false],
    COMPARE_BETWEEN: ["lower", "upper", false],
  };

/**
 * Returns a comparison with a time. A bound that the clock shows twice or never becomes an instant, by the rule of typed
 * queries: a lower one is the first moment, an upper one the last.
 */
export function bounded(node: Node, timezone: string): Node {
  const [lower = "", upper = "", isStrict = false] = BOUNDS[String(node.type)] ?? [];
  const sides = [node["input"], node["left"], node["right"]].filter(isNode);
  if (timezone === "UTC" || !sides.some((one) => isTime(one) && !isDate(one))) return node;
  const made: Node = { ...node };
  for (const field of [lower, upper]) {
    const part = node[field];
    const text = isNode(part) ? writtenIn(part) : undefined;
    const instant = text && instantAt(text, { timezone, isLower: field === lower, isStrict });
    if (isNode(part) && instant)
      made[field] = { ...constant(instant), query_location: part.query_location ?? 0 };
  }
  return made;
}

type Side = { timezone: string; isLower: boolean; isStrict: boolean };

/** Returns the text of a time that is written out, alone or as in toDateTime('…'). */
function writtenIn(node: Node): string | undefined {
  const [first] = node.type === "OPERATOR_COALESCE" ? nodesIn(node.children) : [];
  if (first !== undefined) return writtenIn(first);
  const isCast = node.class === "CAST" && node.cast_type?.id === "TIMESTAMP WITH TIME ZONE";
  return constantText(isCast && isNode(node["child"]) ? node["child"] : node);
}

/** Returns the instant of a bound near which the clock is changed; undefined of all else. */
function instantAt(text: string, { timezone, isLower, isStrict }: Side): string | undefined {
  const span = text.startsWith("-") ? undefined : zonedSpan(text, { now: 0, timezone });
  if (span === undefined) return undefined;
  const { instant, inner, wall } = span;
  if (clockPieces(timezone, { from: wall.from, before: wall.from }).length === 1) return undefined;
  const isMidnight = wall.before - wall.from > 1;
  // Bounds of what the clock shows a microsecond later, which is the least difference of times.
  if (isLower && isStrict && !isMidnight) return isoTime(inner.before - 0.001);
  if (!isLower && !isStrict && !isMidnight) return isoTime(instant.before - 0.001);
  return isoTime(isLower ? instant.from : inner.from);
}

/** Fails `invalid_input` for a text without a digit that stands by a time. */
export function checkTimes(nodes: readonly Node[]): void {
  const zoned = nodes.find(isOnClock);
  const isOnOne = nodes.every(
    (one) => isOnClock(one) || isPlainTime(one) || constantText(one) !== undefined,
  );
  if (zoned !== undefined && !isOnOne) refuse(ON_CLOCK, zoned);
  if (!nodes.some((one) => isTimeColumn(one) || isDate(one))) return;
  const wrong = nodes.find((one) => /^(?!-?infinity$|epoch$)\D*$/i.test(constantText(one) ?? "1"));
  if (wrong === undefined) return;
  const text = `'${(constantText(wrong) ?? "").slice(0, TEXT_CHARS_MAX)}'`;
  const ways = "write one such as '2026-11-30' or '2026-11-30 09:00:00', or now() - INTERVAL 7 DAY";
  refuse(`${text} is no time: ${ways}.`, wrong);
}

/** Characters of a text that a failure repeats. */
const TEXT_CHARS_MAX = 80;
