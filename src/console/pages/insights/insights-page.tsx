import { api, read, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/load.ts";
import { PageHead, Panel } from "../../layout/page-head.tsx";
import { href, useAddress } from "../../state/address.ts";
import { moment } from "../../state/format.ts";
import { inProject } from "../../state/project.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Field, Select } from "../../ui/field.tsx";
import { Empty, Load, NothingPasses, Skeleton } from "../../ui/states.tsx";
import { type Column, Pager, placeOf, readPlace, Table, writePlace } from "../../ui/table.tsx";
import { KINDS } from "./query-state.ts";
import { changeInsight } from "./save.tsx";

type Insight = Schemas["Insight"];

const ROWS = 50;

const SHOWN = [
  { value: "saved", label: "Saved" },
  { value: "favorited", label: "Favourites" },
  { value: "all", label: "All that was asked" },
  { value: "deleted", label: "Deleted" },
];

/** Which insights a choice of the list asks for. */
const asked: Record<string, object> = {
  saved: { saved: true },
  favorited: { favorited: true },
  deleted: { deleted: true },
};

/** Questions that are saved, the newest first, with search and favourites. */
export function InsightsPage() {
  const { query, set } = useAddress();
  const place = readPlace(query["page"]);
  const search = query["search"] ?? "";
  const shown = query["shown"] ?? "saved";
  const insights = useLoad(JSON.stringify([query["page"], search, shown]), (signal) =>
    read(
      api.GET("/api/environments/{project_id}/insights/", {
        params: {
          path: inProject(),
          query: {
            limit: ROWS,
            ...(search === "" ? {} : { search }),
            ...asked[shown],
            ...(place ?? {}),
          },
        },
        signal,
      }),
    ),
  );
  const change = async (insight: Insight, body: Schemas["InsightChange"]) => {
    await changeInsight(insight.short_id, body);
    insights.reload();
  };
  return (
    <>
      <PageHead title="Insights">
        <ButtonLink kind="primary" icon="plus" href={href("insights/new")}>
          New insight
        </ButtonLink>
      </PageHead>
      <Panel isFlush>
        <div class="toolbar">
          <Field
            label="Search insights"
            isBare
            type="search"
            placeholder="Search"
            value={search}
            onInput={(text) => set({ search: text, page: "" })}
          />
          <Select
            label="Shown"
            isBare
            value={shown}
            choices={SHOWN}
            onChange={(value) => set({ shown: value === "saved" ? "" : value, page: "" })}
          />
        </div>
        <Load of={insights} skeleton={<Skeleton rows={8} height={40} />}>
          {({ results, count, next }) => {
            if (results.length === 0 && (search !== "" || shown !== "saved")) {
              return <NothingPasses onRemove={() => set({ search: "", shown: "", page: "" })} />;
            }
            if (results.length === 0) {
              return (
                <Empty icon="insights" title="No insight is saved yet">
                  <ButtonLink href={href("insights/new")}>Ask the first question</ButtonLink>
                </Empty>
              );
            }
            const following = placeOf(next);
            return (
              <>
                <Table
                  label="Insights"
                  columns={columnsOf(change)}
                  rows={results}
                  keyOf={({ short_id }) => short_id}
                />
                <Pager
                  offset={place?.offset ?? 0}
                  shown={results.length}
                  count={count}
                  onFirst={() => set({ page: "" }, { push: true })}
                  onNext={following && (() => set({ page: writePlace(following) }, { push: true }))}
                />
              </>
            );
          }}
        </Load>
      </Panel>
    </>
  );
}

const columnsOf = (
  change: (insight: Insight, body: Schemas["InsightChange"]) => void,
): Column<Insight>[] => [
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
    cell: ({ query }) => KINDS.find(({ value }) => value === query["kind"])?.label ?? "Question",
  },
  {
    key: "changed",
    title: "Changed",
    width: "176px",
    isExtra: true,
    cell: ({ last_modified_at }) => moment(last_modified_at),
  },
  {
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
          label={insight.favorited ? `Favourite: ${insight.name}` : `Favour ${insight.name}`}
          pressed={insight.favorited}
          onClick={() => change(insight, { favorited: !insight.favorited })}
        />
      ),
  },
];
