import { useState } from "preact/hooks";
import { api, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/load.ts";
import { may } from "../../api/session.ts";
import { Panel } from "../../layout/page-head.tsx";
import { href } from "../../state/address.ts";
import { counted, moment } from "../../state/format.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { announce } from "../../ui/live-region.tsx";
import { Fact } from "../../ui/properties.tsx";
import { SaveDialog } from "../../ui/save-dialog.tsx";
import { Empty, Load, Skeleton } from "../../ui/states.tsx";

type Person = Schemas["Person"];
type Merge = Schemas["PersonMerge"];

/** Reads a person as it is now. Throws a problem if it cannot be read. */
export function readPerson(id: string, signal?: AbortSignal): Promise<Person> {
  return api.get("persons/{id}/", { path: { id }, signal });
}

/** Reads the merges into a person, the newest first. */
export const readMerges = (id: string, signal: AbortSignal): Promise<Merge[]> =>
  api.get("persons/{id}/merges/", { path: { id }, signal });

/** Merges into a person, the newest first. Each can be undone, after a look at the effect. */
export function Merges(props: { person: Person; onChange: (person: Person) => void }) {
  const { person } = props;
  const [opened, setOpened] = useState<Merge>();
  const merges = useLoad(`merges ${person.uuid}`, (signal) => readMerges(person.uuid, signal));
  return (
    <>
      <Load of={merges} skeleton={<Skeleton rows={3} height={56} />}>
        {(found) =>
          found.length === 0 ? (
            <Empty icon="persons" title="No one was merged into this person">
              <p>
                People merge when an SDK sends $identify or $create_alias. You can undo merges here.
              </p>
            </Empty>
          ) : (
            <Panel isFlush>
              <ul class="rows">
                {found.map((merge) => (
                  <MergeRow key={merge.id} merge={merge} onUndo={() => setOpened(merge)} />
                ))}
              </ul>
            </Panel>
          )
        }
      </Load>
      {opened && (
        <UndoDialog
          person={person}
          merge={opened}
          onUndone={(now) => {
            props.onChange(now);
            merges.reload();
          }}
          onClose={() => setOpened(undefined)}
        />
      )}
    </>
  );
}

function MergeRow({ merge, onUndo }: { merge: Merge; onUndo: () => void }) {
  const { at, source, undoable } = merge;
  return (
    <li>
      <div class="grow">
        <b>{source.name}</b>
        <p class="caption">{source.distinct_ids.join(", ") || "no ID"}</p>
      </div>
      <span class="caption">{at === null ? "date unknown" : moment(at)}</span>
      {undoable && may("person:write") && <Button onClick={onUndo}>Undo…</Button>}
      {!undoable && <span class="caption">Can't be undone on its own</span>}
    </li>
  );
}

function UndoDialog(props: {
  person: Person;
  merge: Merge;
  onUndone: (person: Person) => void;
  onClose: () => void;
}) {
  const { person, merge, onUndone, onClose } = props;
  const { source, distinct_ids_to_split } = merge;
  const [apart, setApart] = useState<readonly Person[]>();
  const undo = async () => {
    await api.post("persons/{id}/split/", {
      path: { id: person.uuid },
      body: { distinct_ids_to_split },
    });
    const both = await Promise.all([readPerson(person.uuid), readPerson(source.uuid)]);
    announce("Merge undone");
    setApart(both);
    onUndone(both[0]);
  };
  if (apart) {
    return (
      <Dialog
        title="Merge undone"
        onClose={onClose}
        actions={
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        }
      >
        <ul class="rows">
          {apart.map((one) => (
            <PersonNow key={one.uuid} person={one} onLeave={onClose} />
          ))}
        </ul>
      </Dialog>
    );
  }
  return (
    <SaveDialog
      title={`Undo the merge of ${source.name}`}
      verb="Undo the merge"
      onSave={undo}
      onClose={onClose}
    >
      <Effect merge={merge} name={person.name} />
    </SaveDialog>
  );
}

/** The effect of undoing a merge. */
function Effect({ merge, name }: { merge: Merge; name: string }) {
  const { source, preview } = merge;
  return (
    <div class="properties">
      <dl>
        <Fact name="Restored person">{source.name}</Fact>
        <Fact name="IDs">{source.distinct_ids.join(", ")}</Fact>
        <Fact name="Events moved back">{counted(preview.events, "event")}</Fact>
        <Fact
          name={
            <>
              Properties removed or reverted on <bdi>{name}</bdi>
            </>
          }
        >
          {preview.gives_back.join(", ") || "none"}
        </Fact>
      </dl>
    </div>
  );
}

function PersonNow({ person, onLeave }: { person: Person; onLeave: () => void }) {
  const { uuid, name, distinct_ids, properties } = person;
  return (
    <li>
      <div class="grow">
        <a href={href(`persons/${uuid}`)} onClick={onLeave}>
          {name}
        </a>
        <p class="caption">{distinct_ids.join(", ")}</p>
      </div>
      <span class="caption">
        {counted(Object.keys(properties).length, "property", "properties")}
      </span>
    </li>
  );
}
