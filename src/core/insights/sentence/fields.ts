import { isObject, type Json, type JsonObject } from "../../values/json.ts";

/** Returns the objects of a list; none if it is no list. */
export const objectsOf = (list: Json | undefined): JsonObject[] =>
  Array.isArray(list) ? list.filter(isObject) : [];

/** Returns a field that is an object; an empty one if it is absent. */
export const objectIn = (sent: JsonObject, field: string): JsonObject => {
  const value = sent[field];
  return isObject(value) ? value : {};
};

/** Returns the only value of a field, or the first one of a list, as a text. */
export const firstText = (value: Json | undefined): string => String([value].flat()[0]);

/** Returns the name of an event, which is in the field `event` of a series; null for all events. */
export const eventOf = ({ event = null }: JsonObject): string | null =>
  event === null ? null : String(event);
