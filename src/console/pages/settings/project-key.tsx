import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { loadProjects, may } from "../../api/session.ts";
import { moment } from "../../state/format.ts";
import type { Project } from "../../state/project.ts";
import { Button, CopyButton } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { announce } from "../../ui/live-region.tsx";
import { SaveDialog } from "../../ui/save-dialog.tsx";

/** The public key of a project, its former keys that still count, and how to replace it. */
export function ProjectKey({ of }: { of: Project }) {
  const [isResetting, setResetting] = useState(false);
  return (
    <div class="stack tight">
      <h3>Project API key</h3>
      <div class="cluster">
        <code class="key">{of.api_token}</code>
        <CopyButton text={of.api_token} />
        {may("project:write") && <Button onClick={() => setResetting(true)}>New key…</Button>}
      </div>
      <p class="caption">Your site or app sends events with it. It's public: it can't read data.</p>
      {of.former_api_tokens.map(({ api_token, ends_at }) => (
        <p class="caption" key={api_token}>
          The previous key <code class="key">{api_token}</code> works until {moment(ends_at)}.
        </p>
      ))}
      {isResetting && <ResetDialog of={of} onClose={() => setResetting(false)} />}
    </div>
  );
}

function ResetDialog({ of, onClose }: { of: Project; onClose: () => void }) {
  const [hours, setHours] = useState("24");
  const reset = async () => {
    const path = { project_id: String(of.id) };
    const body = { grace_hours: Number(hours) };
    await api.patch("/api/projects/{project_id}/reset_token/", { path, body });
    await loadProjects();
    announce("New project API key");
    onClose();
  };
  return (
    <SaveDialog
      title={`Replace the API key of ${of.name}?`}
      verb="Replace key"
      isDanger
      fields={["grace_hours"]}
      onSave={reset}
      onClose={onClose}
    >
      {(problem) => (
        <>
          <p>Update your site or app with the new key before the old one stops working.</p>
          <Field
            label="Keep the old key working for (hours)"
            type="number"
            min="0"
            max="8760"
            required
            autofocus
            value={hours}
            onInput={setHours}
            hint="With 0, the old key and all previous ones stop working immediately."
            problem={problem?.attr === "grace_hours" ? problem.message : undefined}
          />
        </>
      )}
    </SaveDialog>
  );
}
