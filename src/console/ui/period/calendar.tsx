import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Days } from "../../state/period.ts";
import { shortDay } from "../../state/period.ts";
import { earlier, firstOf } from "../../state/ranges.ts";
import { shiftDay } from "../../state/zoned-days.ts";
import { Button } from "../button.tsx";
import { announce } from "../live-region.tsx";

const nameOf = (day: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" }).format(new Date(day));

const DAY = { weekday: "long", day: "numeric", month: "long", year: "numeric" } as const;
const MONTH = { month: "long", year: "numeric" } as const;

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** Rows of a month: so many that every month is equally high. */
const ROWS = [0, 1, 2, 3, 4, 5];

/** The day that a key leads to from another one; undefined for other keys. */
function dayAt(day: string, { key, shiftKey }: KeyboardEvent): string | undefined {
  const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }[key];
  if (by !== undefined) return shiftDay(day, by);
  const monday = firstOf(day, "w");
  const months = { PageUp: 1, PageDown: -1 }[key];
  if (months !== undefined) return earlier(day, shiftKey ? "y" : "m", months);
  return { Home: monday, End: shiftDay(monday, 6) }[key];
}

/** Months whose days are chosen: the first one, then the last one. Days after today cannot be. */
export function Calendar(props: {
  /** The chosen days, if there are any. */
  days: Days | undefined;
  today: string;
  onDays: (days: Days) => void;
}) {
  const { days, today, onDays } = props;
  const [count] = useState(() => (matchMedia("(min-width: 768px)").matches ? 2 : 1));
  const [first, setFirst] = useState<string>();
  const [at, setAt] = useState(days && days.to < today ? days.to : today);
  const [month, setMonth] = useState(firstOf(at, "m"));
  const root = useRef<HTMLDivElement>(null);
  const isMoved = useRef(false);
  useLayoutEffect(() => {
    if (isMoved.current) root.current?.querySelector<HTMLElement>(`[data-day="${at}"]`)?.focus();
    isMoved.current = false;
  }, [at, month]);
  /** Shows a month as the last one, and the day of another month in it. */
  const show = (last: string) => {
    setMonth(last);
    const isSeen = at >= earlier(last, "m", count - 1) && at < earlier(last, "m", -1);
    if (!isSeen) setAt(last);
  };
  const steer = (event: KeyboardEvent) => {
    const next = dayAt(at, event);
    if (next === undefined) return;
    event.preventDefault();
    const day = [next, today].sort()[0] ?? today;
    isMoved.current = true;
    setAt(day);
    const own = firstOf(day, "m");
    const start = earlier(month, "m", count - 1);
    if (own > month) setMonth(own);
    else if (own < start) setMonth(earlier(own, "m", 1 - count));
  };
  const choose = (day: string) => {
    if (day > today) return;
    setAt(day);
    if (first !== undefined)
      return onDays(day < first ? { from: day, to: first } : { from: first, to: day });
    setFirst(day);
    announce(`First day ${shortDay(day)}. Choose the last day.`);
  };
  const [from = "", to = ""] = first === undefined ? [days?.from, days?.to] : [first, at].sort();
  const cell = (day: string) => (
    // biome-ignore lint/a11y: a cell of a grid of days, whose button has the focus.
    <td key={day} role="gridcell" aria-selected={day >= from && day <= to}>
      <button
        type="button"
        class="day"
        data-day={day}
        tabIndex={day === at ? 0 : -1}
        aria-label={nameOf(day, DAY)}
        aria-current={day === today ? "date" : undefined}
        aria-disabled={day > today || undefined}
        onClick={() => choose(day)}
        onPointerEnter={() => first !== undefined && day <= today && setAt(day)}
      >
        {Number(day.slice(8))}
      </button>
    </td>
  );
  const months = [earlier(month, "m", 1), month].slice(-count);
  return (
    <div class="calendar" ref={root}>
      <Button
        kind="quiet"
        icon="left"
        label="Earlier month"
        onClick={() => show(earlier(month, "m", 1))}
      />
      <Button
        kind="quiet"
        icon="right"
        label="Later month"
        disabled={month >= firstOf(today, "m")}
        onClick={() => show(earlier(month, "m", -1))}
      />
      {months.map((one) => (
        // biome-ignore lint/a11y: arrow keys move among the days of a grid.
        <table key={one} role="grid" aria-label={nameOf(one, MONTH)} onKeyDown={steer}>
          <caption>{nameOf(one, MONTH)}</caption>
          <thead>
            <tr>
              {WEEKDAYS.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {ROWS.map((row) => (
              <tr key={row}>
                {WEEKDAYS.map((name, column) => {
                  const day = shiftDay(firstOf(one, "w"), row * 7 + column);
                  return day.slice(0, 7) === one.slice(0, 7) ? cell(day) : <td key={name} />;
                })}
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </div>
  );
}
