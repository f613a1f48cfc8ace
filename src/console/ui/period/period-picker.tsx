import { useState } from "preact/hooks";
import { useAddress } from "../../state/address.ts";
import { boundWords, PERIODS, plainPeriod } from "../../state/bounds.ts";
import { type Comparison, canMatch } from "../../state/intervals.ts";
import { type Days, daysOf, labelOf, shifted } from "../../state/period.ts";
import { zone } from "../../state/project.ts";
import { dayIn, readDay } from "../../state/zoned-days.ts";
import { Button } from "../button.tsx";
import { Check, Field, Select } from "../field.tsx";
import { Icon } from "../icon.tsx";
import { useKeys } from "../keys.ts";
import { MenuRows } from "../menu.tsx";
import { Popover } from "../pick/popover.tsx";
import { Calendar } from "./calendar.tsx";

/** The period that the address has, and how to change it. */
export function usePeriod(fallback = "30d") {
  const { query, set } = useAddress();
  return {
    period: query["period"] ?? fallback,
    setPeriod: (period: string) =>
      set({ period: period === fallback ? "" : period, page: "" }, { push: true }),
  };
}

/** The choice of the page's period, which is in the address. */
export function PeriodPicker({ fallback }: { fallback?: string }) {
  const { period, setPeriod } = usePeriod(fallback);
  return <PeriodChoice period={period} onPeriod={setPeriod} />;
}

/** A comparison, and how to change it. */
type Compared = {
  /** Empty for `own`. */
  value: Comparison | "";
  onChange: (value: Comparison) => void;
  /** The interval by which it is compared; a day where several questions are. */
  interval?: string;
  /** The name of no choice, where each question has its own; the choice is then for this view alone. */
  own?: string;
};

type ChoiceProps = {
  /** Empty for none, where that is a choice. */
  period: string;
  onPeriod: (period: string) => void;
  /** Without it there is no comparison. */
  comparison?: Compared | undefined;
  /** The name of no period; without it there is always one. */
  noPeriod?: string;
};

const isNone = (value: string) => value === "" || value === "none";

/** The comparison in words after a period; empty without one. */
function wordsOf(value: string): string {
  if (isNone(value)) return "";
  if (value.startsWith("-")) return `vs ${boundWords(value).replace("ago", "earlier")}`;
  return value.startsWith("year") ? "vs last year" : "vs previous period";
}

/** Chooses a named period or any days, steps to the previous or next period, and sets the comparison. Shortcut keys do the same. */
export function PeriodChoice(props: ChoiceProps) {
  const { period, onPeriod, comparison, noPeriod } = props;
  const [before, after] = [shifted(period, -1, new Date()), shifted(period, 1, new Date())];
  const back = () => onPeriod(before);
  const on = () => onPeriod(after);
  useKeys({
    ...Object.fromEntries(
      PERIODS.filter(({ key }) => key).map(({ key, value }) => [key, () => onPeriod(value)]),
    ),
    "[": back,
    "]": on,
    x: () => comparison?.onChange(isNone(comparison.value) ? "previous" : "none"),
  });
  const words = wordsOf(comparison?.value ?? "");
  return (
    <div class="cluster tight">
      <Button
        kind="quiet"
        icon="left"
        label="Previous period"
        disabled={before === period}
        onClick={back}
      />
      <Popover
        label="Period"
        class="button plain"
        button={
          <>
            {period === "" && noPeriod ? noPeriod : labelOf(period, new Date())}
            {words !== "" && <span class="caption">{words}</span>}
            <Icon name="down" />
          </>
        }
      >
        {(close) => <Panel {...props} close={close} />}
      </Popover>
      <Button
        kind="quiet"
        icon="right"
        label="Next period"
        disabled={after === period}
        onClick={on}
      />
    </div>
  );
}

function Panel(props: ChoiceProps & { close: () => void }) {
  const { period, onPeriod, comparison, noPeriod, close } = props;
  const chosen = period === "" ? "" : plainPeriod(period);
  const today = dayIn(new Date(), zone());
  const hasDays = period !== "" && chosen !== "all";
  const choose = ({ from, to }: Days) => {
    close();
    onPeriod(`${from}..${to}`);
  };
  const none = noPeriod === undefined ? [] : [{ value: "", label: noPeriod }];
  return (
    <div class="period">
      <MenuRows
        label="Period"
        onDone={close}
        items={[...PERIODS, ...none].map(({ value, label }) => ({
          label,
          isChosen: value === chosen,
          onChoose: () => onPeriod(value),
        }))}
      />
      <div class="stack tight">
        <Calendar
          days={hasDays ? daysOf(period, new Date()) : undefined}
          today={today}
          onDays={choose}
        />
        <TypedDays first={daysOf(period, new Date())} today={today} onDays={choose} />
        {comparison && <ComparisonFields period={period} of={comparison} />}
      </div>
    </div>
  );
}

