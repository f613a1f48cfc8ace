import { type Asked, type Item, isTagged, NotUnderstood, textOf } from "../read/asked.ts";
import type { Named } from "../read/parts.ts";
import type { Measure } from "./draft.ts";
import { visitEvent } from "./events.ts";
import { PEOPLE, use, useAll } from "./items.ts";
import { takePeople } from "./people.ts";

/** "Weekly retention of people who signed up", "how many visitors come back each week". */
export const retention: Measure = (asked) => {
  const { interval } = asked.when;
  const back = asked.find("BACK");
  if (!asked.has("RETENTION") && (back === undefined || interval === undefined)) return undefined;
  const recurring = asked.items.find(({ word, isUsed }) => !isUsed && word === "recurring");
  use(recurring);
  asked.takeAll("RETENTION", "BACK", "COUNT");
  const events = asked.events();
  const people = asked.has(...PEOPLE) ? takePeople(asked) : undefined;
  const after = events.find(
    (item) => back !== undefined && item.at > back.at && !isTagged(asked.beside(item, -1), "WHO"),
  );
  const start = events.find((item) => item !== after);
  use(...events);
  if (events.length > 2) throw new NotUnderstood(textOf(events[2] as Item));
  asked.takeAll("AND", "WHO", "IS_NEW", "PERSON");
  useAll(
    asked,
    ({ part, word, term }) => part?.kind === "freq" && word === "" && term.concepts.has("again"),
  );
  const target = start?.part.event.name ?? people?.base ?? null;
  const returning = isComing(asked, start) ? visitEvent(asked) : target;
  return {
    query: {
      kind: "RetentionQuery",
      retentionFilter: {
        targetEntity: { id: target, type: "events" },
        returningEntity: { id: after?.part.event.name ?? returning, type: "events" },
        retentionType: `retention_${recurring === undefined ? "first_time" : "recurring"}`,
      },
    },
    events: [start?.part.event ?? null],
  };
};

const ONCE =
  /sign.*up|regist|install|join|onboard|(?:account|user|profile|workspace).*creat|creat.*(?:account|user|profile|workspace)/i;

/** Whether an event happens once per person, such as a sign up. Any later visit then counts as coming back. */
const isComing = (asked: Asked, start: { part: Named } | undefined): boolean =>
  start !== undefined &&
  ONCE.test(start.part.event.name) &&
  asked.event(visitEvent(asked)) !== undefined;
