import { useState } from "preact/hooks";
import { api, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/load.ts";
import { counted, moment, number } from "../../state/format.ts";
import { Choices } from "../../ui/field.tsx";
import { announce } from "../../ui/live-region.tsx";
import { Fact } from "../../ui/properties.tsx";
import { SaveDialog } from "../../ui/save-dialog.tsx";
import { Load, Skeleton } from "../../ui/states.tsx";
import { Places } from "./deletions.tsx";

/** Whose data go. Without a profile there are only events and log records. */
type Subject = { uuid: string; name: string; hasProfile?: boolean };
type Preview = Schemas["DeletionPreview"];

/** A deletion: of a person with its events, of the person alone, or of its events alone. */
export type Removed = "all" | "person" | "events";

const at = (time: string | null) => (time === null ? "never: no job is scheduled" : moment(time));

/** The choices, each with its effect and its time. */
function choicesOf(
  { events, logs, runs_at }: Preview,
  hasProfile: boolean,
): { value: Removed; label: string; hint: string }[] {
  const data = `${counted(events, "event")} and ${counted(logs, "log record")}`;
  const atNight = `${data} are deleted in the nightly job: ${at(runs_at.nightly)}.`;
  if (!hasProfile) return [{ value: "events", label: "All events", hint: atNight }];
  return [
    {
      value: "all",
      label: "Person and all events",
      hint: `Deletes the person now. ${data} are deleted in the weekly job: ${at(runs_at.weekly)}.`,
    },
    {
      value: "events",
      label: "Events only",
      hint: `The person stays. ${atNight}`,
    },
    {
      value: "person",
      label: "Person only",
      hint: "Deletes the person now, with their properties and IDs. Their events stay.",
    },
  ];
}

/** Deletes the chosen parts. Throws a problem if that is refused. */
async function remove(id: string, what: Removed): Promise<void> {
  const asked = { path: { id }, header: { Prefer: "return=representation" } } as const;
  const query = { delete_events: what === "all" };
  if (what === "events") await api.post("persons/{id}/delete_events/", asked);
  else await api.delete("persons/{id}/", { ...asked, query });
}

/** Shows what a deletion would remove, asks which parts, and deletes them. */
export function DeleteDialog(props: {
  person: Subject;
  onDone: (what: Removed) => void;
  onClose: () => void;
}) {
  const { person, onDone, onClose } = props;
  const hasProfile = person.hasProfile !== false;
  const [what, setWhat] = useState<Removed>(hasProfile ? "all" : "events");
  const preview = useLoad(`preview ${person.uuid}`, (signal) =>
    api.get("persons/{id}/deletion_preview/", { path: { id: person.uuid }, signal }),
  );
  const submit = async () => {
    await remove(person.uuid, what);
    announce(what === "events" ? "Deletion scheduled" : `Deleted ${person.name}`);
    onDone(what);
  };
  return (
    <SaveDialog
      title={`Delete ${person.name}`}
      verb="Delete"
      isDanger
      isEarly={preview.data === undefined}
      onSave={submit}
      onClose={onClose}
    >
      <Load of={preview} skeleton={<Skeleton rows={8} height={40} />}>
        {(found) => (
          <div class="stack">
            <Found preview={found} />
            <Choices
              label="Data to delete"
              value={what}
              choices={choicesOf(found, hasProfile)}
              onChange={setWhat}
            />
          </div>
        )}
      </Load>
    </SaveDialog>
  );
}

function Found({ preview }: { preview: Preview }) {
  const { events, logs, warnings, insights_naming } = preview;
  return (
    <div class="properties">
      <dl>
        <Fact name="Events">{number(events)}</Fact>
        <Fact name="Log records">{number(logs)}</Fact>
        <Fact name="Warning samples">{number(warnings)}</Fact>
        <Fact name="Saved items that mention this person (kept)">
          <Places places={insights_naming} />
        </Fact>
      </dl>
    </div>
  );
}
