import type { Schemas } from "../../api/client.ts";
import { type Loaded, useLoad } from "../../api/load.ts";
import { PageHead, Panel } from "../../layout/page-head.tsx";
import { useAddress } from "../../state/address.ts";
import { bucket, clock, day, shortTime } from "../../state/format.ts";
import { labelOf } from "../../state/period.ts";
import { zone } from "../../state/project.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/field.tsx";
import { Icon } from "../../ui/icon.tsx";
import { FIRST_PAGE, ListTable, SearchField } from "../../ui/list.tsx";
import { PeriodPicker, usePeriod } from "../../ui/period/period-picker.tsx";
import { Load, NothingInPeriod, NothingPasses, Skeleton } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { LogDetail } from "./log-detail.tsx";
import { LogHistogram } from "./log-histogram.tsx";
import {
  type Histogram,
  isFiltered,
  LEVELS,
  type LogsAsked,
  PERIOD,
  readHistogram,
  readLatest,
  readLogs,
  readServices,
  useLogsAsked,
} from "./log-query.ts";
import { SendLogs } from "./send-logs.tsx";

type LogRecord = Schemas["LogRecord"];

/** Log records, the latest first, with their number over time; a row opens in place. */
export function LogsPage() {
  const { set } = useAddress();
  const asked = useLogsAsked();
  const { place: _, at: _at, ...ofHistogram } = asked;
  const histogram = useLoad(`histogram ${JSON.stringify(ofHistogram)}`, (signal) =>
    readHistogram(asked, signal),
  );
  return (
    <>
      <PageHead title="Logs" lead={`Times in ${zone()}`}>
        <PeriodPicker fallback={PERIOD} />
      </PageHead>
      {histogram.data?.length !== 0 && (
        <Panel>
          <Load of={histogram} skeleton={<Skeleton rows={1} height={188} />}>
            {(found) => (
              <LogHistogram
                histogram={found}
                period={asked.period}
                onPick={(at) => set({ at, ...FIRST_PAGE })}
              />
            )}
          </Load>
        </Panel>
      )}
      {/* Without records there is no chart: until that is known, the list would move. */}
      <div class={histogram.data || histogram.problem ? undefined : "invisible"}>
        <Panel isFlush>
          <Toolbar asked={asked} />
          <LogList asked={asked} histogram={histogram} />
        </Panel>
      </div>
    </>
  );
}

function Toolbar({ asked }: { asked: LogsAsked }) {
  const { set } = useAddress();
  const { period, levels, service, at } = asked;
  const services = useLoad(`services ${period}`, (signal) => readServices(period, signal));
  const names = [...new Set([...(services.data ?? []), ...(service === "" ? [] : [service])])];
  const toggle = (level: string) => {
    const next = levels.includes(level)
      ? levels.filter((one) => one !== level)
      : [...levels, level];
    set({ level: next.join(","), ...FIRST_PAGE });
  };
  return (
    <div class="toolbar">
      <SearchField label="Search logs" placeholder="Part of the message" />
      <Select
        label="Service"
        isBare
        value={service}
        choices={[
          { value: "", label: "All services" },
          ...names.map((name) => ({ value: name, label: name })),
        ]}
        onChange={(name) => set({ service: name, ...FIRST_PAGE })}
      />
      <fieldset class="cluster tight" aria-label="Levels">
        {LEVELS.map((level) => (
          <Button
            key={level}
            kind="quiet"
            pressed={levels.includes(level)}
            onClick={() => toggle(level)}
          >
            {level}
          </Button>
        ))}
      </fieldset>
      {at !== "" && (
        <span class="chip">
          <button type="button" onClick={() => set({ at: "", ...FIRST_PAGE })}>
            {`from ${bucket(at)}`}
            <Icon name="close" />
            <span class="off-screen">Clear time selection</span>
          </button>
        </span>
      )}
    </div>
  );
}

/** How many records the list has on all its pages; undefined while that is not known. */
function totalOf(histogram: Histogram | undefined, at: string): number | undefined {
  return histogram
    ?.filter((one) => at === "" || one.at === at)
    .reduce((sum, { count }) => sum + count, 0);
}

function LogList(props: { asked: LogsAsked; histogram: Loaded<Histogram> }) {
  const { asked, histogram } = props;
  const { set } = useAddress();
  const logs = useLoad(`logs ${JSON.stringify(asked)}`, (signal) => readLogs(asked, signal));
  const page = logs.data && { ...logs.data, count: totalOf(histogram.data, asked.at) };
  const none = { level: "", service: "", search: "", at: "", ...FIRST_PAGE };
  return (
    <ListTable
      of={{ ...logs, data: page }}
      label="Log records"
      columns={COLUMNS}
      keyOf={({ uuid }) => uuid}
      detail={(record) => <LogDetail record={record} />}
      none={
        isFiltered(asked) ? (
          <NothingPasses onRemove={() => set(none)} />
        ) : (
          <NoLogs period={asked.period} />
        )
      }
    />
  );
}

/** Nothing in the period, or nothing ever: the latest record of all says which. */
function NoLogs({ period }: { period: string }) {
  const { setPeriod } = usePeriod(PERIOD);
  const latest = useLoad("latest log", async (signal) => ({ at: await readLatest(signal) }));
  return (
    <Load of={latest} skeleton={<Skeleton rows={4} height={40} />}>
      {({ at }) => {
        if (at === null) return <SendLogs />;
        const nearest = at.slice(0, 10);
        return (
          <NothingInPeriod
            period={labelOf(period, new Date())}
            nearest={day(at)}
            onShow={() => setPeriod(`${nearest}..${nearest}`)}
          />
        );
      }}
    </Load>
  );
}

const COLUMNS: readonly Column<LogRecord>[] = [
  {
    key: "body",
    title: "Record",
    cell: ({ level, body }) => (
      <span class="log-line">
        <b class={`level ${level}`}>{level}</b> <bdi>{body.slice(0, 300)}</bdi>
      </span>
    ),
  },
  {
    key: "service",
    title: "Service",
    width: "144px",
    isExtra: true,
    cell: ({ service_name }) => service_name,
  },
  {
    key: "time",
    title: "Time",
    width: "152px",
    cell: ({ timestamp }) => (
      <time dateTime={timestamp} title={`${day(timestamp)} ${clock(timestamp)}`}>
        {shortTime(timestamp)}
      </time>
    ),
  },
];
