import type { Projects } from "../access/projects.ts";
import type {
  AnnotationFilter,
  AnnotationKeys,
  AnnotationPlace,
  AnnotationReads,
  AnnotationWrites,
} from "../ports/annotations.ts";
import { Failure } from "../values/failure.ts";
import { isLonger, storableText } from "../values/json.ts";
import { cursorPage, type Page, type PageQuery } from "../values/page.ts";
import { type Clock, isoTime } from "../values/time.ts";
import { type Moment, type TimeSpan, zonedSpan } from "../values/zoned-time.ts";
import {
  ANNOTATION_CHARS_MAX,
  ANNOTATION_SCOPES,
  type Annotation,
  type AnnotationScope,
} from "./annotation.ts";

/** The fields of an annotation as they are sent. */
export type SentAnnotation = {
  content?: string | undefined;
  /** ISO 8601, or an age such as `-1d`. A time without a zone is on the clock of the project. */
  date_marker?: string | undefined;
  scope?: string | undefined;
  dashboard_item?: number | null | undefined;
  deleted?: boolean | undefined;
};

/** A request for a list of annotations, as it was sent. */
export type AnnotationQuery = Pick<AnnotationFilter, "dashboard_item" | "deleted"> & {
  scope?: string | undefined;
  /** The first and the last time of `date_marker`, as `date_marker` is sent; both inclusive. */
  date_from?: string | undefined;
  date_to?: string | undefined;
};

/** Annotations of a project. */
export type Annotations = {
  /**
   * The latest `date_marker` first. `url` is the public address of the request, for links. Fails `invalid_input` and
   * `invalid_choice`.
   */
  list(
    project: number,
    asked: AnnotationQuery,
    query: PageQuery,
    url: URL,
  ): Promise<Page<Annotation>>;
  /** Fails `not_found`, also for a deleted one. */
  get(place: AnnotationPlace): Promise<Annotation>;
  /**
   * `user` is the id of its author. It is of the time of the request unless `date_marker` is sent. Fails `required`,
   * `invalid_input`, `invalid_choice` and `too_long`.
   */
  create(project: number, user: number, sent: SentAnnotation): Promise<Annotation>;
  /** Changes the sent fields, also of a deleted annotation. Fails `not_found`, and as `create` does. */
  change(place: AnnotationPlace, sent: SentAnnotation): Promise<Annotation>;
};

type Needs = {
  reads: AnnotationReads;
  writes: AnnotationWrites;
  projects: Pick<Projects, "get">;
  now: Clock;
};

/** Annotations in the store. */
export function annotations({ reads, writes, projects, now }: Needs): Annotations {
  const momentOf = async (project: number): Promise<Moment> => {
    const { timezone } = await projects.get(project);
    return { now: now(), timezone };
  };
  return {
    async list(project, { scope, date_from, date_to, ...asked }, query, url) {
      const moment = await momentOf(project);
      const filter = {
        ...asked,
        scope: scope === undefined ? undefined : scopeNamed(scope),
        from:
          date_from === undefined
            ? undefined
            : isoTime(spanOf(date_from, "date_from", moment).from),
        to: date_to === undefined ? undefined : isoTime(lastIn(spanOf(date_to, "date_to", moment))),
      };
      return cursorPage(url, query, {
        keysOf: ({ date_marker, id }: Annotation): AnnotationKeys => [date_marker, id],
        keyTypes: ["", 0],
        read: (part) => reads.list(project, filter, part),
      });
    },
    async get({ project, id }) {
      const { rows } = await reads.list(project, { id }, { limit: 1, offset: 0 });
      const [annotation] = rows;
      if (annotation === undefined) throw new Failure("not_found", "Not found.");
      return annotation;
    },
    async create(project_id, user, { content = "", ...sent }) {
      const at = isoTime(now());
      const { deleted: _deleted, ...fields } = fieldsOf(
        { content, ...sent },
        await momentOf(project_id),
      );
      return writes.insert({
        ...{ project_id, content, date_marker: at, scope: "project", dashboard_item: null },
        ...fields,
        ...{ created_at: at, created_by: user, updated_at: at },
      });
    },
    async change(place, sent) {
      const fields = fieldsOf(sent, await momentOf(place.project));
      const changed = Object.keys(fields).length > 0 ? { updated_at: isoTime(now()) } : {};
      const annotation = await writes.update(place, { ...fields, ...changed });
      if (annotation === undefined) throw new Failure("not_found", "Not found.");
      return annotation;
    },
  };
}

/** The sent fields in storable form; a field that is absent stays absent. */
function fieldsOf({ content, date_marker, deleted, ...about }: SentAnnotation, moment: Moment) {
  if (content !== undefined) checkContent(content);
  return {
    ...(content === undefined ? {} : { content: storableText(content) }),
    ...(date_marker === undefined
      ? {}
      : { date_marker: isoTime(spanOf(date_marker, "date_marker", moment).from) }),
    ...aboutOf(about),
    ...(deleted === undefined ? {} : { deleted }),
  };
}

function checkContent(content: string): void {
  if (content.trim() === "") throw new Failure("required", "A text is required.", "content");
  if (!isLonger(content, ANNOTATION_CHARS_MAX)) return;
  throw new Failure("too_long", `At most ${ANNOTATION_CHARS_MAX} characters.`, "content");
}

/** Returns scope and insight, of which each follows from the other. Fails if they do not fit. */
function aboutOf({
  scope: named,
  dashboard_item,
}: Pick<SentAnnotation, "scope" | "dashboard_item">) {
  if (named === undefined && dashboard_item === undefined) return {};
  const item = dashboard_item ?? null;
  const implied = item === null ? "project" : "dashboard_item";
  const scope = named === undefined ? implied : scopeNamed(named);
  if ((scope === "project") === (item === null)) return { scope, dashboard_item: item };
  const detail = "The scope dashboard_item comes with the id of an insight, project without one.";
  throw new Failure("invalid_input", detail, "dashboard_item");
}

function scopeNamed(text: string): AnnotationScope {
  const scope = ANNOTATION_SCOPES.find((known) => known === text);
  if (scope !== undefined) return scope;
  const detail = `One of ${ANNOTATION_SCOPES.join(", ")} is expected.`;
  throw new Failure("invalid_choice", detail, "scope");
}

function spanOf(text: string, attr: string, moment: Moment): TimeSpan {
  const span = zonedSpan(text, moment)?.instant;
  if (span !== undefined) return span;
  const detail = "A time in ISO 8601, or an age such as -7d, is expected.";
  throw new Failure("invalid_input", detail, attr);
}

/** The last microsecond of a span. */
const lastIn = ({ from, before }: TimeSpan) => Math.max(from, before - 0.001);
