import { useState } from "preact/hooks";
import type { Query } from "../../api/ask.ts";
import { api, read, type Schemas } from "../../api/client.ts";
import { asProblem, type Problem } from "../../api/problem.ts";
import { may } from "../../api/session.ts";
import { useAddress } from "../../state/address.ts";
import { inProject } from "../../state/project.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { useKeys } from "../../ui/keys.ts";
import { announce } from "../../ui/live-region.tsx";
import { Menu } from "../../ui/menu.tsx";
import { ProblemNote } from "../../ui/states.tsx";

type Insight = Schemas["Insight"];

/** Changes an insight. Throws a problem if that is refused. */
export function changeInsight(shortId: string, body: Schemas["InsightChange"]): Promise<Insight> {
  return read(
    api.PATCH("/api/environments/{project_id}/insights/{short_id}/", {
      params: { path: { ...inProject(), short_id: shortId } },
      body,
    }),
  );
}

/** Saves a question under a name. Throws a problem if that is refused. */
function createInsight(name: string, description: string, query: Query): Promise<Insight> {
  return read(
    api.POST("/api/environments/{project_id}/insights/", {
      params: { path: inProject() },
      body: { name, description, query },
    }),
  );
}

type SaveProps = {
  /** The insight that is open; undefined for a new question. */
  insight: Insight | undefined;
  query: Query;
  /** A name for a new one. */
  sentence: string;
  onChange: (insight: Insight) => void;
};

/** Saving, resetting and all else that can be done with an insight. Asking alone never saves. */
export function SaveTools({ insight, query, sentence, onChange }: SaveProps) {
  const { set, go } = useAddress();
  const [isNaming, setNaming] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const isChanged = insight && JSON.stringify(insight.query) !== JSON.stringify(query);
  const attempt = (change: Promise<Insight>, then: (changed: Insight) => void) =>
    change.then(then, (error: unknown) => setProblem(asProblem(error)));
  const save = () => {
    if (insight === undefined || !insight.saved) return setNaming(true);
    if (!isChanged) return;
    attempt(changeInsight(insight.short_id, { query }), (changed) => {
      announce("Saved");
      onChange(changed);
      set({ q: "" });
    });
  };
  useKeys({ "Ctrl+s": save });
  if (!may("insight:write")) return null;
  const change = (body: Schemas["InsightChange"]) =>
    insight && attempt(changeInsight(insight.short_id, body), onChange);
  return (
    <>
      {isChanged && insight.saved && <Button onClick={() => set({ q: "" })}>Reset</Button>}
      {insight && (
        <Button
          kind="quiet"
          icon="star"
          label={insight.favorited ? "Favourite" : "Make a favourite"}
          pressed={insight.favorited}
          onClick={() => change({ favorited: !insight.favorited })}
        />
      )}
      <Button kind="primary" disabled={insight?.saved && !isChanged} onClick={save}>
        Save
      </Button>
      {insight && (
        <Menu
          label="More"
          icon="more"
          isQuiet
          items={[
            { label: "Save as…", onChoose: () => setNaming(true) },
            {
              label: "Delete",
              isDanger: true,
              onChoose: () =>
                attempt(changeInsight(insight.short_id, { deleted: true }), () => go("insights")),
            },
          ]}
        />
      )}
      {problem && <ProblemNote problem={problem} />}
      {isNaming && (
        <NameDialog
          first={insight?.name ?? sentence}
          onSave={(name, description) => createInsight(name, description, query)}
          onDone={({ short_id }) => go(`insights/${short_id}`)}
          onClose={() => setNaming(false)}
        />
      )}
    </>
  );
}

/** Saves a query as a new insight, under a name that it asks for. */
export function SaveQuery({ query, name }: { query: Query; name: string }) {
  const { go } = useAddress();
  const [isNaming, setNaming] = useState(false);
  if (!may("insight:write")) return null;
  return (
    <>
      <Button onClick={() => setNaming(true)}>Save</Button>
      {isNaming && (
        <NameDialog
          first={name}
          onSave={(chosen, description) => createInsight(chosen, description, query)}
          onDone={({ short_id }) => go(`insights/${short_id}`)}
          onClose={() => setNaming(false)}
        />
      )}
    </>
  );
}

function NameDialog(props: {
  first: string;
  onSave: (name: string, description: string) => Promise<Insight>;
  onDone: (insight: Insight) => void;
  onClose: () => void;
}) {
  const [name, setName] = useState(props.first);
  const [description, setDescription] = useState("");
  const [problem, setProblem] = useState<Problem>();
  const submit = async (event: Event) => {
    event.preventDefault();
    try {
      const saved = await props.onSave(name, description);
      props.onClose();
      props.onDone(saved);
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  return (
    <Dialog title="Save the question" onClose={props.onClose}>
      <form class="stack" onSubmit={submit}>
        <Field label="Name" autofocus required value={name} onInput={setName} />
        <Field label="Description" value={description} onInput={setDescription} />
        {problem && <ProblemNote problem={problem} />}
        <footer class="actions">
          <Button onClick={props.onClose}>Cancel</Button>
          <Button kind="primary" submit>
            Save
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
