import { intervalOf, isTime, isTimeColumn, zoneOf } from "../nodes.ts";
import {
  called,
  constant,
  constantText,
  folded,
  isNode,
  type Node,
  nodesIn,
  refuse,
  unnamed,
  ZONE,
} from "../tree.ts";
import type { Typing } from "../typing.ts";

/**
 * Times on the clock of another zone. As in ClickHouse, `toTimeZone` leaves the moment as it is: an expression of it is
 * the moment with a mark of its zone. Functions that read a clock get what that clock shows.
 */

/** A call with an argument on the clock of a zone; `call` makes an expression of it. */
type Zoned = {
  typing: Typing;
  node: Node;
  name: string;
  args: Node[];
  zone: string;
  call: (node: Node) => Node;
};

/** Functions that return a moment, and may have a zone as second argument. */
const STARTS =
  /^(?:tostartof(?:day|hour|minute|second|fiveminutes|tenminutes|fifteenminutes)|timeslot)$/;

const DIFFERENCES = /^(?:date_?diff|timestampdiff)$/;

/** Functions that take moments, or return one of them. */
const OF_MOMENTS =
  /^(?:m(?:in|ax)2?|any(?:_value)?|first|last|arg_?m(?:in|ax)|m(?:in|ax)_by|greatest|least|(?:multi)?if|ifnull|nullif|coalesce|assumenotnull|tonullable|count(?:distinct)?|uniq\w*|group(?:uniq)?array|list(?:_value)?|array\w*|tuple|row|median|quantiles?|tounixtimestamp\w*|torelative(?:hour|minute|second)num|epoch(?:_\w+)?|parsedatetimebesteffort\w*|is(?:not)?null|topk)(?:if)?(?:\(\))?$/;

const NO_ZONE = "A time on the clock of another zone does not go with this function: write";

/** Makes a call with the zone as one more argument; undefined with another number of arguments. */
const withZone =
  (count: number) =>
  ({ node, args, zone, call }: Zoned): Node | undefined =>
    args.length === count ? call({ ...node, children: [...args, constant(zone)] }) : undefined;

/** Makes a call with what clocks show. */
const onWalls = ({ typing, node, args, call }: Zoned): Node =>
  call({ ...node, children: args.map((arg) => wallOf(typing, arg)) });

/** Makes a call that returns a moment on the same clock. */
const marked =
  (make: (one: Zoned) => Node | undefined) =>
  (one: Zoned): Node | undefined => {
    const made = make(one);
    return made === undefined ? undefined : { ...made, [ZONE]: one.zone };
  };

const plain = ({ node, call }: Zoned): Node => call(node);

/** A sum with units whose length the clock decides. */
const withDays = (one: Zoned): Node =>
  one.typing.item("moment", [unnamed(onWalls(one)), constant(one.zone)], one.node);

/** How functions are called; every other function reads what the clock shows. */
const RULES: readonly [names: RegExp, make: (one: Zoned) => Node | undefined][] = [
  [STARTS, marked(withZone(1))],
  [
    /^to(?:date|year|quarter|month|monday|dayofyear|dayofmonth|hour|minute|startof(?:year|quarter|month))$/,
    withZone(1),
  ],
  [/^formatdatetime$/, withZone(2)],
  [DIFFERENCES, difference],
  [
    /^date_?trunc$/,
    (one) =>
      (OF_PARTS.test(constantText(one.args[0]) ?? "") ? marked(withZone(2)) : withZone(2))(one),
  ],
  [/^todatetime\w*$/, marked(plain)],
  [OF_MOMENTS, plain],
  [/^(?:add|subtract)(?:days|weeks|months|quarters|years)$/, marked(withDays)],
  [/^(?:add|subtract)(?:hours|minutes|seconds)$/, marked(plain)],
  [/^[-+]$/, sum],
  [
    /^(?:tostartofinterval|time_bucket)$/,
    ({ node, zone }) =>
      refuse(`${NO_ZONE} toStartOfHour(time, '${zone}') or toStartOfDay(time, '${zone}').`, node),
  ],
  [
    /^(?:date_?add|date_?sub|adddate|subdate|timestamp(?:add|sub))$/,
    ({ node, zone }) => refuse(`${NO_ZONE} toTimeZone(time, '${zone}') + INTERVAL 1 DAY.`, node),
  ],
];

/** Units of date_trunc that make a time, and no date. */
const OF_PARTS = /^(?:second|minute|hour|day)s?$/i;

function sum(one: Zoned): Node | undefined {
  const units = one.args.map(intervalOf);
  if (units.includes("day")) return marked(withDays)(one);
  const isDifference = one.args.filter(isTime).length > 1 && !units.some(Boolean);
  return isDifference ? plain(one) : marked(plain)(one);
}

/**
 * The difference of two times. Hours are counted from where they begin on the clock, and are as long where it is
 * changed.
 */
