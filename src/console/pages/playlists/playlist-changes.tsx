import { useState } from "preact/hooks";
import { useChange } from "../../api/change.ts";
import { api, type Schemas } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { ProblemNote } from "../../ui/states.tsx";

/** A playlist of session recordings. */
export type Playlist = Schemas["Playlist"];

/** The name of a playlist; a playlist without one is named by its short id. */
export const nameOf = ({ name, derived_name, short_id }: Playlist): string =>
  name || derived_name || `Playlist ${short_id}`;

/** Changes the sent fields of a playlist. Throws a problem if that is refused. */
export function changePlaylist(
  short_id: string,
  body: Schemas["PlaylistFields"],
): Promise<Playlist> {
  return api.patch("session_recording_playlists/{short_id}/", { path: { short_id }, body });
}

/** Makes a playlist. Throws a problem if that is refused. */
export function makePlaylist(body: Schemas["PlaylistDraft"]): Promise<Playlist> {
  return api.post("session_recording_playlists/", { body });
}

type Texts = { name: string; description: string };

/** Asks for the name and the description of a playlist. */
export function PlaylistDialog(props: {
  title: string;
  texts?: Texts;
  onSave: (texts: Texts) => Promise<void>;
  onClose: () => void;
}) {
  const [texts, setTexts] = useState<Texts>(props.texts ?? { name: "", description: "" });
  const { run, isRunning, problem } = useChange();
  const save = (event: Event) => {
    event.preventDefault();
    run(() => props.onSave(texts));
  };
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <form class="stack" onSubmit={save}>
        <Field
          label="Name"
          required
          autofocus
          autocomplete="off"
          value={texts.name}
          onInput={(name) => setTexts({ ...texts, name })}
        />
        <Field
          label="Description"
          autocomplete="off"
          value={texts.description}
          onInput={(description) => setTexts({ ...texts, description })}
        />
        {problem && <ProblemNote problem={problem} />}
        <footer class="actions">
          <Button onClick={props.onClose}>Cancel</Button>
          <Button kind="primary" submit disabled={isRunning}>
            Save
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
