import { intervalOf, isDate, isNumber, isTime, isTimeColumn } from "./nodes.ts";
import { constantText, folded, isNode, MOMENT, type Node, refuse, unnamed } from "./tree.ts";
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

/** A time of a table in UTC, or in another zone; what it is depends on the column. */
export function inZone(
  typing: Typing,
  node: Node,
  name: string,
  [first, second]: Node[],
): Node | undefined {
  if (first === undefined || second === undefined) return undefined;
  const isUtc = name === "timezone" && constantText(first) === "UTC";
  if (isUtc && isTimeColumn(second)) return typing.item("instant", [second], node);
  const isZoned = name === "todatetime" && isTime(first);
  return isZoned ? typing.template("totimezone", [first, second], node) : undefined;
}

/** Fails `invalid_input` for a text without a digit that stands by a time. */
export function checkTimes(nodes: readonly Node[]): void {
  if (!nodes.some((one) => isTimeColumn(one) || isDate(one))) return;
  const wrong = nodes.find((one) => /^(?!-?infinity$|epoch$)\D*$/i.test(constantText(one) ?? "1"));
  if (wrong === undefined) return;
  const text = `'${(constantText(wrong) ?? "").slice(0, TEXT_CHARS_MAX)}'`;
  const ways = "write one such as '2026-11-30' or '2026-11-30 09:00:00', or now() - INTERVAL 7 DAY";
  refuse(`${text} is no time: ${ways}.`, wrong);
}

/** Characters of a text that a failure repeats. */
const TEXT_CHARS_MAX = 80;
