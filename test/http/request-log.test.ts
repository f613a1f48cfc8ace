import { expect, test } from "bun:test";
import { REFUSALS_PER_MINUTE_MAX, requestLog } from "../../src/http/request-log.ts";
import { openLog } from "../../src/log.ts";

test("refusals are logged by their ids without what may name anybody, so many a minute", () => {
  const lines: string[] = [];
  const clock = { now: 1_000_000 };
  const now = () => clock.now;
  const log = openLog({ format: "json", now, write: (line) => lines.push(line) });
  const logged = requestLog(log, now, ["/api/environments/:project_id/persons/:id/"]);
  const request = new Request(
    "http://localhost/api/environments/1/persons/Ann%40x.y/?search=secret",
  );

  logged({ request, status: 200, requestId: "r-ok" });
  expect(lines).toEqual([]);
  for (let n = 0; n < REFUSALS_PER_MINUTE_MAX + 5; n++) {
    logged({ request, status: 404, requestId: `r-${n}` });
  }
  expect(lines).toHaveLength(REFUSALS_PER_MINUTE_MAX);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    level: "warn",
    request_id: "r-0",
    status: 404,
    method: "GET",
    path: "/api/environments/*/persons/*/",
  });
  clock.now += 60_000;
  logged({ request, status: 503, requestId: "r-last" });
  expect(lines.slice(REFUSALS_PER_MINUTE_MAX).map((line) => JSON.parse(line))).toMatchObject([
    { left_out: 5 },
    { level: "error", request_id: "r-last" },
  ]);
});
