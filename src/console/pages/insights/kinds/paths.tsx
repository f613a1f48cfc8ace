import { useState } from "preact/hooks";
import type { Answer } from "../../../api/ask.ts";
import type { Line, Query } from "../../../api/query.ts";
import { type Bar, BarList } from "../../../charts/bar-list.tsx";
import { nameOfPlace, type Place, type Way } from "../../../charts/flow.ts";
import { FlowChart, isCut, placeText } from "../../../charts/flow-chart.tsx";
import { href } from "../../../state/address.ts";
import { ButtonLink } from "../../../ui/button.tsx";
import { wayPick } from "../picks.ts";
import type { PartProps } from "../plotted.tsx";

/** The height of the flow in a tile, in pixels; a page gives its own. */
const TILE_HEIGHT = 300;

/** Narrowest window in which the flow is drawn, in pixels; `charts.css` has the same. */
const FLOW_FROM = 768;

/** The lines of paths, which have two ends each. */
const isWay = (line: Line): line is Line & Way =>
  typeof line.source === "string" && line.source_paths !== undefined;

/** Ways from place to place as a flow, and as a list, whose numbers lead to their people. */
export function Paths(props: PartProps) {
  const { answer, title, height } = props;
  const [choice, setChoice] = useState<{ answer: Answer; place: Place }>();
  // A place belongs to the answer in which it was chosen.
  const chosen = choice?.answer === answer ? choice.place : undefined;
  const ways = answer.results.filter(isWay);
  const isDrawn = innerWidth >= FLOW_FROM && ways.length > 0;
  return (
    <div class="stack">
      {ways.length > 0 && (
        <div class="flow-part">
          <p class="flow-tools">
            <span class="grow">
              {chosen ? placeText(chosen) : "Choose a place to begin or end the paths there."}
            </span>
            {chosen?.name && (
              <>
                <FromHere query={answer.query} point="startPoint" place={chosen.name} />
                <FromHere query={answer.query} point="endPoint" place={chosen.name} />
              </>
            )}
          </p>
          <FlowChart
            title={title}
            ways={ways}
            height={height === undefined ? TILE_HEIGHT : 420}
            chosen={chosen?.id}
            onChoose={(place) => setChoice({ answer, place })}
          />
          {isCut(ways) && <p class="caption">The list has further steps.</p>}
        </div>
      )}
      <details open={!isDrawn}>
        <summary>All ways as a list</summary>
        <WayList {...props} />
      </details>
    </div>
  );
}

/** A link to the paths that begin or end at a place. */
function FromHere(props: { query: Query; point: "startPoint" | "endPoint"; place: string }) {
  const { query, point, place } = props;
  const pathsFilter = { ...query.pathsFilter, [point]: place };
  const q = JSON.stringify({ ...query, pathsFilter });
  // An insight stays the same one with another question.
  const [, page = "insights/new"] = /\/(insights\/[^/]+)/.exec(location.pathname) ?? [];
  return (
    <ButtonLink href={href(page, { q })}>
      {point === "startPoint" ? "Start here" : "End here"}
    </ButtonLink>
  );
}

/** Ways by the step at which they are gone: the same way may be at several. */
function WayList({ answer, title, onPick }: PartProps) {
  const steps = new Map<number, Bar[]>();
  for (const [at, line] of answer.results.entries()) {
    const { source, target } = line;
    const step = Number.parseInt(source ?? "", 10) || 0;
    const label = source ? `${nameOfPlace(source)} → ${nameOfPlace(target ?? "")}` : line.label;
    const pick = wayPick(answer, line, label);
    const bar = {
      ...{ key: String(at), label, value: line.aggregated_value ?? line.data[0] ?? null },
      onPick: pick && onPick && (() => onPick(pick)),
    };
    steps.set(step, [...(steps.get(step) ?? []), bar]);
  }
  const greatest = Math.max(...[...steps.values()].flat().map(({ value }) => value ?? 0));
  return (
    <div class="stack">
      {[...steps]
        .sort(([a], [b]) => a - b)
        .map(([step, bars]) => (
          <div key={step}>
            {step > 0 && <h3>{`From step ${step} to ${step + 1}`}</h3>}
            <BarList title={title} bars={bars} greatest={greatest} />
          </div>
        ))}
    </div>
  );
}
