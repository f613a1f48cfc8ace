import { isNumber } from "../nodes.ts";
import {
  called,
  constant,
  constantText,
  folded,
  type Node,
  named,
  namesOf,
  refuse,
} from "../tree.ts";

/** Makes the expression or the call that a call becomes; undefined if it is an ordinary one. */
export type Make = (args: Node[], at: Node) => Node | undefined;

/** Calls with times whose SQL depends on their arguments; names are in lower case. */
export const TIME_CALLS: Readonly<Record<string, Make>> = {
  formatdatetime([time, format, zone], at) {
    const text = constantText(format);
    if (time === undefined || text === undefined) {
      return refuse("formatDateTime takes a time, and a format that is written out.", at);
    }
    const zoned =
      zone === undefined ? called("toDateTime", [time]) : called("toTimeZone", [time, zone]);
    return called("strftime", [zoned, constant(duckdbFormat(text, at))]);
  },
  todatetime: ([time, ...more]) =>
    time !== undefined && more.length === 0 && isNumber(time)
      ? called("fromUnixTimestamp", [time])
      : undefined,
  todate: ([time, ...more], at) =>
    time !== undefined && more.length === 0 && isNumber(time)
      ? refuse("toDate takes a time or a text: write toDate(fromUnixTimestamp(x)) for seconds.", at)
      : undefined,
  date_trunc([unit, time, ...zone]) {
    const [, name] = UNIT.exec(folded(constantText(unit))) ?? [];
    if (name === undefined || time === undefined) return undefined;
    const start = name === "week" ? "toMonday" : `toStartOf${name}`;
    return called(start, [zone.length > 0 ? time : called("toDateTime", [time]), ...zone]);
  },
  tostartofinterval([time, interval]) {
    const [, unit] = /^to_(week|month|quarter|year)s$/.exec(folded(interval?.function_name)) ?? [];
    if (unit === undefined || time === undefined || interval === undefined) return undefined;
    const start = constant(unit === "week" ? "1970-01-05" : "1970-01-01");
    return called("toStartOfInterval()", [start, time, interval]);
  },
  dateadd: moved("+"),
  adddate: moved("+"),
  subdate: moved("-"),
  timestampadd: moved("+"),
  datesub: moved("-"),
  date_sub: moved("-"),
  date_add: moved("+"),
  timestampsub: moved("-"),
};

const UNIT = /^(second|minute|hour|day|week|month|quarter|year)s?$/;

/** `dateAdd('day', 1, time)`, `dateAdd(DAY, 1, time)` and `dateAdd(time, INTERVAL 1 DAY)`. */
function moved(sign: "+" | "-"): Make {
  return ([first, second, third], at) => {
    if (first === undefined || second === undefined) return undefined;
    if (third === undefined) return called(sign, [first, second]);
    const [word = ""] = namesOf(first);
    // In DuckDB's own dateSub the unit is a text, and the second argument a time.
    if (/^date_?sub$/.test(at.function_name ?? "") && word === "" && !isNumber(second)) {
      return undefined;
    }
    const [, unit] = UNIT.exec(folded(word || constantText(first))) ?? [];
    if (unit === undefined) return refuse(`${named(word)} is no unit of time, such as day.`, at);
    return called(sign, [third, called(`toInterval${unit}`, [second])]);
  };
}

/** Codes of ClickHouse that strftime has under another name. */
const CODES: Record<string, string> = {
  ...{ i: "%M", M: "%B", T: "%H:%M:%S", F: "%Y-%m-%d", D: "%m/%d/%y", R: "%H:%M", s: "%S" },
  ...{ W: "%A", h: "%I", c: "%-m", e: "%-d", k: "%-H", l: "%-I", r: "%I:%M:%S %p", n: "\n" },
};

/** Returns a format of formatDateTime as one of strftime. */
const duckdbFormat = (format: string, at: Node) =>
  format.replace(/%(-?.?)/gs, (all, code: string) => {
    const made = CODES[code] ?? all;
    if (CODES[code] !== undefined || KNOWN_CODES.test(code)) return made;
    return refuse(
      `formatDateTime has no ${all}: write %Y %m %d %H %i %S, such as '%Y-%m-%d', and %% for a %.`,
      at,
    );
  });

/** Codes that strftime has, too. */
const KNOWN_CODES = /^(?:-?[dmyHIMSj]|[aAwbBYpfgnzZUWVGucxX%])$/;
