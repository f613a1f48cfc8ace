import { computed, signal } from "@preact/signals";
import type { Schemas } from "../api/client.ts";

/** A project with its name, key and time zone. */
export type Project = Schemas["Project"];

/** The projects that the session may see, in order of their ids; undefined until they are loaded. */
export const projects = signal<Project[] | undefined>(undefined);

/** The id that the address names, as text. */
export const projectId = signal("");

/** The project that the address names; undefined until it is known. Every page is about it. */
export const project = computed<Project | undefined>(() =>
  projects.value?.find(({ id }) => String(id) === projectId.value),
);

/** The time zone of the project, in which its days begin. */
export const zone = (): string => project.value?.timezone ?? "UTC";
