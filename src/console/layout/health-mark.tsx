import { useStatus } from "../pages/health/health-page.tsx";
import { explained, isPassing } from "../pages/health/reasons.ts";
import { VERSION } from "../state/base.ts";

/** How often the mark asks whether the server is ready, in milliseconds. */
const EVERY_MS = 30_000;

type Status = ReturnType<typeof useStatus>;

/** The tone of the dot, and its words; both are empty until the server has answered. */
function readiness({ data, problem }: Status): [tone: string, words: string] {
  if (problem?.status === 0) return ["bad", "The server cannot be reached."];
  if (data === undefined) return ["", ""];
  const { ready, reasons } = data.server;
  if (ready) return ["good", "Ready"];
  const words = reasons.map((reason) => explained(reason).sentence).join(" ");
  return [reasons.every(isPassing) ? "warn" : "bad", words];
}

/** A dot that says whether the server does its work, and the version. */
export function HealthMark() {
  const [tone, words] = readiness(useStatus(EVERY_MS));
  return (
    <>
      <span class={`dot ${tone}`} title={words}>
        <span class="off-screen">{words}</span>
      </span>
      <span class="caption">{VERSION}</span>
    </>
  );
}
