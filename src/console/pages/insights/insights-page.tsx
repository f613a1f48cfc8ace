import { api, read, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/load.ts";
import { PageHead, Panel } from "../../layout/page-head.tsx";
import { href, useAddress } from "../../state/address.ts";
import { moment } from "../../state/format.ts";
import { inProject } from "../../state/project.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Empty, Load, Skeleton } from "../../ui/states.tsx";
import { type Column, Pager, placeOf, readPlace, Table, writePlace } from "../../ui/table.tsx";
import { KINDS } from "./query-state.ts";

type Insight = Schemas["Insight"];

const ROWS = 50;

/** Kept questions, the newest first. */
export function InsightsPage() {
  const { query, set } = useAddress();
  const place = readPlace(query["page"]);
  const insights = useLoad(`insights ${query["page"]}`, (signal) =>
    read(
      api.GET("/api/environments/{project_id}/insights/", {
        params: { path: inProject(), query: { limit: ROWS, ...(place ?? {}) } },
        signal,
      }),
    ),
  );
  return (
    <>
      <PageHead title="Insights">
        <ButtonLink kind="primary" icon="plus" href={href("insights/new")}>
          New insight
        </ButtonLink>
      </PageHead>
      <Panel isFlush>
        <Load of={insights} skeleton={<Skeleton rows={8} height={40} />}>
          {({ results, count, next }) => {
            if (results.length === 0) {
              return (
                <Empty icon="insights" title="No question has been kept yet">
                  <ButtonLink href={href("insights/new")}>Ask the first one</ButtonLink>
                </Empty>
              );
            }
            const following = placeOf(next);
            return (
              <>
                <Table
                  label="Insights"
                  columns={COLUMNS}
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

const COLUMNS: readonly Column<Insight>[] = [
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
    cell: ({ query }) => KINDS.find(({ value }) => value === query["kind"])?.label ?? "SQL",
  },
  {
    key: "made",
    title: "Made",
    width: "176px",
    cell: ({ created_at }) => moment(created_at),
  },
];
