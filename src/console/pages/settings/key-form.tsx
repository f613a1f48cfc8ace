import { useState } from "preact/hooks";
import { api, type Schemas } from "../../api/client.ts";
import { Problem } from "../../api/problem.ts";
import { may, soonAfterSignIn } from "../../api/session.ts";
import { projects } from "../../state/project.ts";
import { type Chosen, SCOPES, scopesOf } from "../../state/scopes.ts";
import { Field, Select } from "../../ui/field.tsx";
import { SaveDialog } from "../../ui/save-dialog.tsx";

/** A personal key; the answer that makes it has its value. */
export type PersonalKey = Schemas["PersonalApiKey"];

type Draft = {
  label: string;
  rights: "all" | "read" | "chosen";
  chosen: Chosen;
  /** The id of the only project; empty for all. */
  project: string;
  ends: string;
  day: string;
};

const RIGHTS = [
  { value: "all", label: "Full access" },
  { value: "read", label: "Read only" },
  { value: "chosen", label: "Custom" },
];

const ENDS = [
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "day", label: "On a date" },
  { value: "", label: "Never" },
];

/** The API names the scopes that there are; the form has them already. */
const NO_RIGHT = new Problem(400, { detail: "Choose at least one scope.", attr: "scopes" }, null);

const DAY_MS = 86_400_000;

function endOf({ ends, day }: Draft): string | null {
  if (ends === "") return null;
  if (ends === "day") return new Date(`${day}T00:00:00`).toISOString();
  return new Date(Date.now() + Number(ends) * DAY_MS).toISOString();
}

function bodyOf(draft: Draft): Schemas["PersonalApiKeyDraft"] {
  const { label, rights, chosen, project } = draft;
  const scopes = rights === "all" ? ["*"] : scopesOf(rights === "read" ? readingAll() : chosen);
  const scoped_teams = project === "" ? null : [Number(project)];
  return { label, scopes, scoped_teams, expires_at: endOf(draft) };
}

/** Makes a personal key with a label, its rights, its projects and its end. */
export function NewKey(props: { onMade: (made: PersonalKey) => void; onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>({
    label: "",
    rights: "read",
    chosen: {},
    project: "",
    ends: "365",
    day: "",
  });
  const change = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes });
  const make = async () => {
    const body = bodyOf(draft);
    if (body.scopes.length === 0) throw NO_RIGHT;
    props.onMade(await soonAfterSignIn(() => api.post("/api/personal_api_keys/", { body })));
  };
  return (
    <SaveDialog
      title="New personal API key"
      verb="Create key"
      fields={["label"]}
      onSave={make}
      onClose={props.onClose}
    >
      {(problem) => (
        <>
          <Field
            label="Label"
            required
            autofocus
            placeholder="The app or script that uses it, e.g. ci"
            value={draft.label}
            onInput={(label) => change({ label })}
            problem={problem?.attr === "label" ? problem.message : undefined}
          />
          <Select
            label="Access"
            value={draft.rights}
            choices={RIGHTS.filter(({ value }) => value !== "all" || may("*"))}
            onChange={(rights) => change({ rights: rights as Draft["rights"] })}
          />
          {draft.rights === "chosen" && (
            <ScopeChoice chosen={draft.chosen} onChange={(chosen) => change({ chosen })} />
          )}
          <Select
            label="Limit to projects"
            value={draft.project}
            choices={[
              { value: "", label: "All projects" },
              ...(projects.value ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
            ]}
            onChange={(project) => change({ project })}
          />
          <EndChoice draft={draft} onChange={change} />
        </>
      )}
    </SaveDialog>
  );
}

function EndChoice(props: { draft: Draft; onChange: (changes: Partial<Draft>) => void }) {
  const { draft, onChange } = props;
  return (
    <>
      <Select
        label="Expires"
        value={draft.ends}
        choices={ENDS}
        onChange={(ends) => onChange({ ends })}
      />
      {draft.ends === "day" && (
        <Field
          label="Date"
          type="date"
          required
          value={draft.day}
          onInput={(day) => onChange({ day })}
          hint="The key expires at the start of this day."
        />
      )}
    </>
  );
}

function ScopeChoice(props: { chosen: Chosen; onChange: (chosen: Chosen) => void }) {
  const { chosen, onChange } = props;
  const choose = (object: string, action: string) => {
    const { [object]: _, ...rest } = chosen;
    onChange(action === "" ? rest : { ...rest, [object]: action as "read" | "write" });
  };
  return (
    <fieldset class="scopes">
      <legend>Scopes</legend>
      {!chosen["project"] && (
        <p class="caption">
          To sign in to the console, a key needs “Projects: read”. Without it, it works for the API
          only.
        </p>
      )}
      {SCOPES.map(({ object, title }) => (
        <Select
          key={object}
          label={title}
          value={chosen[object] ?? ""}
          choices={choicesFor(object)}
          onChange={(action) => choose(object, action)}
        />
      ))}
    </fieldset>
  );
}

/** The choices for an object: a key gives no more than it has. */
function choicesFor(object: string): { value: string; label: string }[] {
  return [
    { value: "", label: "No access" },
    ...(may(`${object}:read`) ? [{ value: "read", label: "Read" }] : []),
    ...(may(`${object}:write`) ? [{ value: "write", label: "Read and write" }] : []),
  ];
}

/** Reading everything that the session may read. */
const readingAll = (): Chosen =>
  Object.fromEntries(
    SCOPES.filter(({ object }) => may(`${object}:read`)).map(({ object }) => [object, "read"]),
  );
