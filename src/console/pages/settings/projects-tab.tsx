import { useState } from "preact/hooks";
import { useChange } from "../../api/change.ts";
import { api } from "../../api/client.ts";
import { ofRow } from "../../api/conflict.ts";
import type { Problem } from "../../api/problem.ts";
import { loadProjects, may } from "../../api/session.ts";
import { fixed } from "../../api/suggestions.ts";
import { Panel } from "../../layout/page-head.tsx";
import { useAddress } from "../../state/address.ts";
import { day } from "../../state/format.ts";
import { type Project, project, projects } from "../../state/project.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { announce } from "../../ui/live-region.tsx";
import { PickChip } from "../../ui/pick/picker.tsx";
import { SaveDialog } from "../../ui/save-dialog.tsx";
import { ProblemNote } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { ProjectKey } from "./project-key.tsx";

/** The projects that the session may see; a row opens to name, zone and key. */
export function ProjectsTab() {
  const { query, set } = useAddress();
  const [isMaking, setMaking] = useState(false);
  const open = query["open"] ?? String(project.value?.id);
  return (
    <Panel
      isFlush
      title="Projects"
      tools={
        may("project:write") && (
          <Button icon="plus" onClick={() => setMaking(true)}>
            Project
          </Button>
        )
      }
    >
      <Table
        label="Projects"
        columns={COLUMNS}
        rows={projects.value ?? []}
        keyOf={({ id }) => String(id)}
        open={open}
        onOpen={(id) => set({ open: id ?? "none" })}
        detail={(one) => <ProjectDetail of={one} />}
      />
      {isMaking && (
        <NewProject
          onClose={() => setMaking(false)}
          onMade={({ id }) => set({ open: String(id) })}
        />
      )}
    </Panel>
  );
}

const COLUMNS: readonly Column<Project>[] = [
  { key: "name", title: "Project", cell: ({ name }) => name },
  { key: "zone", title: "Time zone", cell: ({ timezone }) => timezone },
  { key: "made", title: "Created", isExtra: true, cell: ({ created_at }) => day(created_at) },
];

function ProjectDetail({ of }: { of: Project }) {
  return (
    <div class="stack form">
      <ProjectForm of={of} />
      <ProjectKey of={of} />
    </div>
  );
}

/** The zones that the browser knows; the server may know more. */
const ZONES = fixed(
  "time zones",
  Intl.supportedValuesOf("timeZone").map((value) => ({ value, label: value })),
);

/** The fields of a project. */
type Draft = { name: string; timezone: string };

function ProjectFields(props: {
  draft: Draft;
  onChange: (draft: Draft) => void;
  problem: Problem | undefined;
}) {
  const { draft, onChange } = props;
  const { attr, message: detail } = props.problem ?? {};
  return (
    <>
      <Field
        label="Name"
        required
        value={draft.name}
        onInput={(name) => onChange({ ...draft, name })}
        problem={attr === "name" ? detail : undefined}
      />
      <div class="field">
        <span class="caption">Time zone</span>
        <PickChip
          label="Time zone"
          text={draft.timezone}
          source={ZONES}
          chosen={[draft.timezone]}
          anyText="Use"
          onChoose={(timezone) => onChange({ ...draft, timezone })}
        />
        <p class={attr === "timezone" ? "caption bad" : "caption"}>
          {attr === "timezone" ? detail : "Sets day and week boundaries, e.g. Europe/Berlin."}
        </p>
      </div>
    </>
  );
}

function ProjectForm({ of: { id, name, timezone } }: { of: Project }) {
  const [draft, setDraft] = useState<Draft>({ name, timezone });
  const { isRunning, problem, run } = useChange();
  const isChanged = draft.name !== name || draft.timezone !== timezone;
  const save = (event: Event) => {
    event.preventDefault();
    run(async () => {
      const path = { project_id: String(id) };
      const body = ofRow({ name, timezone }, { ...draft, timezone: draft.timezone.trim() });
      const saved = await api.patch("/api/projects/{project_id}/", { path, body });
      await loadProjects();
      setDraft({ name: saved.name, timezone: saved.timezone });
      announce("Project saved");
    });
  };
  return (
    <form class="stack" onSubmit={save}>
      <ProjectFields draft={draft} onChange={setDraft} problem={problem} />
      {problem && problem.attr === null && <ProblemNote problem={problem} />}
      {may("project:write") && (
        <div class="cluster">
          <Button kind="primary" submit disabled={!isChanged || isRunning}>
            Save
          </Button>
          {isChanged && <Button onClick={() => setDraft({ name, timezone })}>Reset</Button>}
        </div>
      )}
    </form>
  );
}

function NewProject(props: { onClose: () => void; onMade: (made: Project) => void }) {
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const [draft, setDraft] = useState<Draft>({ name: "", timezone });
  const make = async () => {
    const made = await api.post("/api/projects/", { body: draft });
    await loadProjects();
    announce(`Created ${made.name}`);
    props.onMade(made);
    props.onClose();
  };
  return (
    <SaveDialog
      title="New project"
      verb="Create"
      fields={["name", "timezone"]}
      onSave={make}
      onClose={props.onClose}
    >
      {(problem) => <ProjectFields draft={draft} onChange={setDraft} problem={problem} />}
    </SaveDialog>
  );
}
