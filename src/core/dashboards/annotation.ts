import type { User } from "../access/key.ts";

/** The subjects of annotations: a project, or one of its insights. */
export const ANNOTATION_SCOPES = ["project", "dashboard_item"] as const;

/** One of ANNOTATION_SCOPES. */
export type AnnotationScope = (typeof ANNOTATION_SCOPES)[number];

/** A note on a time, which charts show. Times are ISO 8601. */
export type Annotation = {
  id: number;
  content: string;
  date_marker: string;
  scope: AnnotationScope;
  /** The id of the insight; null unless `scope` is `dashboard_item`, and once the insight is erased. */
  dashboard_item: number | null;
  deleted: boolean;
  created_at: string;
  created_by: User;
  updated_at: string;
};

/** Characters of an annotation. */
export const ANNOTATION_CHARS_MAX = 400;
