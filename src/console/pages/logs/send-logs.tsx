import { serverAddress } from "../../state/base.ts";
import { project } from "../../state/project.ts";
import { CodeBlock } from "../../ui/properties.tsx";
import { Empty } from "../../ui/states.tsx";
import { SNIPPETS } from "../start/snippets.ts";

const curl = (key: string, host: string) => `curl ${host}/i/v1/logs \\
  -H "authorization: Bearer ${key}" -H 'content-type: application/json' -d '{"resourceLogs": [{
    "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "shop"}}]},
    "scopeLogs": [{"logRecords": [
      {"severityText": "ERROR", "body": {"stringValue": "payment timeout"}}]}]}]}'`;

/** No log record has arrived: shows how to send some, with the project's key and the server's address. */
export function SendLogs() {
  const at = { key: project.value?.api_token ?? "", host: serverAddress() };
  const otlp = SNIPPETS.find(({ value }) => value === "otlp");
  return (
    <>
      <Empty icon="logs" title="No log records yet">
        <p>Applications send their logs by OTLP, the protocol of OpenTelemetry.</p>
      </Empty>
      <div class="panel-code">
        {otlp?.parts(at).map(({ label, text }) => (
          <div key={label}>
            <p class="caption">{label}</p>
            <CodeBlock text={text} label={label} />
          </div>
        ))}
        <p class="caption">One record from a terminal</p>
        <CodeBlock text={curl(at.key, at.host)} label="One record from a terminal" />
      </div>
    </>
  );
}
