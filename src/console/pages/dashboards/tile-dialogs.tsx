import { useId, useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { useLoad } from "../../api/load.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { SaveDialog } from "../../ui/save-dialog.tsx";
import { Load, Skeleton } from "../../ui/states.tsx";

/** Asks for the text of a tile. */
export function TextDialog(props: {
  first: string;
  onSave: (body: string) => Promise<unknown>;
  onClose: () => void;
}) {
  const [body, setBody] = useState(props.first);
  const id = useId();
  return (
    <SaveDialog
      title="Text"
      onSave={() => props.onSave(body).then(props.onClose)}
      onClose={props.onClose}
    >
      <div class="field">
        <label for={id}>Plain text</label>
        <textarea
          id={id}
          required
          rows={6}
          value={body}
          onInput={(event) => setBody(event.currentTarget.value)}
        />
      </div>
    </SaveDialog>
  );
}

/** Insights that are offered at once; the search finds the others. */
const OFFERED = 20;

/** Offers saved insights, each of which becomes a tile by a click. */
export function InsightDialog(props: {
  onAdd: (insight: number, name: string) => void;
  onClose: () => void;
}) {
  const [search, setSearch] = useState("");
  const insights = useLoad(`offered ${search}`, (signal) =>
    api.get("insights/", {
      query: { saved: true, limit: OFFERED, ...(search === "" ? {} : { search }) },
      signal,
    }),
  );
  return (
    <Dialog title="Add an insight" onClose={props.onClose}>
      <Field
        label="Search saved insights"
        type="search"
        autofocus
        autocomplete="off"
        value={search}
        onInput={setSearch}
      />
      <div class="offered">
        <Load of={insights} skeleton={<Skeleton rows={6} height={36} />}>
          {({ results }) =>
            results.length === 0 ? (
              <p class="caption">No saved insight matches.</p>
            ) : (
              <ul>
                {results.map(({ id, name }) => (
                  <li key={id}>
                    <Button kind="quiet" icon="plus" onClick={() => props.onAdd(id, name)}>
                      {name}
                    </Button>
                  </li>
                ))}
              </ul>
            )
          }
        </Load>
      </div>
    </Dialog>
  );
}
