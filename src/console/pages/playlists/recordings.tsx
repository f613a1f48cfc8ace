import { useState } from "preact/hooks";
import { useChange } from "../../api/change.ts";
import { api } from "../../api/client.ts";
import { useLoad } from "../../api/load.ts";
import { may } from "../../api/session.ts";
import { Panel } from "../../layout/page-head.tsx";
import { href } from "../../state/address.ts";
import { writeFilters } from "../../state/filters.ts";
import { moment } from "../../state/format.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Pager, useList } from "../../ui/list.tsx";
import { announce } from "../../ui/live-region.tsx";
import { Empty, Load, ProblemNote, Skeleton } from "../../ui/states.tsx";
import type { Playlist } from "./playlist-changes.ts";

const ANSWER = { Prefer: "return=representation" } as const;

/** The recordings of a playlist by their ids, each with the events of its session. They can be added and removed. */
export function Recordings(props: { playlist: Playlist; onChange: () => void }) {
  const { short_id, type, recordings_counts } = props.playlist;
  const { asked } = useList();
  const recordings = useLoad(`recordings ${short_id} ${JSON.stringify(asked)}`, (signal) =>
    api.get("session_recording_playlists/{short_id}/recordings/", {
      path: { short_id },
      header: ANSWER,
      query: asked,
      signal,
    }),
  );
  const { run, isRunning, problem } = useChange();
  const canWrite = may("session_recording_playlist:write");
  const change = (method: "post" | "delete", session_recording_id: string) =>
    run(async () => {
      const where = "session_recording_playlists/{short_id}/recordings/{session_recording_id}/";
      const asked = { path: { short_id, session_recording_id }, header: ANSWER };
      await (method === "post" ? api.post(where, asked) : api.delete(where, asked));
      announce(method === "post" ? "Recording added" : "Recording removed");
      recordings.reload();
      props.onChange();
    });
  return (
    <Panel isFlush title="Recordings">
      {canWrite && type === "collection" && (
        <AddRecording isRunning={isRunning} onAdd={(id) => change("post", id)} />
      )}
      {problem && <ProblemNote problem={problem} />}
      <Load of={recordings} skeleton={<Skeleton rows={5} height={48} />}>
        {({ results, next }) => {
          if (results.length === 0) {
            return (
              <Empty icon="playlists" title="No recordings in this playlist">
                <p>Each recording has the ID of a session, the $session_id of events.</p>
              </Empty>
            );
          }
          return (
            <>
              <ul class="rows">
                {results.map(({ id, added_at }) => (
                  <li key={id}>
                    <a class="grow" href={sessionOf(id)} title="The events of this session">
                      <code>{id}</code>
                    </a>
                    <span class="caption">added {moment(added_at)}</span>
                    {canWrite && (
                      <Button
                        kind="quiet"
                        icon="close"
                        label={`Remove ${id}`}
                        disabled={isRunning}
                        onClick={() => change("delete", id)}
                      />
                    )}
                  </li>
                ))}
              </ul>
              <Pager
                shown={results.length}
                count={recordings_counts["collection"]?.["count"] ?? results.length}
                next={next}
              />
            </>
          );
        }}
      </Load>
    </Panel>
  );
}

/** The list of the events of a session. */
const sessionOf = (id: string): string =>
  href("events", {
    period: "90d",
    filters: writeFilters([{ key: "$session_id", operator: "exact", value: id, type: "event" }]),
  });

function AddRecording(props: { isRunning: boolean; onAdd: (id: string) => Promise<void> }) {
  const [id, setId] = useState("");
  const add = async (event: Event) => {
    event.preventDefault();
    if (id.trim() === "") return;
    await props.onAdd(id.trim());
    setId("");
  };
  return (
    <form class="toolbar" onSubmit={add}>
      <Field
        label="Session ID"
        isBare
        autocomplete="off"
        placeholder="Session ID"
        value={id}
        onInput={setId}
      />
      <Button submit disabled={props.isRunning || id.trim() === ""}>
        Add
      </Button>
    </form>
  );
}