const NOT_A_DAY = "Write a day such as 2026-11-21 or 21 Nov.";

/** The first and the last day, typed. */
function TypedDays({
  first,
  today,
  onDays,
}: {
  first: Days;
  today: string;
  onDays: (days: Days) => void;
}) {
  const [texts, setTexts] = useState(first);
  const [isSent, setSent] = useState(false);
  const [from, to] = [texts.from, texts.to].map((text) => readDay(text, today));
  const problemOf = (day: string | undefined): string | undefined => {
    if (day === undefined) return NOT_A_DAY;
    return day > today ? "This day is still to come." : undefined;
  };
  const problems = [from, to].map(problemOf);
  if (from && to && from > to) problems[1] ??= "The last day is before the first.";
  const send = (event: Event) => {
    event.preventDefault();
    setSent(true);
    if (from && to && problems.every((one) => one === undefined)) onDays({ from, to });
  };
  const field = (label: string, name: "from" | "to", problem: string | undefined) => (
    <Field
      label={label}
      value={texts[name]}
      autocomplete="off"
      onInput={(text) => setTexts({ ...texts, [name]: text })}
      problem={isSent ? problem : undefined}
    />
  );
  return (
    <form class="typed-days" onSubmit={send}>
      {field("First day", "from", problems[0])}
      {field("Last day", "to", problems[1])}
      <Button submit>Apply</Button>
    </form>
  );
}

/** The comparison without whether weekdays meet. */
const baseOf = (value: string) => (value.startsWith("-") ? "custom" : value.replace("-exact", ""));

function ComparisonFields({ period, of }: { period: string; of: Compared }) {
  const { value, onChange, interval = "day", own } = of;
  const base = baseOf(value);
  const choose = (next: string) => onChange((next === "custom" ? "-4w" : next) as Comparison);
  const isMatched = !value.endsWith("-exact");
  return (
    <>
      <Select
        label="Compare with"
        value={base}
        choices={[
          ...(own === undefined ? [] : [{ value: "", label: own }]),
          { value: "none", label: "None" },
          { value: "previous", label: "Previous period" },
          { value: "year", label: "Same period last year" },
          { value: "custom", label: "Custom" },
        ]}
        onChange={choose}
      />
      {base === "custom" && <Earlier age={value} onChange={onChange} />}
      {/^(?:previous|year)$/.test(base) && canMatch(period, interval) && (
        <Check
          label="Match weekdays"
          checked={isMatched}
          onChange={(on) => onChange((on ? base : `${base}-exact`) as Comparison)}
        />
      )}
      {own !== undefined && !isNone(value) && (
        <p class="caption">In this view only: a dashboard does not save it.</p>
      )}
    </>
  );
}

const AGE_UNITS = [
  { value: "w", label: "Weeks earlier" },
  { value: "m", label: "Months earlier" },
];

/** Units that only other clients choose. */
const OTHER_UNITS: Record<string, string> = { h: "Hours", d: "Days", y: "Years" };

/** How much earlier the time is that a period is compared with. */
function Earlier({ age, onChange }: { age: string; onChange: (age: Comparison) => void }) {
  const unit = age.slice(-1);
  const [text, setText] = useState(age.slice(1, -1));
  const isNumber = (count: string) => /^[1-9]\d{0,2}$/.test(count);
  const type = (count: string) => {
    setText(count);
    if (isNumber(count)) onChange(`-${count}${unit}`);
  };
  const other = OTHER_UNITS[unit];
  const units = other ? [...AGE_UNITS, { value: unit, label: `${other} earlier` }] : AGE_UNITS;
  return (
    <div class="pair">
      <Field
        label="Number"
        value={text}
        onInput={type}
        problem={isNumber(text) ? undefined : "Write a number from 1 to 999."}
      />
      <Select
        label="Unit"
        value={unit}
        choices={units}
        onChange={(next) => onChange(`-${age.slice(1, -1)}${next}`)}
      />
    </div>
  );
}
