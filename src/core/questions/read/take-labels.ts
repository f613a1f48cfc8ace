import { isMoney, type PropertyInfo, spoken } from "../names/index.ts";
import { singular } from "../text/stems.ts";
import { type Asked, type Item, isTagged, meanNothing, textOf } from "./asked.ts";
import {
  EXPRESSIONS,
  isByPerson,
  isFree,
  isName,
  isPeople,
  type Label,
  type Labels,
  labelOf,
  personLabel,
} from "./labels.ts";
import { takeOrder } from "./order.ts";
import { refuseKind } from "./unclear.ts";

/** Takes the labels after "by", "which" and "top", with their order and the number of lines. */
export function takeLabels(asked: Asked): Labels {
  const order = takeOrder(asked);
  const taking = new Taking(asked, order !== undefined);
  const { labels, isRanked } = taking;
  const words = asked.items.filter((item) => isFree(item) && isEach(asked, item));
  for (const by of words) taking.addBy(by);
  taking.addWhy();
  if (labels.length === 0 && !asked.has("WHOM")) taking.addAsked();
  if (isRanked && labels.length === 0 && !asked.has("SOLD")) taking.addRanked();
  if (labels.length === 0) taking.addBare();
  taking.takeAgain();
  taking.takeTouch();
  // In "top pages by views", "by" names the measure.
  if (isRanked && labels.length > 0) asked.takeAll("BY");
  return { labels, ...(order === undefined ? {} : { order }), isAsked: taking.isAsked };
}

/** Whether a word is "by" or "per". The "a" in "orders a day" is "per", and the one in "to a shop" is not. */
const isEach = (asked: Asked, item: Item): boolean => {
  const before = asked.items[item.at - 1];
  const isOfPage = asked.beside(item, 1)?.part?.kind === "pages";
  const isArticle = /^an?$/.test(item.word) && (isOfPage || before?.tags.includes("F") === true);
  return isTagged(item, "BY", "PER") && !isArticle;
};

/** Whether people are only some, as in "by users who are subscribed" and "by people from Berlin". */
const isOfSome = (asked: Asked, people: Item): boolean => {
  const next = asked.beside(people, 1);
  const isSeveral =
    singular(people.word) !== people.word || /^(?:people|folks|ppl)$/.test(people.word);
  return isSeveral && (next?.part?.kind === "filter" || isTagged(next, "WHO"));
};

const CALCULATED =
  "AVERAGE MEDIAN SUM GREATEST SMALLEST MUCH COUNT DIFFERENT P75 P90 P95 P99 SHARE WHOM".split(" ");

/** Collects the labels of a question. */
class Taking {
  readonly labels: Label[] = [];
  readonly isRanked: boolean;
  isAsked = false;
  private readonly asked: Asked;

  constructor(asked: Asked, isRanked: boolean) {
    this.asked = asked;
    this.isRanked = isRanked;
  }

  /** Takes an item as a label. Returns false if it is not a label. */
  private add(item: Item | undefined): boolean {
    // "Which blog posts" are pages with a condition.
    if (item?.part?.kind === "pages" && item.part.how === "starts_with")
      return this.addLabel({ json: { property: "$pathname", type: "event" } });
    const label = item === undefined || item.isUsed ? undefined : labelOf(this.asked, item);
    if (item === undefined || label === undefined) return false;
    item.isUsed = true;
    return this.addLabel(label);
  }

  private addLabel(label: Label): boolean {
    if (!this.labels.some((one) => Bun.deepEquals(one, label))) this.labels.push(label);
    return true;
  }

  /** Takes "by country and device". */
  addBy(by: Item): void {
    const next = this.asked.beside(by, 1);
    if (isPeople(next) && !this.isLineOfPeople(by, next)) return;
    let last = this.labelled(next);
    if (last === undefined || this.isNoLabel(by, last)) return;
    if (!this.add(last)) return;
    by.isUsed = true;
    while (last !== undefined) {
      const joint: Item | undefined = this.asked.beside(last, 1);
      const isJoint = isTagged(joint, "AND") || joint?.word === ",";
      last = joint === undefined || !isJoint ? undefined : this.asked.beside(joint, 1);
      if (joint === undefined || !this.add(last)) return;
      joint.isUsed = true;
    }
  }

