import { useId } from "preact/hooks";
import type { Answer } from "../../api/ask.ts";
import { innerQuery, type Line, type Query } from "../../api/query.ts";
import { ChangeMark } from "../../charts/number-tile.tsx";
import { useAddress } from "../../state/address.ts";
import { withUnit } from "../../state/format.ts";
import { panelOf, TabList } from "../../ui/tabs.tsx";
import { unitOf } from "../insights/answer-table.ts";
import { changeOf, datesBefore, lineBefore } from "../insights/changes.ts";
import { directionOf } from "../insights/direction.ts";
import { type Card, isOfNumbers, type Tile } from "./grid.ts";
import { InsightTile, TextTile, type TileInsight } from "./tile.tsx";
import { type Editing, TileTools } from "./tile-tools.tsx";
import { overView, useAnswer, type View } from "./view.ts";

type CardProps = {
  card: Card;
  view: View;
  /** Set while the dashboard is edited. */
  editing: Editing | undefined;
};

/** The shown tile of a card, and a way to choose another. The address has chosen tiles that are not the first of their card. */
function useChosen({ tiles }: Card): [chosen: Tile, choose: (id: string) => void] {
  const { query, set } = useAddress();
  const ids = (query["tabs"] ?? "").split(".").filter((id) => id !== "");
  const chosen = tiles.find(({ id }) => ids.includes(String(id))) ?? tiles[0];
  const choose = (id: string) => {
    const others = ids.filter((one) => tiles.every((tile) => String(tile.id) !== one));
    set({ tabs: [...others, ...(id === String(tiles[0].id) ? [] : [id])].join(".") });
  };
  return [chosen, choose];
}

/** A card of a dashboard: a tile, or tabs of several. Its place and size never depend on its content. */
export function CardBox({ card, view, editing }: CardProps) {
  const { place, tiles } = card;
  const id = useId();
  const [tile, choose] = useChosen(card);
  const tools = editing && <TileTools {...editing} tile={tile} />;
  const hasNumbers = isOfNumbers(card);
  const nameOf = ({ insight }: Tile) => insight?.name ?? "Text";
  const tabs = tiles.length > 1 && (
    <TabList
      id={id}
      class={hasNumbers ? "number-tabs" : "tabs"}
      label={tiles.map(nameOf).join(", ")}
      value={String(tile.id)}
      tabs={tiles.map((one) => ({
        value: String(one.id),
        label:
          hasNumbers && one.insight ? <NumberTab insight={one.insight} view={view} /> : nameOf(one),
      }))}
      onChange={choose}
    />
  );
  const head = tabs && (
    <>
      <h2 class="off-screen">{nameOf(tile)}</h2>
      {!hasNumbers && tabs}
    </>
  );
  const isSmall = place.w <= 4 && place.h <= 2;
  const style = { "--x": place.x + 1, "--y": place.y + 1, "--w": place.w, "--h": place.h };
  return (
    <div class={isSmall ? "panel tile small" : "panel tile"} style={style}>
      {hasNumbers && tabs}
      {tile.insight === null ? (
        <TextTile tile={tile} tools={tools} head={head} />
      ) : (
        <InsightTile
          key={tile.id}
          insight={tile.insight}
          view={view}
          tools={tools}
          head={head || undefined}
          panel={tabs ? panelOf(id, String(tile.id)) : undefined}
          display={hasNumbers ? "ActionsLineGraph" : undefined}
        />
      )}
    </div>
  );
}

/** A number with its name and its change, as the tab that has it drawn over time. */
function NumberTab({ insight, view }: { insight: TileInsight; view: View }) {
  const query = overView(innerQuery(insight.query as Query), view);
  const { data, problem, isSlow } = useAnswer(query, view);
  const line = data?.results.find(({ compare_label }) => compare_label !== "previous");
  const value = line && withUnit(line.aggregated_value, unitOf(line));
  return (
    <span class={isSlow ? "number-tab dimmed" : "number-tab"} title={problem?.message}>
      <span class="number-label">{insight.name}</span>
      <span class="number-value">{`${value ?? (problem ? "–" : "")}\u00a0`}</span>
      <span class="caption change">{data && line && <TabChange answer={data} line={line} />}</span>
    </span>
  );
}

function TabChange({ answer, line }: { answer: Answer; line: Line }) {
  const [change, before] = [changeOf(answer, line), lineBefore(answer, line)?.aggregated_value];
  if (change == null || before == null) return null;
  const unit = unitOf(line);
  const against = datesBefore(answer) ?? "The period before";
  return (
    <span title={`${against}: ${withUnit(before, unit)}`}>
      <ChangeMark change={change} unit={unit} welcome={directionOf(answer.query, line)} />
    </span>
  );
}
