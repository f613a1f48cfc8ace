import { useState } from "preact/hooks";
import { useChange } from "../../api/change.ts";
import { api, type Schemas } from "../../api/client.ts";
import { may } from "../../api/session.ts";
import { Panel } from "../../layout/page-head.tsx";
import { valueText } from "../../state/format.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { announce } from "../../ui/live-region.tsx";
import { Properties } from "../../ui/properties.tsx";
import { SaveDialog } from "../../ui/save-dialog.tsx";
import { ProblemNote } from "../../ui/states.tsx";

type Person = Schemas["Person"];

const ANSWER = { Prefer: "return=representation" } as const;

/** A value that was typed: numbers, true, false, null and JSON as such, all else as text. */
function typed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The properties of a person; with the scope each can be changed and removed. */
export function PersonProperties(props: { person: Person; onChange: (person: Person) => void }) {
  const { person, onChange } = props;
  const [edited, setEdited] = useState<{ key: string; value: string; isNew?: boolean }>();
  const canWrite = may("person:write");
  const path = { id: String(person.id) };
  const properties = person.properties as Record<string, unknown>;
  const save = async (key: string, value: unknown) => {
    await api.post("persons/{id}/update_property/", { path, header: ANSWER, body: { key, value } });
    announce(`Updated ${key}`);
    onChange({ ...person, properties: { ...properties, [key]: value } });
  };
  const remove = async (key: string) => {
    await api.post("persons/{id}/delete_property/", { path, body: { $unset: key } });
    announce(`Removed ${key}`);
    const { [key]: _, ...rest } = properties;
    onChange({ ...person, properties: rest });
  };
  const actions = (key: string, value: unknown) => (
    <Button
      kind="quiet"
      icon="more"
      label={`Change ${key}`}
      onClick={() => setEdited({ key, value: valueText(value) })}
    />
  );
  return (
    <Panel
      title="Properties"
      tools={
        canWrite && (
          <Button icon="plus" onClick={() => setEdited({ key: "", value: "", isNew: true })}>
            Property
          </Button>
        )
      }
    >
      <Properties properties={properties} {...(canWrite ? { actions } : {})} />
      {edited && (
        <PropertyDialog
          property={edited}
          onSave={save}
          onRemove={edited.isNew ? undefined : remove}
          onClose={() => setEdited(undefined)}
        />
      )}
    </Panel>
  );
}

function PropertyDialog(props: {
  property: { key: string; value: string; isNew?: boolean };
  onSave: (key: string, value: unknown) => Promise<void>;
  onRemove: ((key: string) => Promise<void>) | undefined;
  onClose: () => void;
}) {
  const { onSave, onRemove, onClose } = props;
  const [{ key, value, isNew }, setProperty] = useState(props.property);
  const removal = useChange();
  const remove = onRemove && (() => removal.run(() => onRemove(key).then(onClose)));
  return (
    <SaveDialog
      title={isNew ? "Add a property" : `Change ${key}`}
      onSave={() => onSave(key, typed(value)).then(onClose)}
      onClose={onClose}
      more={
        remove && (
          <Button kind="danger" icon="trash" disabled={removal.isRunning} onClick={remove}>
            Remove
          </Button>
        )
      }
    >
      {isNew && (
        <Field
          label="Name"
          required
          autofocus
          value={key}
          onInput={(name) => setProperty({ key: name, value, isNew })}
        />
      )}
      <Field
        label="Value"
        autofocus={!isNew}
        value={value}
        onInput={(text) => setProperty({ key, value: text, isNew })}
        hint="Numbers, true, false, null and JSON keep their type. Everything else is text."
      />
      {removal.problem && <ProblemNote problem={removal.problem} />}
    </SaveDialog>
  );
}