  /** Whether a word after "by" or "per" is a divisor, a measure or a kind of people. */
  private isNoLabel(by: Item, item: Item): boolean {
    // "Revenue per night" is divided by the nights, and not a line for each number of them.
    if (!isTagged(by, "BY") && item.term.properties[0]?.type === "number") return true;
    // "Bottom 3 products by pieces sold" names the measure.
    if (this.isRanked && this.isMeasure(item)) return true;
    // "By VIP players" says who did it.
    const people = this.asked.items[item.at + 1];
    const isDoer = people?.part?.kind === "ev" && people.part.isDoer;
    if (!isPeople(item) && (isPeople(people) || isDoer)) return true;
    refuseKind(item);
    return false;
  }

  /** Whether a number after "by" ranks the lines: an amount of money, or any number if there is another label. */
  private isMeasure(item: Item): boolean {
    const [property] = item.term.properties;
    if (property?.type !== "number" || !isTagged(this.asked.beside(item, -1), "BY")) return false;
    const isOther = (one: Item) =>
      one !== item && isFree(one) && labelOf(this.asked, one) !== undefined;
    return isMoney(property) || this.asked.items.some(isOther);
  }

  /** Whether people are the label. "Per user" is a ratio, and "top screens by users" ranks the screens. */
  private isLineOfPeople(by: Item, people: Item | undefined): boolean {
    const { asked, isRanked } = this;
    if (!isRanked && people !== undefined && isOfSome(asked, people)) {
      meanNothing(by);
      return false;
    }
    if (!isRanked) return by.word === "by";
    return !asked.items.some(
      (item) =>
        item !== people && !item.isUsed && !isPeople(item) && labelOf(asked, item) !== undefined,
    );
  }

  /** The label after "by", past words such as "first touch" or the event that has the property. */
  private labelled(next: Item | undefined): Item | undefined {
    const { asked } = this;
    const isTouch =
      next?.part === undefined &&
      isTagged(next, "FIRST_TOUCH", "LAST_TOUCH", "FIRST_SEEN", "IS_NEW");
    const one = isTouch && next !== undefined ? (asked.beside(next, 1) ?? next) : next;
    if (one?.part?.kind !== "ev" || one.part.isDoer) return one;
    // "By cancellation reason": the event comes before its property.
    const after = asked.beside(one, 1);
    const isProperty = after?.at === one.at + 1 && labelOf(asked, after) !== undefined;
    return isProperty ? after : one;
  }

  /** Takes "why" as the property with the reason of an event. */
  addWhy(): void {
    const { asked } = this;
    const [first, ...others] = asked.events().map(({ part }) => part.event);
    const isReason = ({ of, name }: PropertyInfo) =>
      of === "event" && first?.properties.has(name) === true && /\breason$/.test(spoken(name));
    const properties = asked.index.properties.filter(isReason);
    const why = properties.length === 1 && others.length === 0 ? asked.take("WHY") : undefined;
    if (why !== undefined) this.addLabel({ properties, isFirstTouch: false, words: textOf(why) });
  }

  /** Takes "which pages", "what reasons", "each plan". */
  addAsked(): void {
    const { asked } = this;
    for (const which of asked.items.filter((item) => !item.isUsed && isTagged(item, "WHICH"))) {
      let next = asked.beside(which, 1);
      for (let steps = 0; next !== undefined && steps < 3; steps += 1) {
        if (isPeople(next) && !this.isRanked) return;
        if (this.add(next)) {
          which.isUsed = true;
          this.isAsked = which.word === "which";
          return;
        }
        if (next.part?.kind !== "ev" && !isTagged(next, "NUM") && !next.isUsed) break;
        next = asked.beside(next, 1);
      }
    }
  }

