import { useEffect, useState } from "preact/hooks";
import { api, type Schemas } from "../../api/client.ts";
import { usePolled } from "../../api/load.ts";
import { mayAsk } from "../../api/session.ts";
import { Panel } from "../../layout/page-head.tsx";
import { href, useAddress } from "../../state/address.ts";
import { serverAddress } from "../../state/base.ts";
import { duration, moment } from "../../state/format.ts";
import { project } from "../../state/project.ts";
import { ButtonLink, CopyButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { announce } from "../../ui/live-region.tsx";
import { CodeBlock } from "../../ui/properties.tsx";
import { ProblemNote } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Diagnosis } from "./diagnosis.tsx";
import { SNIPPETS } from "./snippets.ts";
import { TestEvent } from "./test-event.tsx";

type Status = Schemas["ProjectStatus"];

/** How often the page asks for the project's status, in milliseconds. */
const EVERY_MS = 2000;

/** Sets a project up: code with its key, the wait for the first event, and why none comes. */
export function Install() {
  const status = usePolled("status", EVERY_MS, (signal) =>
    api.get("/api/projects/{project_id}/status/", { signal }),
  );
  const { data, problem } = status;
  // The line above the code comes with the status. Without it the code would move then.
  const isKnown = data !== undefined || problem !== undefined;
  return (
    <>
      {problem && <ProblemNote problem={problem} onRetry={status.reload} />}
      {isKnown && <Arrival status={data} />}
      {isKnown && <NextSteps isReached={Boolean(data?.first_event_at)} />}
      {isKnown && (
        <Panel title="Send events">
          <Code />
        </Panel>
      )}
      {data && <Diagnosis status={data} />}
    </>
  );
}

/** The line that waits for the first event, and then has it. */
function Arrival({ status }: { status: Status | undefined }) {
  const [since] = useState(() => performance.now());
  const [waited, setWaited] = useState(0);
  const first = status?.first_event_at;
  useEffect(() => {
    if (first) return;
    const timer = setInterval(() => setWaited(performance.now() - since), 1000);
    return () => clearInterval(timer);
  }, [first, since]);
  useEffect(() => {
    if (first && waited > 0) announce("The first event has arrived.");
  }, [first, waited]);
  if (first) {
    return (
      <div class="note good arrival">
        <Icon name="done" />
        <div class="note-text">
          <p>
            The first event arrived on {moment(first)}
            {status?.last_event_at && `, the latest on ${moment(status.last_event_at)}`}.
          </p>
        </div>
        <TestEvent />
      </div>
    );
  }
  return (
    <div class="note arrival">
      <span class="waiting" aria-hidden="true" />
      <div class="note-text">
        <p>
          Waiting for the first event of {project.value?.name}{" "}
          <span class="faint">{duration(waited)}</span>
        </p>
      </div>
      <TestEvent />
    </div>
  );
}

/** The first page of a project with events is its dashboard. */
const STEPS = [
  { path: "", title: "Open the dashboard", icon: "dashboards" },
  { path: "events", title: "See events", icon: "events" },
  { path: "insights/new", title: "Ask a question", icon: "insights" },
  { path: "persons", title: "See people", icon: "persons" },
] as const;

/** They have their place before they can be taken, so that the code stays where it is when the first event comes. */
function NextSteps({ isReached }: { isReached: boolean }) {
  return (
    <div class={isReached ? "cluster next-steps" : "cluster next-steps invisible"}>
      {STEPS.filter(({ path }) => path !== "insights/new" || mayAsk()).map(
        ({ path, title, icon }) => (
          <ButtonLink key={path} href={href(path)} icon={icon}>
            {title}
          </ButtonLink>
        ),
      )}
    </div>
  );
}

/** The code of one language, with the project's key and the server's address filled in. */
function Code() {
  const { query, set } = useAddress();
  const chosen = SNIPPETS.find(({ value }) => value === query["for"]) ?? SNIPPETS[0];
  if (chosen === undefined) return null;
  const key = project.value?.api_token ?? "";
  const host = serverAddress();
  const isLocal = /^(localhost|127\.|\[::1\])/.test(location.hostname);
  return (
    <>
      <dl class="facts">
        <Fact name="Project API key" value={key} />
        <Fact name="Host" value={host} />
      </dl>
      {isLocal && (
        <p class="caption">
          Only this machine can reach this address. For others, start Hoglet with{" "}
          <code>--host 0.0.0.0</code> and <code>--public-url</code>.
        </p>
      )}
      <Tabs
        label="Languages"
        tabs={SNIPPETS}
        value={chosen.value}
        onChange={(value) => set({ for: value })}
      >
        <p>{chosen.about}</p>
        {chosen.parts({ key, host }).map(({ label, text }) => (
          <div key={label}>
            <p class="caption">{label}</p>
            <CodeBlock text={text} label={label} />
          </div>
        ))}
      </Tabs>
    </>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt class="caption">{name}</dt>
      <dd>
        <code class="grow">{value}</code>
        <CopyButton text={value} />
      </dd>
    </div>
  );
}
