import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Answer } from "../../api/ask.ts";
import { innerQuery, type Query } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import { DataTable } from "../../charts/data-table.tsx";
import { rawRows } from "../../charts/series.ts";
import { href } from "../../state/address.ts";
import { csvOf, saveFile } from "../../ui/csv.tsx";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { Load } from "../../ui/states.tsx";
import { isList, isOfTotals, isSql, tableOf } from "../insights/answer-table.ts";
import { CountedPersons } from "../insights/counted-persons.tsx";
import { type Pick, pointPick } from "../insights/picks.ts";
import { Result } from "../insights/result.tsx";
import type { Tile } from "./grid.ts";
import { ListSheet, wholeOf } from "./list-sheet.tsx";
import { overView, useAnswer, type View } from "./view.ts";

/** A text. */
export function TextTile(props: { tile: Tile; tools: ComponentChildren; head: ComponentChildren }) {
  const { tile, tools, head } = props;
  return (
    <>
      {(tools || head) && (
        <header class="tile-head">
          {head}
          {tools}
        </header>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keys. */}
      <section class="tile-body text" tabIndex={0} aria-label="Text">
        {tile.text?.body}
      </section>
    </>
  );
}

/** An insight of a tile. */
export type TileInsight = NonNullable<Tile["insight"]>;

/** Rows of a list that a tile shows. */
const LIST_ROWS_MAX = 9;

/** The answer of an insight with its name, or in place of it `head`, and its menu, or in place of it `tools`. */
export function InsightTile(props: {
  insight: TileInsight;
  view: View;
  tools: ComponentChildren;
  head?: ComponentChildren;
  /** Of the element that shows the answer, if a tab leads to it. */
  panel?: object | undefined;
  /** The way to draw it, in place of its own. */
  display?: string | undefined;
}) {
  const { insight, view, tools, head, display, panel } = props;
  const { name, short_id } = insight;
  const saved = innerQuery(insight.query as Query);
  const own =
    display === undefined ? saved : { ...saved, trendsFilter: { ...saved.trendsFilter, display } };
  const query = overView(own, view);
  const isOnItsOwn = isSql(query) || isList(query);
  const answer = useAnswer(query, view);
  const whole = useAnswer(wholeOf(query), view);
  const [isTable, setTable] = useState(false);
  const [hasSheet, showSheet] = useState(false);
  const list = {
    rowsMax: LIST_ROWS_MAX,
    onShow: () => showSheet(true),
    whole: whole.data?.results[0]?.aggregated_value,
  };
  // The tile's question with period and filters, so that the editor shows the same numbers.
  const asked = answer.data && JSON.stringify(answer.data.query);
  const place = href(`insights/${short_id}`, { q: asked });
  return (
    <>
      <header class="tile-head">
        {head ?? (
          <h2>
            <a href={place}>{name}</a>
          </h2>
        )}
        {!isOfTotals(query) && (query.interval ?? "day") !== (own.interval ?? "day") && (
          <span class="caption">by {query.interval}</span>
        )}
        {tools ?? (
          <TileMenu
            name={name}
            place={place}
            answer={answer.data}
            hasPeople={display !== undefined}
            table={{ isShown: isTable, show: setTable }}
          />
        )}
      </header>
      {view.isSet && isOnItsOwn && (
        <p class="caption">{isSql(query) ? "SQL" : "A list"} with its own period and filters</p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keys. */}
      <section class="tile-body" tabIndex={0} aria-label={name} {...panel}>
        <Load of={answer} skeleton={<div class="tile-skeleton" />}>
          {(shown) =>
            isTable ? (
              <DataTable title={name} table={tableOf(shown)} />
            ) : (
              <Result
                answer={shown}
                title={shown.explanation ?? name}
                insight={insight.id}
                filtering={view.filtering}
                list={list}
              />
            )
          }
        </Load>
      </section>
      {hasSheet && <ListSheet {...{ name, query, view, whole }} onClose={() => showSheet(false)} />}
    </>
  );
}

function TileMenu(props: {
  name: string;
  place: string;
  answer: Answer | undefined;
  /** Whether it leads to the people of the whole number, where only its parts are drawn. */
  hasPeople: boolean;
  table: { isShown: boolean; show: (isShown: boolean) => void };
}) {
  const { name, place, answer, table } = props;
  const [picked, setPicked] = useState<Pick>();
  const items: MenuItem[] = [{ label: "Open", icon: "insights", href: place }];
  const people = answer && props.hasPeople && may("person:read") ? pointPick(answer, 0) : undefined;
  if (people) items.push({ label: "People", icon: "persons", onChoose: () => setPicked(people) });
  if (answer) {
    items.push(
      {
        label: table.isShown ? "Show the chart" : "Show the table",
        icon: table.isShown ? "chart" : "table",
        onChoose: () => table.show(!table.isShown),
      },
      { label: "CSV", icon: "download", onChoose: () => saveCsv(name, answer) },
    );
  }
  return (
    <>
      <Menu label={`More on ${name}`} icon="more" isQuiet items={items} />
      {picked && <CountedPersons pick={picked} onClose={() => setPicked(undefined)} />}
    </>
  );
}

function saveCsv(name: string, answer: Answer): void {
  saveFile(`${name}.csv`, "text/csv", csvOf(rawRows(tableOf(answer))));
}