function difference({ typing, node, args, zone, call }: Zoned): Node | undefined {
  const [unit, ...times] = args.slice(0, 3);
  const name = folded(constantText(unit));
  if (times.length < 2 || unit === undefined) return undefined;
  if (/^(?:second|minute)s?$/.test(name)) return call({ ...node, children: [unit, ...times] });
  if (!/^hours?$/.test(name)) return call({ ...node, children: [unit, ...times, constant(zone)] });
  const starts = times.map((time) => call(called("toStartOfHour", [time, constant(zone)])));
  return typing.item("hours_apart", starts, node);
}

/** Returns the moment on the clock of a zone that a call names; undefined if it names none, or returns no moment. */
function moment(typing: Typing, node: Node, call: Zoned["call"]): Node | undefined {
  const name = folded(node.function_name);
  const [first, second, third] = nodesIn(node.children);
  const isTruncated = /^date_?trunc$/.test(name) && OF_PARTS.test(constantText(first) ?? "");
  const zone = constantText(isTruncated ? third : second);
  if (name === "totimezone" && second !== undefined && zone === undefined) {
    refuse("A zone is written out, as in toTimeZone(timestamp, 'Europe/Berlin').", node);
  }
  if (first === undefined || zone === undefined) return undefined;
  if (name === "totimezone" || (name === "todatetime" && isTime(first))) {
    return { ...typing.item("read", [unnamed(first)], node), [ZONE]: knownZone(zone, node) };
  }
  if (!(isTruncated || STARTS.test(name))) return undefined;
  return { ...call(node), [ZONE]: knownZone(zone, node) };
}

/**
 * Returns a call of AT TIME ZONE as toTimeZone for a column of times, which DuckDB would take for the time of that clock
 * in a project on UTC; any other call as it is. UTC is the clock of SQL drafts.
 */
function named(node: Node): Node {
  const [zone, time] = nodesIn(node.children);
  const isOther = (constantText(zone) ?? "UTC") !== "UTC";
  if (folded(node.function_name) !== "timezone" || !isOther || !isTimeColumn(time)) return node;
  return { ...node, function_name: "toTimeZone", children: [time, zone].filter(isNode) };
}

/** Returns what `call` makes of a function, some of whose arguments may be on the clock of another zone. */
export function onClock(typing: Typing, written: Node, call: Zoned["call"]): Node {
  const node = named(written);
  const made = moment(typing, node, call);
  if (made !== undefined) return made;
  const name = folded(node.function_name);
  const args = nodesIn(node.children);
  const given = DIFFERENCES.test(name) ? constantText(args[3]) : undefined;
  const zone = given ?? args.map(zoneOf).find(Boolean);
  if (zone === undefined) return call(node);
  const one = { typing, node, name, args, zone, call };
  const [, make = onWalls] = RULES.find(([names]) => names.test(name)) ?? [];
  return make(one) ?? onWalls(one);
}

/** Returns the time that the clock of its zone shows at a moment; any other expression stays as it is. */
function wallOf(typing: Typing, node: Node): Node {
  const zone = zoneOf(node);
  if (zone === undefined) return node;
  return typing.template("totimezone", [unnamed(node), constant(zone)], node) ?? node;
}

/** Returns a comparison, BETWEEN or IN, whose texts are read on the clock of a time that is compared with them. */
export function sameClock(typing: Typing, node: Node): Node {
  const fields = ["left", "right", "input", "lower", "upper"];
  const own = [...fields.map((field) => node[field]), ...nodesIn(node.children)].filter(isNode);
  const zone = own.map(zoneOf).find(Boolean);
  if (zone === undefined || node.type === "OPERATOR_COALESCE") return node;
  const read = (part: unknown) =>
    isNode(part) && constantText(part) !== undefined
      ? (typing.template("todatetime", [unnamed(part), constant(zone)], part) ?? part)
      : part;
  const made = Object.fromEntries(
    fields.flatMap((field) => (isNode(node[field]) ? [[field, read(node[field])]] : [])),
  );
  const children = Array.isArray(node.children)
    ? { children: node.children.map(read) as Node[] }
    : {};
  return { ...node, ...made, ...children };
}

/** Returns a cast, of a time on the clock of another zone to a date or a text as that clock shows it. */
export function castOnClock(typing: Typing, node: Node): Node {
  const { child, cast_type } = node;
  if (!isNode(child) || zoneOf(child) === undefined) return node;
  if (String(cast_type?.id).startsWith("TIMESTAMP")) return node;
  return { ...node, child: wallOf(typing, child) };
}

/** Returns the name of a zone. Fails `invalid_input` if there is no such zone. */
function knownZone(name: string, node: Node): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone && name;
  } catch {
    return refuse("A time zone is not known. They are named like Europe/Berlin.", node);
  }
}