  /** Takes "top 5 pages", "most common cancellation reason", "most active users". */
  addRanked(): void {
    const { asked } = this;
    // "What do people search for most" and "most users" do not ask for people; "most active users" does.
    const isNext = (item: Item) => {
      const before = asked.beside(item, -1);
      return (
        isTagged(before, "MOST", "LEAST", "GREATEST", "SMALLEST", "WHICH", "NUM") &&
        before?.word !== "most"
      );
    };
    const items = asked.items.filter(
      (item) =>
        !item.isUsed &&
        !this.isMeasure(item) &&
        (labelOf(asked, item) !== undefined || (item.part?.kind === "pages" && isNext(item))),
    );
    if (this.add(items.find((item) => !isPeople(item)) ?? items.find(isNext))) {
      // "Who are our biggest companies" asks for no people.
      const [lead] = asked.items;
      if (lead !== undefined && isTagged(lead, "WHO") && !isByPerson(this.labels))
        meanNothing(lead);
      return;
    }
    // "Who searches most" and "top commenters" ask for people too.
    const who = asked.items[0];
    const doer = asked.events().find((item) => item.part.isDoer && isNext(item));
    const label = personLabel(asked);
    if (label === undefined || !(isTagged(who, "WHO") || doer !== undefined)) return;
    if (isTagged(who, "WHO") && who !== undefined) who.isUsed = true;
    this.addLabel(label);
  }

  /** Takes labels without "by": "operating systems of visitors", "at which hour do people buy". */
  addBare(): void {
    const { items } = this.asked;
    const free = items.filter(isFree);
    const expression = free.find(
      (item) =>
        isTagged(item, "ENTRY", "EXIT", "WEEKDAY", "WHICH_WEEK", "WHICH_MONTH") ||
        (isTagged(item, "CHANNEL") && !isName(item)) ||
        (isTagged(item, "HOUR") &&
          !isName(item) &&
          !isTagged(this.asked.beside(item, -1), "NUM", "COUNT")),
    );
    if (expression !== undefined || this.asked.has(...CALCULATED)) {
      this.add(expression);
      return;
    }
    const first = items.find(({ tags, part }) => part !== undefined || !tags.includes("F"));
    // "Units sold" is their sum.
    const isSum = (item: Item) => item.term.properties[0]?.type === "number";
    // "Course revenue" is that of the event `course_purchased`.
    const isEarned = (item: Item) =>
      item.term.partOf.length > 0 && isTagged(this.asked.beside(item, 1), "REVENUE");
    // "VIP players" and "city rides" are only some.
    const isBefore = ({ at }: Item) => {
      const next = items[at + 1];
      return isPeople(next) || next?.part?.kind === "ev";
    };
    // "Checked parcels" are only some.
    const isFlag = (item: Item) => item.term.properties[0]?.type === "boolean";
    const isBare = (item: Item) =>
      item.term.group === undefined &&
      isTagged(item, "PROP") &&
      ![isSum, isEarned, isFlag, isBefore].some((is) => is(item));
    this.add(free.find((item) => isBare(item) && item === first));
  }

  /** Marks repeated labels as used, as in "customers (email)" or "who are the top buyers". */
  takeAgain(): void {
    if (isByPerson(this.labels)) this.asked.takeAll("WHO");
    for (const item of this.asked.items) {
      if (!isFree(item) || !isTagged(item, "PROP", ...Object.keys(EXPRESSIONS))) continue;
      const label = labelOf(this.asked, item);
      if (label === undefined || !this.labels.some((one) => isSame(one, label))) continue;
      item.isUsed = true;
      const which = this.asked.beside(item, -1);
      if (which !== undefined && isTagged(which, "WHICH")) which.isUsed = true;
    }
  }

  /** Takes "by last touch" after a label. It is the default, so the query does not change. */
  takeTouch(): void {
    const { asked } = this;
    const by = asked.items.find(
      (item) =>
        !item.isUsed && isTagged(item, "BY") && isTagged(asked.beside(item, 1), "LAST_TOUCH"),
    );
    const touch = by === undefined ? undefined : asked.beside(by, 1);
    for (const item of [by, touch]) if (item !== undefined) item.isUsed = true;
  }
}

const isSame = (one: Label, other: Label): boolean => {
  const names = (label: Label) =>
    "json" in label ? [label.json["property"]] : label.properties.map(({ name }) => name);
  return names(one).some((name) => names(other).includes(name as string));
};
