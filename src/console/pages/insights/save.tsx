import { useState } from "preact/hooks";
import { api, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/load.ts";
import { asProblem, type Problem } from "../../api/problem.ts";
import type { Query } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import { offerUndo } from "../../layout/toast.tsx";
import { useAddress } from "../../state/address.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/field.tsx";
import { useKeys } from "../../ui/keys.ts";
import { announce } from "../../ui/live-region.tsx";
import { Menu } from "../../ui/menu.tsx";
import { NameDialog, SaveDialog } from "../../ui/save-dialog.tsx";
import { ProblemNote } from "../../ui/states.tsx";

type Insight = Schemas["Insight"];

/** Changes an insight. Throws a problem if that is refused. */
export function changeInsight(shortId: string, body: Schemas["InsightChange"]): Promise<Insight> {
  return api.patch("insights/{short_id}/", { path: { short_id: shortId }, body });
}

/** Saves a question under a name. Throws a problem if that is refused. */
function createInsight(body: Schemas["InsightSaved"]): Promise<Insight> {
  return api.post("insights/", { body });
}

type SaveProps = {
  /** The insight that is open; undefined for a new question. */
  insight: Insight | undefined;
  query: Query;
  /** The name that is offered for a new one: the words that were typed, if it came from words. */
  name: string;
  /** The reason why the question cannot be saved; undefined without one. */
  missing: string | undefined;
  /** Whether the question is not whole, or its words are not read yet. */
  isOpen: boolean;
  onChange: (insight: Insight) => void;
};

/** Saving, resetting and all else that can be done with an insight. Asking alone never saves. */
export function SaveTools({ insight, query, name, missing, isOpen, onChange }: SaveProps) {
  const { set, go } = useAddress();
  const [isNaming, setNaming] = useState(false);
  const [isAdding, setAdding] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const isChanged = insight && JSON.stringify(insight.query) !== JSON.stringify(query);
  const attempt = (change: Promise<Insight>, then: (changed: Insight) => void) =>
    change.then(then, (error: unknown) => setProblem(asProblem(error)));
  const save = () => {
    if (isOpen) return;
    if (insight === undefined || !insight.saved) return setNaming(true);
    if (!isChanged) return;
    attempt(changeInsight(insight.short_id, { query }), (changed) => {
      announce("Saved");
      onChange(changed);
      set({ q: "" });
    });
  };
  const removed = ({ short_id, name }: Insight) => {
    go("insights");
    offerUndo(`Deleted ${name}`, async () => {
      await changeInsight(short_id, { deleted: false });
      go(`insights/${short_id}`);
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
          label={insight.favorited ? "Favourite" : "Add to favourites"}
          pressed={insight.favorited}
          onClick={() => change({ favorited: !insight.favorited })}
        />
      )}
      {missing && <span class="off-screen">{missing}</span>}
      <Button kind="primary" disabled={isOpen || (insight?.saved && !isChanged)} onClick={save}>
        Save
      </Button>
      {insight && (
        <Menu
          label="More"
          icon="more"
          isQuiet
          items={[
            ...(isOpen ? [] : [{ label: "Save as…", onChoose: () => setNaming(true) }]),
            { label: "Add to a dashboard…", onChoose: () => setAdding(true) },
            {
              label: "Delete",
              isDanger: true,
              onChoose: () => attempt(changeInsight(insight.short_id, { deleted: true }), removed),
            },
          ]}
        />
      )}
      {problem && <ProblemNote problem={problem} />}
      {isAdding && insight && (
        <AddDialog insight={insight} onDone={onChange} onClose={() => setAdding(false)} />
      )}
      {isNaming && (
        <SaveAsDialog
          name={name}
          query={query}
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
        <SaveAsDialog
          name={name}
          query={query}
          onDone={({ short_id }) => go(`insights/${short_id}`)}
          onClose={() => setNaming(false)}
        />
      )}
    </>
  );
}

/** The choice of a dashboard, for sessions that may read them. */
function DashboardChoice(props: { value: string; none?: string; onChange: (id: string) => void }) {
  const { value, none, onChange } = props;
  const dashboards = useLoad(may("dashboard:read") ? "dashboards" : null, (signal) =>
    api.get("dashboards/", { query: { limit: 100 }, signal }),
  );
  const offered = dashboards.data?.results ?? [];
  if (offered.length === 0) return none ? null : <p>There is no dashboard yet.</p>;
  const choices = offered.map(({ id, name }) => ({ value: String(id), label: name }));
  return (
    <Select
      label="Add to a dashboard"
      value={value}
      choices={[{ value: "", label: none ?? "Choose" }, ...choices]}
      onChange={onChange}
    />
  );
}

/** Adds a saved insight to a dashboard. */
function AddDialog(props: {
  insight: Insight;
  onDone: (insight: Insight) => void;
  onClose: () => void;
}) {
  const { short_id, dashboards } = props.insight;
  const [dashboard, setDashboard] = useState("");
  const save = async () => {
    if (dashboard === "") return props.onClose();
    const all = [...new Set([...dashboards, Number(dashboard)])];
    props.onDone(await changeInsight(short_id, { dashboards: all }));
    announce("Added to the dashboard");
    props.onClose();
  };
  return (
    <SaveDialog title="Add to a dashboard" onSave={save} onClose={props.onClose}>
      <DashboardChoice value={dashboard} onChange={setDashboard} />
    </SaveDialog>
  );
}

/** Asks for a name, and for a dashboard that the new insight is added to. */
function SaveAsDialog(props: {
  name: string;
  query: Query;
  onDone: (insight: Insight) => void;
  onClose: () => void;
}) {
  const [dashboard, setDashboard] = useState("");
  const save = async (name: string, description: string) => {
    const added = dashboard === "" ? {} : { dashboards: [Number(dashboard)] };
    props.onDone(await createInsight({ name, description, query: props.query, ...added }));
  };
  return (
    <NameDialog title="Save the question" name={props.name} onSave={save} onClose={props.onClose}>
      <DashboardChoice value={dashboard} none="None" onChange={setDashboard} />
    </NameDialog>
  );
}
