import { intervalOf, isDate, isNumber, isTime, isTimeColumn } from "./nodes.ts";
import { constantText, folded, MOMENT, type Node, refuse, unnamed } from "./tree.ts";
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
