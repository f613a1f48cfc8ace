import { useChange } from "../../api/change.ts";
import { api, type Schemas } from "../../api/client.ts";
import { ofRow } from "../../api/conflict.ts";
import { useLoad } from "../../api/load.ts";
import { innerQuery, type Query } from "../../api/query.ts";
import { may, mayAsk } from "../../api/session.ts";
import { PageHead, Panel } from "../../layout/page-head.tsx";
import { href } from "../../state/address.ts";
import { moment } from "../../state/format.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { FIRST_PAGE, ListTable, PartSelect, SearchField, useList } from "../../ui/list.tsx";
import { Empty, NothingPasses, ProblemNote } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { kindName } from "./query-state.ts";
import { changeInsight } from "./save.tsx";

type Insight = Schemas["Insight"];

const SHOWN = [
  { value: "saved", label: "Saved" },
  { value: "favorited", label: "Favourites" },
  { value: "all", label: "All questions" },
  { value: "deleted", label: "Deleted" },
];

/** Which insights a choice of the list asks for. */
const PARTS: Record<string, object> = {
  saved: { saved: true },
  favorited: { favorited: true },
  deleted: { deleted: true },
};

/** Questions that are saved, the newest first, with search and favourites. */
export function InsightsPage() {
  const { query, set, search, asked } = useList();
  const shown = query["shown"] ?? "saved";
  const insights = useLoad(JSON.stringify([shown, asked]), (signal) =>
    api.get("insights/", { query: { ...asked, ...PARTS[shown] }, signal }),
  );
  const { run, problem } = useChange();
  const change = (insight: Insight, body: Schemas["InsightChange"]) =>
    run(async () => {
      await changeInsight(insight.short_id, ofRow(insight, body));
      insights.reload();
    });
  return (
    <>
      <PageHead title="Insights">
        {mayAsk() && (
          <ButtonLink kind="primary" icon="plus" href={href("insights/new")}>
            New insight
          </ButtonLink>
        )}
      </PageHead>
      {problem && <ProblemNote problem={problem} />}
      <Panel isFlush>
        <div class="toolbar">
          <SearchField label="Search insights" />
          <PartSelect parts={SHOWN} />
        </div>
        <ListTable
          of={insights}
          label="Insights"
          columns={may("insight:write") ? [...COLUMNS, toolsColumn(change)] : COLUMNS}
          keyOf={({ short_id }) => short_id}
          none={
            search !== "" || shown !== "saved" ? (
              <NothingPasses onRemove={() => set({ search: "", shown: "", ...FIRST_PAGE })} />
            ) : (
              <Empty icon="insights" title="No saved insights yet">
                <ButtonLink href={href("insights/new")}>Ask the first question</ButtonLink>
              </Empty>
            )
          }
        />
      </Panel>
    </>
  );
}

const COLUMNS: Column<Insight>[] = [
  {
    key: "name",
    title: "Question",
    cell: ({ short_id, name }) => (
      <a href={href(`insights/${short_id}`)} data-row>
        {name}
      </a>
    ),
  },
  {
    key: "kind",
    title: "Kind",
    width: "120px",
    isExtra: true,
    cell: ({ query }) => kindName(innerQuery(query as Query)),
  },
  {
    key: "changed",
    title: "Changed",
    width: "176px",
    isExtra: true,
    cell: ({ last_modified_at }) => moment(last_modified_at),
  },
];

const toolsColumn = (
  change: (insight: Insight, body: Schemas["InsightChange"]) => void,
): Column<Insight> => ({
  key: "tools",
  title: "",
  width: "112px",
  isNumber: true,
  cell: (insight) =>
    insight.deleted ? (
      <Button onClick={() => change(insight, { deleted: false })}>Restore</Button>
    ) : (
      <Button
        kind="quiet"
        icon="star"
        label={
          insight.favorited ? `Favourite: ${insight.name}` : `Add ${insight.name} to favourites`
        }
        pressed={insight.favorited}
        onClick={() => change(insight, { favorited: !insight.favorited })}
      />
    ),
});
