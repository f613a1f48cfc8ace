import { useState } from "preact/hooks";
import { useChange } from "../../api/change.ts";
import { api } from "../../api/client.ts";
import { ofRow } from "../../api/conflict.ts";
import { useLoad } from "../../api/load.ts";
import { may } from "../../api/session.ts";
import { PageHead, Panel } from "../../layout/page-head.tsx";
import { href, useAddress } from "../../state/address.ts";
import { moment, number } from "../../state/format.ts";
import { Button } from "../../ui/button.tsx";
import { FIRST_PAGE, ListTable, PartSelect, SearchField, useList } from "../../ui/list.tsx";
import { announce } from "../../ui/live-region.tsx";
import { NameDialog } from "../../ui/save-dialog.tsx";
import { Empty, NothingPasses, ProblemNote } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { changePlaylist, makePlaylist, nameOf, type Playlist } from "./playlist-changes.ts";

const SHOWN = [
  { value: "all", label: "All" },
  { value: "pinned", label: "Pinned" },
  { value: "bin", label: "Bin" },
];

/** The part of the playlists that a choice of the list asks for. */
const PARTS: Record<string, object> = { pinned: { pinned: true }, bin: { deleted: true } };

const WRITE = "session_recording_playlist:write";

/** Playlists of session recordings, the last modified first, with search, pins and a bin. */
export function PlaylistsPage() {
  const { query, set, search, asked } = useList();
  const shown = query["shown"] ?? "all";
  const { run, problem } = useChange();
  const playlists = useLoad(JSON.stringify([shown, asked]), (signal) =>
    api.get("session_recording_playlists/", { query: { ...asked, ...PARTS[shown] }, signal }),
  );
  const change = (playlist: Playlist, body: { pinned?: boolean; deleted?: boolean }) =>
    run(async () => {
      await changePlaylist(playlist.short_id, ofRow(playlist, body));
      announce(`Updated ${nameOf(playlist)}`);
      playlists.reload();
    });
  return (
    <>
      <PageHead
        title="Playlists"
        lead="Lists of session recordings; recordings are not stored here"
      >
        <NewPlaylist />
      </PageHead>
      {problem && <ProblemNote problem={problem} />}
      <Panel isFlush>
        <div class="toolbar">
          <SearchField label="Search playlists" />
          <PartSelect parts={SHOWN} />
        </div>
        <ListTable
          of={playlists}
          label="Playlists"
          columns={columnsOf(change)}
          keyOf={({ short_id }) => short_id}
          none={
            search !== "" || shown === "pinned" ? (
              <NothingPasses onRemove={() => set({ search: "", shown: "", ...FIRST_PAGE })} />
            ) : (
              <Nothing isBin={shown === "bin"} />
            )
          }
        />
      </Panel>
    </>
  );
}

/** A button that makes a playlist, and opens it. */
function NewPlaylist() {
  const { go } = useAddress();
  const [isOpen, setOpen] = useState(false);
  if (!may(WRITE)) return null;
  return (
    <>
      <Button kind="primary" icon="plus" onClick={() => setOpen(true)}>
        New playlist
      </Button>
      {isOpen && (
        <NameDialog
          title="New playlist"
          onSave={async (name, description) => {
            const { short_id } = await makePlaylist({ name, description });
            go(`playlists/${short_id}`);
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

function Nothing({ isBin }: { isBin: boolean }) {
  if (isBin) return <Empty icon="trash" title="The bin is empty" />;
  return (
    <Empty icon="playlists" title="No playlist yet">
      <p>A playlist keeps IDs of session recordings under a name.</p>
      <NewPlaylist />
    </Empty>
  );
}

const columnsOf = (
  change: (playlist: Playlist, body: { pinned?: boolean; deleted?: boolean }) => void,
): Column<Playlist>[] => [
  {
    key: "name",
    title: "Playlist",
    cell: (playlist) =>
      playlist.deleted ? (
        nameOf(playlist)
      ) : (
        <a href={href(`playlists/${playlist.short_id}`)} data-row>
          {nameOf(playlist)}
        </a>
      ),
  },
  {
    key: "recordings",
    title: "Recordings",
    isNumber: true,
    width: "104px",
    isExtra: true,
    cell: ({ recordings_counts }) => number(recordings_counts["collection"]?.["count"]),
  },
  {
    key: "changed",
    title: "Changed",
    width: "176px",
    isExtra: true,
    cell: ({ last_modified_at }) => moment(last_modified_at),
  },
  {
    key: "tools",
    title: "",
    width: "112px",
    isNumber: true,
    cell: (playlist) => {
      if (!may(WRITE)) return playlist.pinned && "Pinned";
      if (playlist.deleted) {
        return <Button onClick={() => change(playlist, { deleted: false })}>Restore</Button>;
      }
      return (
        <Button
          kind="quiet"
          icon="star"
          label={playlist.pinned ? `Pinned: ${nameOf(playlist)}` : `Pin ${nameOf(playlist)}`}
          pressed={playlist.pinned}
          onClick={() => change(playlist, { pinned: !playlist.pinned })}
        />
      );
    },
  },
];
