import { counted, duration, number, percent } from "../state/format.ts";

/** One step of a funnel. */
export type Step = {
  label: string;
  count: number;
  /** Average seconds from the step before; null for the first. */
  seconds?: number | null;
};

/** The steps of a funnel: how many came, which share, how many were lost, and how long it took. */
export function FunnelSteps(props: {
  title: string;
  steps: readonly Step[];
  /** Called with the number of a step, from 1; below zero for those lost there. */
  onPick?: ((step: number) => void) | undefined;
}) {
  const first = props.steps[0]?.count ?? 0;
  return (
    <ol class="funnel" aria-label={props.title}>
      {props.steps.map((step, at) => {
        const before = props.steps[at - 1]?.count ?? step.count;
        return (
          <li key={`${at}${step.label}`}>
            <p class="funnel-head">
              <b>
                {at + 1}. <bdi>{step.label}</bdi>
              </b>
              <span>
                <Count count={step.count} onPick={props.onPick && (() => props.onPick?.(at + 1))} />
                {" · "}
                {percent(first === 0 ? null : step.count / first)}
              </span>
            </p>
            <span class="funnel-track">
              <span style={{ width: `${first === 0 ? 0 : (100 * step.count) / first}%` }} />
            </span>
            {at > 0 && (
              <p class="caption">
                <Count
                  count={before - step.count}
                  onPick={props.onPick && (() => props.onPick?.(-at - 1))}
                />{" "}
                lost ({percent(before === 0 ? null : (before - step.count) / before)})
                {step.seconds != null && `, ${duration(step.seconds * 1000)} on average`}
              </p>
            )}
          </li>
        );
      })}
    </ol>
  );
}

function Count({ count, onPick }: { count: number; onPick: (() => void) | undefined }) {
  if (!onPick) return <>{number(count)}</>;
  return (
    <button type="button" class="link" onClick={onPick}>
      {counted(count, "person")}
    </button>
  );
}
