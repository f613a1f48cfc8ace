import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { type Answer, tableIn } from "../../api/ask.ts";
import type { Line } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import { type Bar, BarList } from "../../charts/bar-list.tsx";
import { DataTable } from "../../charts/data-table.tsx";
import { changeNote, NumberTile } from "../../charts/number-tile.tsx";
import { areAmong, chosen, filtersOfLine } from "../../state/row-filters.ts";
import { Emblem } from "../../ui/emblem/emblem.tsx";
import { CTRL } from "../../ui/keys.ts";
import { announce } from "../../ui/live-region.tsx";
import {
  commonMeasure,
  isBlank,
  isOfTotals,
  nameOf,
  seriesOf,
  sharesOf,
  tableOf,
  unitOf,
} from "./answer-table.ts";
import { changeOf, datesBefore, lineBefore } from "./changes.ts";
import { CountedPersons } from "./counted-persons.tsx";
import { directionOf } from "./direction.ts";
import { Funnels } from "./funnels.tsx";
import { Paths } from "./kinds/paths.tsx";
import { Retention } from "./kinds/retention.tsx";
import { type Pick, pointPick } from "./picks.ts";
import { NoData, OverTime, type PartProps, Plotted, type ResultProps } from "./plotted.tsx";
import { KINDS } from "./query-state.ts";
import { Rows } from "./rows.tsx";

/** The answer to a question, drawn as its kind asks for. Its numbers lead to their persons. */
export function Result(props: ResultProps) {
  const [picked, setPicked] = useState<Pick>();
  const { query } = props.answer;
  const isBuilt = KINDS.some(({ value }) => value === query.kind);
  const onPick = isBuilt && may("person:read") ? setPicked : undefined;
  return (
    <>
      <Drawn {...props} onPick={onPick} />
      {picked && <CountedPersons pick={picked} onClose={() => setPicked(undefined)} />}
    </>
  );
}

function Drawn(props: PartProps) {
  const { answer } = props;
  const { query, results } = answer;
  const rows = tableIn(answer);
  if (rows) return <Rows answer={rows} title={props.title} />;
  if (results.length === 0) return <NoData />;
  const Part = PARTS[query.kind];
  if (Part) return <Part {...props} />;
  const display = query.trendsFilter?.["display"];
  if (display === "BoldNumber") return <Numbers {...props} />;
  if (display === "ActionsTable") return <DataTable title={props.title} table={tableOf(answer)} />;
  if (isOfTotals(query)) return <Totals {...props} />;
  if (answer.columns.length === 1 && !KINDS.some(({ value }) => value === query.kind)) {
    const isList = results.length > 4 || results.some((line) => line.breakdown_value !== null);
    return isList ? <Totals {...props} /> : <Numbers {...props} />;
  }
  return <OverTime {...props} />;
}

/** Parts for kinds of query that are drawn in their own way. */
const PARTS: Record<string, (props: PartProps) => VNode> = {
  FunnelsQuery: Funnels,
  RetentionQuery: Retention,
  PathsQuery: Paths,
  StickinessQuery: Stickiness,
};

function Stickiness(props: PartProps) {
  if (isBlank(props.answer)) return <NoData />;
  return <Plotted {...props} answer={sharesOf(props.answer)} kind="bars" />;
}

/** How a number is chosen; undefined if it has no persons. */
function pickOf(answer: Answer, at: number, onPick: PartProps["onPick"]) {
  const pick = pointPick(answer, at);
  return pick && onPick && (() => onPick(pick));
}

function Numbers({ answer, height, onPick }: PartProps) {
  const { results } = answer;
  const now = results.filter(({ compare_label }) => compare_label !== "previous");
  const isAlone = now.length === 1 && height === undefined;
  return (
    <div class="number-row">
      {now.map((line, at) => (
        <NumberTile
          key={at}
          label={isAlone ? undefined : nameOf(line, false)}
          value={line.aggregated_value}
          before={lineBefore(answer, line)?.aggregated_value}
          when={datesBefore(answer)}
          change={changeOf(answer, line)}
          unit={unitOf(line)}
          isSmall={line.is_small === true}
          welcome={directionOf(answer.query, line)}
          onPick={pickOf(answer, results.indexOf(line), onPick)}
        />
      ))}
    </div>
  );
}

/** The effect of a click on a row of a list: it filters the page, or opens the people of a row that no filter says. */
function rowOf(line: Line, { answer, filtering }: PartProps, onPeople: (() => void) | undefined) {
  const own = filtering && filtersOfLine(answer.query, line);
  if (!own) return { hint: onPeople && "Show the people", onPick: onPeople };
  const { filters, onChange } = filtering;
  const not = own.length > 1 ? "" : `, or with ${CTRL} to leave it out`;
  const onPick = (isNot: boolean) => {
    const next = chosen(own, filters, isNot);
    if (next) onChange(next);
    else announce("Two values at once cannot be left out.");
  };
  const isChosen = areAmong(own, filters);
  const hint = isChosen ? "Click to remove the filter" : `Click to filter${not}`;
  return { hint, onPick, isChosen, onPeople };
}

function Totals(props: PartProps) {
  const { answer, title, onPick, list } = props;
  const series = seriesOf(answer);
  const bars = answer.results.flatMap((line, at): Bar[] => {
    if (line.compare_label === "previous") return [];
    const unit = unitOf(line);
    const [label, value] = [series[at]?.label ?? "", line.aggregated_value];
    const note = changeNote(changeOf(answer, line), unit);
    const isSmall = line.is_small === true;
    const key = JSON.stringify([line.series, line.label, line.breakdown_value]);
    const row = rowOf(line, props, pickOf(answer, at, onPick));
    const emblem = emblemIn(answer.query, line);
    const share = list?.whole && value !== null ? value / list.whole : undefined;
    return [{ key, label, emblem, value, unit, note, share, isSmall, ...row }];
  });
  return <BarList title={title} measure={commonMeasure(answer)} bars={bars} more={list} />;
}

/** The flag or the sign of the value by which a line is broken down, if it is the value of one property. */
function emblemIn({ breakdownFilter }: Answer["query"], { breakdown_value }: Line) {
  const property = breakdownFilter?.["breakdown"];
  if (typeof property !== "string" || typeof breakdown_value !== "string") return undefined;
  return <Emblem property={property} value={breakdown_value} />;
}
