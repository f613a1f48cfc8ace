import type { ComponentChildren } from "preact";
import type { Loaded } from "../api/load.ts";
import type { Problem } from "../api/problem.ts";
import { href } from "../state/address.ts";
import { Button, ButtonLink } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";

/** A place for something that is not there yet, of its final size. */
export function Skeleton({ rows = 1, height = 20 }: { rows?: number; height?: number }) {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} class="skeleton-row" style={{ height: `${height}px` }} />
      ))}
    </div>
  );
}

/** Nothing to show, why, and what to do about it. */
export function Empty(props: { icon?: IconName; title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <Icon name={props.icon ?? "events"} />
      <p class="lead">{props.title}</p>
      {props.children}
    </div>
  );
}

/** Nothing has ever arrived: leads to the start page. */
export function NothingYet() {
  return (
    <Empty icon="start" title="No events yet">
      <p>Send your first event and it will show up here.</p>
      <ButtonLink kind="primary" href={href("start")}>
        Set up
      </ButtonLink>
    </Empty>
  );
}

/** Nothing in the period: offers the nearest day that has something. */
export function NothingInPeriod(props: { period: string; nearest?: string; onShow?: () => void }) {
  return (
    <Empty title={`No data in this period (${props.period})`}>
      {props.nearest && props.onShow && (
        <Button onClick={props.onShow}>{`Show ${props.nearest}`}</Button>
      )}
    </Empty>
  );
}

/** No results match these filters: offers to remove them. */
export function NothingPasses({ onRemove }: { onRemove: () => void }) {
  return (
    <Empty icon="filter" title="No results match these filters">
      <Button onClick={onRemove}>Clear filters</Button>
    </Empty>
  );
}

/** Before the words of the engine, which come after a sentence in plain ones. */
const ENGINE = " DuckDB: ";

/** An error in its own words, with the id under which the server's log has it. */
export function ProblemNote({ problem, onRetry }: { problem: Problem; onRetry?: () => void }) {
  // The banner of the page says so once, and tries again.
  if (problem.status === 0 && onRetry) return null;
  const [said, ...engine] = problem.message.split(ENGINE);
  return (
    <div class="note bad" role="alert">
      <Icon name="warning" />
      <div class="note-text">
        <p>{said}</p>
        {engine.length > 0 && (
          <p class="caption">
            DuckDB: <bdi>{engine.join(ENGINE)}</bdi>
          </p>
        )}
        {problem.requestId && (
          <p class="caption">
            Request <code>{problem.requestId}</code>
          </p>
        )}
      </div>
      {onRetry && (
        <Button icon="refresh" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** Whether the same request may succeed later: the server was busy or out of reach, and did not refuse it. */
const mayPass = ({ status }: Problem): boolean =>
  status === 0 || status === 408 || status === 429 || status >= 500;

/**
 * Loaded data, or in their place a skeleton after 150 ms, or the problem. Old data
 * stay, dimmed, while new ones are loaded; a problem then stands above them.
 */
export function Load<T>(props: {
  of: Loaded<T>;
  skeleton: ComponentChildren;
  children: (data: T) => ComponentChildren;
}) {
  const { data, problem, isSlow, isLoading, reload } = props.of;
  const again = problem && mayPass(problem) ? { onRetry: reload } : {};
  const note = problem && !isLoading && <ProblemNote problem={problem} {...again} />;
  if (data === undefined) {
    if (note && problem.status !== 0) return note;
    return (
      <div class={isSlow || problem ? undefined : "invisible"} aria-busy="true">
        {props.skeleton}
      </div>
    );
  }
  return (
    <div class={isSlow || problem?.status === 0 ? "dimmed" : undefined} aria-busy={isLoading}>
      {note}
      {props.children(data)}
    </div>
  );
}
