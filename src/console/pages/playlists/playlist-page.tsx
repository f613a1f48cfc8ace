import { useState } from "preact/hooks";
import { useChange } from "../../api/change.ts";
import { api } from "../../api/client.ts";
import { onlyChanged } from "../../api/conflict.ts";
import { useLoad } from "../../api/load.ts";
import { may } from "../../api/session.ts";
import { PageHead } from "../../layout/page-head.tsx";
import { href, useAddress } from "../../state/address.ts";
import { moment } from "../../state/format.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { announce } from "../../ui/live-region.tsx";
import { Menu } from "../../ui/menu.tsx";
import { NameDialog } from "../../ui/save-dialog.tsx";
import { Empty, Load, ProblemNote, Skeleton } from "../../ui/states.tsx";
import type { PageProps } from "../index.ts";
import { changePlaylist, nameOf, type Playlist } from "./playlist-changes.ts";
import { Recordings } from "./recordings.tsx";

/** One playlist: its texts, its pin, its recordings, and the way to the bin. */
export function PlaylistPage({ params: { short_id = "" } }: PageProps) {
  const playlist = useLoad(`playlist ${short_id}`, (signal) =>
    api.get("session_recording_playlists/{short_id}/", { path: { short_id }, signal }),
  );
  const { data, problem } = playlist;
  const isGone = problem?.status === 404;
  return (
    <>
      <PageHead
        title={data ? nameOf(data) : "Playlist"}
        above={{ title: "Playlists", href: href("playlists") }}
        lead={data && `Changed ${moment(data.last_modified_at)} by ${data.last_modified_by.email}`}
      >
        {data && may("session_recording_playlist:write") && (
          <Tools playlist={data} onChange={playlist.replace} />
        )}
      </PageHead>
      {isGone ? (
        <Empty icon="playlists" title="This playlist doesn't exist or is in the bin">
          <ButtonLink href={href("playlists", { shown: "bin" })}>Open the bin</ButtonLink>
        </Empty>
      ) : (
        <Load of={playlist} skeleton={<Skeleton rows={6} height={40} />}>
          {(one) => (
            <div class="stack">
              {one.description && <p>{one.description}</p>}
              <Recordings playlist={one} onChange={playlist.reload} />
            </div>
          )}
        </Load>
      )}
    </>
  );
}

function Tools(props: { playlist: Playlist; onChange: (playlist: Playlist) => void }) {
  const { playlist, onChange } = props;
  const { short_id, name, description, pinned } = playlist;
  const { go } = useAddress();
  const [isNaming, setNaming] = useState(false);
  const { run, problem } = useChange();
  const pin = () =>
    run(async () => {
      onChange(await changePlaylist(short_id, { pinned: !pinned }));
      announce(pinned ? "No longer pinned" : "Pinned");
    });
  const toBin = () =>
    run(async () => {
      await changePlaylist(short_id, { deleted: true });
      announce(`${nameOf(playlist)} is in the bin`);
      go("playlists");
    });
  return (
    <>
      {problem && <ProblemNote problem={problem} />}
      <Button
        kind="quiet"
        icon="star"
        label={pinned ? "Pinned" : "Pin"}
        pressed={pinned}
        onClick={pin}
      />
      <Button onClick={() => setNaming(true)}>Rename</Button>
      <Menu
        label="More"
        icon="more"
        isQuiet
        items={[{ label: "Move to the bin", icon: "trash", isDanger: true, onChoose: toBin }]}
      />
      {isNaming && (
        <NameDialog
          title="Rename the playlist"
          name={name ?? ""}
          description={description}
          onSave={async (name, description) => {
            const changes = onlyChanged(playlist, { name, description });
            onChange(await changePlaylist(short_id, changes));
          }}
          onClose={() => setNaming(false)}
        />
      )}
    </>
  );
}
