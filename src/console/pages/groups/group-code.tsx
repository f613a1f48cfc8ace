import { serverAddress } from "../../state/base.ts";
import { project } from "../../state/project.ts";
import { CodeBlock } from "../../ui/properties.tsx";
import { Empty } from "../../ui/states.tsx";

/** No group is described: shows the code that describes one, with the project's key and the server's address. */
export function DescribeGroup(props: { title: string; type?: string; groupKey?: string }) {
  const { title, type = "company", groupKey = "acme" } = props;
  const web = `posthog.group(${JSON.stringify(type)}, ${JSON.stringify(groupKey)}, { name: "Acme" });`;
  const body = JSON.stringify({
    api_key: project.value?.api_token ?? "",
    event: "$groupidentify",
    distinct_id: "ann",
    properties: { $group_type: type, $group_key: groupKey, $group_set: { name: "Acme" } },
  });
  const line = `curl ${serverAddress()}/i/v0/e/ -H 'content-type: application/json' \\\n  -d '${body.replaceAll("'", "'\\''")}'`;
  return (
    <>
      <Empty icon="groups" title={title}>
        <p>A group is a company, team or similar. The event $groupidentify describes it.</p>
      </Empty>
      <div class="panel-code">
        <p class="caption">In a page with posthog-js</p>
        <CodeBlock text={web} label="Code for posthog-js" />
        <p class="caption">From a terminal</p>
        <CodeBlock text={line} label="Command for a terminal" />
      </div>
    </>
  );
}
