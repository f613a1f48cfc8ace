import { useState } from "preact/hooks";
import type { Schemas } from "../../api/client.ts";
import { moment } from "../../state/format.ts";
import { JsonView } from "../../ui/json-view.tsx";
import { Properties } from "../../ui/properties.tsx";
import { Tabs } from "../../ui/tabs.tsx";

type LogRecord = Schemas["LogRecord"];

const TABS = [
  { value: "attributes", label: "Attributes" },
  { value: "resource", label: "Resource" },
  { value: "json", label: "JSON" },
] as const;

/** An opened log record: its whole body, its attributes, its origin, and the whole of it as JSON. */
export function LogDetail({ record }: { record: LogRecord }) {
  const [tab, setTab] = useState<(typeof TABS)[number]["value"]>("attributes");
  const { body, timestamp, service_name, trace_id, span_id, event_name } = record;
  const ids = { trace_id, span_id, event_name };
  const sent = Object.fromEntries(Object.entries(ids).filter(([, value]) => value !== ""));
  return (
    <div class="event-detail">
      <p class="caption">
        {[record.level, service_name, moment(timestamp)].filter((text) => text !== "").join(" · ")}
      </p>
      <pre class="log-text">{body}</pre>
      <Tabs label="Views of the record" tabs={TABS} value={tab} onChange={setTab}>
        {tab === "attributes" && <Attributes of={{ ...record.attributes, ...sent }} />}
        {tab === "resource" && (
          <Attributes of={{ ...record.resource_attributes, ...scopeOf(record) }} />
        )}
        {tab === "json" && <JsonView value={record} label="The record as JSON" />}
      </Tabs>
    </div>
  );
}

function Attributes({ of }: { of: Record<string, unknown> }) {
  if (Object.keys(of).length === 0) return <p class="caption">None were sent.</p>;
  return <Properties properties={of} />;
}

function scopeOf({ instrumentation_scope }: LogRecord): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(instrumentation_scope).map(([name, value]) => [`scope ${name}`, value]),
  );
}
