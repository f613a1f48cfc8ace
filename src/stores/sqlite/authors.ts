import { getTableColumns } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { user } from "./schema.ts";

/** The user who made a record, for joins. */
export const creator = alias(user, "creator");

/** The user who changed a record last, for joins. */
export const modifier = alias(user, "modifier");

const { created_at: _creator, ...creatorColumns } = getTableColumns(creator);
const { created_at: _modifier, ...modifierColumns } = getTableColumns(modifier);

/** The columns of the user who made a record, as answers have them. */
export const CREATED_BY = creatorColumns;

/** The columns of the user who changed a record last, as answers have them. */
export const LAST_MODIFIED_BY = modifierColumns;
