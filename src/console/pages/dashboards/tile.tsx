import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type Answer, askForTile } from "../../api/ask.ts";
import { useLoad } from "../../api/load.ts";
import { innerQuery, type Query } from "../../api/query.ts";
import { DataTable } from "../../charts/data-table.tsx";
import { rawRows } from "../../charts/series.ts";
import { href } from "../../state/address.ts";
import { csvOf, saveFile } from "../../ui/csv.tsx";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { Load } from "../../ui/states.tsx";
import { isList, isOfTotals, isSql, tableOf } from "../insights/answer-table.ts";
import { Result } from "../insights/result.tsx";
import type { PlacedTile, Tile } from "./grid.ts";
import { overView, type View } from "./view.ts";

type TileProps = {
  placed: PlacedTile;
  view: View;
  /** The tools of the editor, in place of the menu. */
  tools?: ComponentChildren;
};

/** A tile: an insight or a text. Its place and size never depend on its content. */
export function TileBox({ placed: { tile, place }, view, tools }: TileProps) {
  const isSmall = place.w <= 4 && place.h <= 2;
  const style = { "--x": place.x + 1, "--y": place.y + 1, "--w": place.w, "--h": place.h };
  return (
    <div class={isSmall ? "panel tile small" : "panel tile"} style={style}>
      {tile.insight === null ? (
        <TextTile tile={tile} tools={tools} />
      ) : (
        <InsightTile insight={tile.insight} view={view} tools={tools} />
      )}
    </div>
  );
}

function TextTile({ tile, tools }: { tile: Tile; tools: ComponentChildren }) {
  return (
    <>
      {tools && <header class="tile-head">{tools}</header>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keys. */}
      <section class="tile-body text" tabIndex={0} aria-label="Text">
        {tile.text?.body}
      </section>
    </>
  );
}

function InsightTile(props: {
  insight: NonNullable<Tile["insight"]>;
  view: View;
  tools: ComponentChildren;
}) {
  const { insight, view, tools } = props;
  const { period, over } = view;
  const { name, short_id } = insight;
  const own = innerQuery(insight.query as Query);
  const query = overView(own, period);
  const isOnItsOwn = isSql(query) || isList(query);
  const filters = isList(query) ? {} : over;
  const answer = useLoad(JSON.stringify([query, filters]), (signal) =>
    askForTile(query, signal, filters),
  );
  const [isTable, setTable] = useState(false);
  // The tile's question with period and filters, so that the editor shows the same numbers.
  const { data } = answer;
  const asked = data && JSON.stringify(data.query);
  const place = href(`insights/${short_id}`, { q: asked });
  const items: MenuItem[] = data
    ? [
        {
          label: isTable ? "Show the chart" : "Show the table",
          icon: isTable ? "chart" : "table",
          onChoose: () => setTable(!isTable),
        },
        { label: "CSV", icon: "download", onChoose: () => saveCsv(name, data) },
      ]
    : [];
  return (
    <>
      <header class="tile-head">
        <h2>
          <a href={place}>{name}</a>
        </h2>
        {!isOfTotals(query) && (query.interval ?? "day") !== (own.interval ?? "day") && (
          <span class="caption">by {query.interval}</span>
        )}
        {tools ?? (
          <Menu
            label={`More on ${name}`}
            icon="more"
            isQuiet
            items={[{ label: "Open", icon: "insights", href: place }, ...items]}
          />
        )}
      </header>
      {view.isSet && isOnItsOwn && (
        <p class="caption">{isSql(query) ? "SQL" : "A list"} with its own period and filters</p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keys. */}
      <section class="tile-body" tabIndex={0} aria-label={name}>
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
              />
            )
          }
        </Load>
      </section>
    </>
  );
}

function saveCsv(name: string, answer: Answer): void {
  saveFile(`${name}.csv`, "text/csv", csvOf(rawRows(tableOf(answer))));
}
