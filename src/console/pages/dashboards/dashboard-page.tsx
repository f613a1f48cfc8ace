import { useRef, useState } from "preact/hooks";
import { onlyChanged } from "../../api/conflict.ts";
import { type Loaded, useLoad } from "../../api/load.ts";
import { asProblem, type Problem } from "../../api/problem.ts";
import { may, mayAsk } from "../../api/session.ts";
import { PageHead } from "../../layout/page-head.tsx";
import { href } from "../../state/address.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { FilterEditor, QUERY_OWNERS } from "../../ui/filter-editor.tsx";
import { announce } from "../../ui/live-region.tsx";
import { PeriodChoice } from "../../ui/period/period-picker.tsx";
import { Empty, Load, ProblemNote, Skeleton } from "../../ui/states.tsx";
import type { PageProps } from "../index.ts";
import { CardBox } from "./card.tsx";
import {
  type Change,
  changeDashboard,
  type Dashboard,
  type Edits,
  readDashboard,
} from "./changes.ts";
import { DashboardTools } from "./dashboard-tools.tsx";
import { placed } from "./grid.ts";
import { Online } from "./online.tsx";
import { useView } from "./view.ts";

const ABOVE = { title: "Dashboards", href: "" };

/** A dashboard: tiles on a grid, one period and one filter for all of them. */
export function DashboardPage({ params }: PageProps) {
  const id = params["id"] ?? "";
  const loaded = useLoad(`dashboard ${id}`, (signal) => readDashboard(id, signal));
  if (loaded.data) return <Shown dashboard={loaded.data} loaded={loaded} />;
  return (
    <>
      <PageHead title="Dashboard" above={{ ...ABOVE, href: href("dashboards") }} />
      {loaded.problem?.status === 404 ? (
        <Empty icon="dashboards" title="This dashboard doesn't exist or was deleted">
          <ButtonLink href={href("dashboards", { shown: "deleted" })}>
            Deleted dashboards
          </ButtonLink>
        </Empty>
      ) : (
        <Load of={loaded} skeleton={<Skeleton rows={3} height={136} />}>
          {() => null}
        </Load>
      )}
    </>
  );
}

/** A dashboard as it will be once the places that are sent are kept. */
const withPlaces = (dashboard: Dashboard, { tiles = [] }: Change): Dashboard => ({
  ...dashboard,
  tiles: dashboard.tiles.map((tile) => {
    const sent = tiles.find(({ id }) => id === tile.id);
    return sent?.layouts ? { ...tile, layouts: sent.layouts } : tile;
  }),
});

/** Sends changes of a dashboard one after the other, and shows what the server made of the last. */
function useEdits(
  dashboard: Dashboard,
  loaded: Loaded<Dashboard>,
): Edits & { problem: Problem | undefined } {
  const [problem, setProblem] = useState<Problem>();
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const send = async (change: Change, said = "Saved") => {
    // Places change at once, so that the next change begins from there.
    if (change.tiles?.every(({ layouts }) => layouts))
      loaded.replace(withPlaces(dashboard, change));
    const answer = last.current.then(() =>
      changeDashboard(dashboard.id, onlyChanged(dashboard, change)),
    );
    const settled = answer.catch(() => undefined);
    last.current = settled;
    try {
      const changed = await answer;
      if (last.current === settled) loaded.replace(changed);
      setProblem(undefined);
      announce(said);
    } catch (error) {
      loaded.reload();
      throw error;
    }
  };
  const attempt = async (change: Change, said?: string) => {
    try {
      await send(change, said);
      return true;
    } catch (error) {
      setProblem(asProblem(error));
      return false;
    }
  };
  return { send, attempt, problem };
}

function Shown({ dashboard, loaded }: { dashboard: Dashboard; loaded: Loaded<Dashboard> }) {
  const view = useView(dashboard);
  const [isEdited, setEdited] = useState(false);
  const edits = useEdits(dashboard, loaded);
  const canEdit = may("dashboard:write");
  const cards = placed(dashboard.tiles);
  return (
    <>
      <PageHead
        title={dashboard.name || "Dashboard"}
        above={{ ...ABOVE, href: href("dashboards") }}
        lead={dashboard.description}
      >
        <FilterEditor
          filters={view.filters}
          saved={dashboard.filters["properties"]}
          types={QUERY_OWNERS}
          onChange={view.setFilters}
        />
        {mayAsk() && <Online />}
        <PeriodChoice
          period={view.period}
          onPeriod={view.setPeriod}
          noPeriod={view.noPeriod}
          comparison={{
            value: view.comparison,
            onChange: view.setComparison,
            own: "Each tile's own",
          }}
        />
        {canEdit && (
          <DashboardTools
            dashboard={dashboard}
            view={view}
            isEdited={isEdited}
            onEdit={setEdited}
            edits={edits}
          />
        )}
      </PageHead>
      {edits.problem && <ProblemNote problem={edits.problem} />}
      {cards.length === 0 && <NoTiles />}
      <div class="tiles">
        {cards.map((card, at) => (
          <CardBox
            key={card.tiles[0].id}
            card={card}
            view={view}
            editing={isEdited ? { cards, at, edits } : undefined}
          />
        ))}
      </div>
    </>
  );
}

function NoTiles() {
  return (
    <Empty icon="dashboards" title="This dashboard has no tiles yet">
      <p>Add insights and texts by “Edit”, or save an insight to this dashboard.</p>
      {mayAsk() && <ButtonLink href={href("insights/new")}>Ask a question</ButtonLink>}
    </Empty>
  );
}
