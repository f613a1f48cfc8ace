import { useState } from "preact/hooks";
import { useAddress } from "../state/address.ts";
import { PERIODS, plainPeriod } from "../state/bounds.ts";
import { daysOf, labelOf, shifted } from "../state/period.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Field } from "./field.tsx";
import { useKeys } from "./keys.ts";
import { Menu } from "./menu.tsx";

/** The period and the comparison that the address has, and how to change them. */
export function usePeriod(fallback = "30d") {
  const { query, set } = useAddress();
  return {
    period: query["period"] ?? fallback,
    isCompared: query["compare"] === "1",
    setPeriod: (period: string) =>
      set({ period: period === fallback ? "" : period, page: "" }, { push: true }),
    setCompared: (on: boolean) => set({ compare: on ? "1" : "" }),
  };
}

/** The choice of the page's period, which is in the address. */
export function PeriodPicker(props: {
  fallback?: string;
  /** Whether the period before can be shown next to it. */
  canCompare?: boolean;
}) {
  const { period, isCompared, setPeriod, setCompared } = usePeriod(props.fallback);
  return (
    <PeriodChoice
      period={period}
      onPeriod={setPeriod}
      {...(props.canCompare && { isCompared, onCompared: setCompared })}
    />
  );
}

type ChoiceProps = {
  /** Empty for none, where that is a choice. */
  period: string;
  onPeriod: (period: string) => void;
  isCompared?: boolean;
  /** Without it there is no comparison. */
  onCompared?: (on: boolean) => void;
  /** The name of no period; without it there is always one. */
  noPeriod?: string;
};

/** Named periods, any days, one period back or on, and the comparison. The keys of periods work on it. */
export function PeriodChoice(props: ChoiceProps) {
  const { period, onPeriod, isCompared = false, onCompared, noPeriod } = props;
  const [isCustom, setCustom] = useState(false);
  const chosen = period === "" ? "" : plainPeriod(period);
  const back = () => onPeriod(shifted(period, -1, new Date()));
  const on = () => onPeriod(shifted(period, 1, new Date()));
  useKeys({
    ...Object.fromEntries(
      PERIODS.filter(({ key }) => key).map(({ key, value }) => [key, () => onPeriod(value)]),
    ),
    "[": back,
    "]": on,
    x: () => onCompared?.(!isCompared),
  });
  return (
    <div class="cluster tight">
      <Button kind="quiet" icon="left" label="Previous period" onClick={back} />
      <Menu
        label="Period"
        items={[
          ...PERIODS.map(({ value, label }) => ({
            label,
            isChosen: value === chosen,
            onChoose: () => onPeriod(value),
          })),
          {
            label: "Custom range…",
            isChosen: chosen !== "" && !PERIODS.some(({ value }) => value === chosen),
            onChoose: () => setCustom(true),
          },
          ...(noPeriod === undefined
            ? []
            : [{ label: noPeriod, isChosen: period === "", onChoose: () => onPeriod("") }]),
        ]}
      >
        {period === "" && noPeriod ? noPeriod : labelOf(period, new Date())}
      </Menu>
      <Button kind="quiet" icon="right" label="Next period" onClick={on} />
      {onCompared && (
        <Button kind="quiet" pressed={isCompared} onClick={() => onCompared(!isCompared)}>
          Compare
        </Button>
      )}
      {isCustom && (
        <CustomPeriod period={period} onChoose={onPeriod} onClose={() => setCustom(false)} />
      )}
    </div>
  );
}

function CustomPeriod(props: {
  period: string;
  onChoose: (period: string) => void;
  onClose: () => void;
}) {
  const [days, setDays] = useState(() => daysOf(props.period, new Date()));
  const isWrong = days.from > days.to;
  const choose = (event: Event) => {
    event.preventDefault();
    if (isWrong || !days.from || !days.to) return;
    props.onChoose(`${days.from}..${days.to}`);
    props.onClose();
  };
  return (
    <Dialog title="Other days" onClose={props.onClose}>
      <form onSubmit={choose} class="stack">
        <div class="cluster">
          <Field
            type="date"
            label="First day"
            value={days.from}
            onInput={(from) => setDays({ ...days, from })}
          />
          <Field
            type="date"
            label="Last day"
            value={days.to}
            onInput={(to) => setDays({ ...days, to })}
            problem={isWrong ? "The last day is before the first." : undefined}
          />
        </div>
        <footer class="actions">
          <Button onClick={props.onClose}>Cancel</Button>
          <Button kind="primary" submit>
            Show
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
