import { useState } from "preact/hooks";
import { BASE } from "../../state/base.ts";
import { project } from "../../state/project.ts";
import { Button } from "../../ui/button.tsx";
import { announce } from "../../ui/live-region.tsx";

/** Sends an event as a sender would: with the project's key, and without the session. */
export function TestEvent() {
  const [result, setResult] = useState("");
  const send = async () => {
    const event = { event: "test event", distinct_id: "console", properties: { $lib: "console" } };
    const response = await fetch(`${BASE}/i/v0/e/`, {
      method: "POST",
      credentials: "omit",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ api_key: project.value?.api_token, ...event }),
    }).catch(() => undefined);
    const text = response?.ok ? "Sent" : `Refused${response ? ` with ${response.status}` : ""}`;
    setResult(text);
    announce(text);
  };
  return (
    <div class="cluster">
      <span class="caption">{result}</span>
      <Button onClick={send}>Send a test event</Button>
    </div>
  );
}
