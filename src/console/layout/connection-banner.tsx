import { useEffect, useState } from "preact/hooks";
import { request } from "../api/client.ts";
import { away } from "../api/connection.ts";
import { clock } from "../state/format.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";

/** The pauses between tries to reach the server, in seconds; the last one repeats. */
const PAUSES_S = [1, 2, 4, 8] as const;

/** Says that the server cannot be reached, and tries again until it answers. */
export function ConnectionBanner() {
  const [tries, setTries] = useState(0);
  const since = away.value?.since;
  const isAway = since !== undefined;
  const attempt = () => {
    const tried = () => setTries((last) => last + 1);
    // An answer ends the banner, and has each part of the page load again.
    request("GET", "/console/api/session/").then(tried, tried);
  };
  useEffect(() => {
    if (!isAway) return setTries(0);
    const timer = setTimeout(attempt, (PAUSES_S[tries] ?? 8) * 1000);
    addEventListener("online", attempt);
    return () => {
      clearTimeout(timer);
      removeEventListener("online", attempt);
    };
  }, [isAway, tries]);
  if (!isAway) return null;
  return (
    <div class="note bad connection" role="alert">
      <Icon name="warning" />
      <p class="note-text">
        Can't reach the server. This page shows what it had at{" "}
        {clock(new Date(since).toISOString())}, and updates by itself when the server answers.
      </p>
      <Button icon="refresh" onClick={attempt}>
        Try again
      </Button>
    </div>
  );
}
