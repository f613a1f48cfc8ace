import { useState } from "preact/hooks";
import type { Answer } from "../../api/ask.ts";
import { useChange } from "../../api/change.ts";
import { api, type Schemas } from "../../api/client.ts";
import { ofRow } from "../../api/conflict.ts";
import { type Loaded, useLoad } from "../../api/load.ts";
import { may } from "../../api/session.ts";
import { type Mark, marksIn } from "../../charts/mark-columns.ts";
import { day } from "../../state/format.ts";
import { zone } from "../../state/project.ts";
import { dayIn, shiftDay } from "../../state/zoned-days.ts";
import { Button } from "../../ui/button.tsx";
import { Field, Select } from "../../ui/field.tsx";
import { announce } from "../../ui/live-region.tsx";
import { SaveDialog } from "../../ui/save-dialog.tsx";
import { ProblemNote } from "../../ui/states.tsx";

type Annotation = Schemas["Annotation"];

/** Annotations that a chart shows. */
const SHOWN = 50;

/** The longest interval, in days. */
const INTERVAL_DAYS_MAX = 31;

/** Annotations that are loaded for an answer. */
export type Annotations = Loaded<Annotation[]> & {
  /** Whether they are to come, so that what stands below them would move. */
  isAwaited: boolean;
};

/**
 * The annotations of the time that an answer is over, without those of other insights; the latest first. Without an
 * answer, nothing is loaded.
 */
export function useAnnotations(
  answer: Answer | undefined,
  insight: number | undefined,
): Annotations {
  const columns = answer?.columns ?? [];
  const [from = "", last = ""] = [columns[0]?.slice(0, 10), columns.at(-1)?.slice(0, 10)];
  const isShown = /^\d{4}-\d{2}-\d{2}$/.test(from) && may("annotation:read");
  const key = isShown ? `annotations ${from} ${last} ${insight}` : null;
  const loaded = useLoad(key, async (signal) => {
    const query = { limit: SHOWN, date_from: from, date_to: shiftDay(last, INTERVAL_DAYS_MAX) };
    const { results } = await api.get("annotations/", { query, signal });
    return results.filter(({ dashboard_item }) => (dashboard_item ?? insight) === insight);
  });
  const isAwaited = isShown && loaded.data === undefined && loaded.problem === undefined;
  return { ...loaded, isAwaited };
}

/** The annotations as marks on the columns of a chart. */
export const marksOf = (columns: readonly string[], annotations: readonly Annotation[]): Mark[] =>
  marksIn(
    columns,
    annotations.map(({ date_marker, content }) => ({ at: date_marker, text: content })),
    zone(),
  );

/** The annotations below a chart, in the order of their numbers, and the ways to make and to remove one. */
export function AnnotationList(props: {
  answer: Answer;
  of: Annotations;
  insight: number | undefined;
}) {
  const { answer, of, insight } = props;
  const [isNew, setNew] = useState(false);
  const { run, problem } = useChange();
  const canWrite = may("annotation:write");
  const shown = (of.data ?? [])
    .filter((one) => marksOf(answer.columns, [one]).length > 0)
    .toSorted((a, b) => a.date_marker.localeCompare(b.date_marker));
  const remove = (annotation: Annotation) =>
    run(async () => {
      const body = ofRow(annotation, { deleted: true });
      await api.patch("annotations/{id}/", { path: { id: annotation.id }, body });
      announce("Removed");
      of.reload();
    });
  return (
    <div class="annotations">
      <ol>
        {shown.map((one) => (
          <li key={one.id}>
            <span class="caption">{day(one.date_marker)}</span> <bdi>{one.content}</bdi>
            {canWrite && (
              <Button
                kind="quiet"
                icon="close"
                label={`Remove the annotation ${one.content}`}
                onClick={() => remove(one)}
              />
            )}
          </li>
        ))}
      </ol>
      {problem && <ProblemNote problem={problem} />}
      {canWrite && (
        <Button kind="quiet" icon="plus" onClick={() => setNew(true)}>
          Annotation
        </Button>
      )}
      {isNew && (
        <NewAnnotation insight={insight} onSaved={of.reload} onClose={() => setNew(false)} />
      )}
    </div>
  );
}

const SCOPES = [
  { value: "project", label: "All charts of the project" },
  { value: "dashboard_item", label: "This insight" },
];

function NewAnnotation(props: {
  insight: number | undefined;
  onSaved: () => void;
  onClose: () => void;
}) {
  const { insight, onSaved, onClose } = props;
  const [content, setContent] = useState("");
  const [date_marker, setDay] = useState(dayIn(new Date(), zone()));
  const [scope, setScope] = useState("project");
  const save = async () => {
    const of =
      scope === "project" || insight === undefined
        ? {}
        : { scope: "dashboard_item" as const, dashboard_item: insight };
    await api.post("annotations/", { body: { content, date_marker, ...of } });
    announce("Saved");
    onSaved();
    onClose();
  };
  return (
    <SaveDialog title="New annotation" onSave={save} onClose={onClose}>
      <Field label="Text" autofocus required value={content} onInput={setContent} />
      <Field label="Day" type="date" required value={date_marker} onInput={setDay} />
      {insight !== undefined && (
        <Select label="Shown on" value={scope} choices={SCOPES} onChange={setScope} />
      )}
    </SaveDialog>
  );
}
