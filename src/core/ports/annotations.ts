import type { Annotation, AnnotationScope } from "../dashboards/annotation.ts";
import type { Part } from "../values/page.ts";

/*
 * Annotations. A deleted one stays stored: only `update` finds it, and may restore it. The rules of all ports are in
 * `events.ts`.
 */

/** Conditions on the annotations of a list, which all hold. */
export type AnnotationFilter = {
  id?: number | undefined;
  scope?: AnnotationScope | undefined;
  /** Id of the insight that they are about. */
  dashboard_item?: number | undefined;
  /** First and last time of `date_marker`, both included, in the stored form. */
  from?: string | undefined;
  to?: string | undefined;
  /** Whether it is deleted; without it, no deleted ones are listed. */
  deleted?: boolean | undefined;
};

/** Identity of an annotation. */
export type AnnotationPlace = { project: number; id: number };

/** Position of an annotation in a list. */
export type AnnotationKeys = readonly [date_marker: string, id: number];

/** Reads of annotations. */
export type AnnotationReads = {
  /** Returns a part of the project's annotations, the latest `date_marker` first; `count` is exact. */
  list(
    project: number,
    filter: AnnotationFilter,
    part: Part<AnnotationKeys>,
  ): Promise<{ count: number; rows: Annotation[] }>;
};

/** The fields of an annotation that are written. */
export type AnnotationFields = Pick<
  Annotation,
  "content" | "date_marker" | "scope" | "dashboard_item" | "deleted" | "updated_at"
>;

/** An annotation to be made; `created_by` is the id of its author. */
export type NewAnnotation = Omit<AnnotationFields, "deleted"> & {
  project_id: number;
  created_at: string;
  created_by: number;
};

/** Changes of annotations. Both fail `invalid_input` on a `dashboard_item` that the project does not have. */
export type AnnotationWrites = {
  /** Makes an annotation and returns it. */
  insert(draft: NewAnnotation): Promise<Annotation>;
  /** Changes an annotation, also a deleted one, and returns it; undefined if it does not exist. */
  update(
    place: AnnotationPlace,
    change: Partial<AnnotationFields>,
  ): Promise<Annotation | undefined>;
};
