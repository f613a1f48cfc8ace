import { type Asked, type Item, isTagged, NotUnderstood, textOf } from "./asked.ts";
import { isFree, type Labels, labelOf } from "./labels.ts";

/** Takes words such as "top" or "least", and the number of lines next to them or to the ranked label. */
export function takeOrder(asked: Asked): Labels["order"] {
  const word = asked.items.find((item) => isFree(item) && isOrdering(asked, item));
  if (word === undefined) return takeLimit(asked);
  refuseHighest(asked, word);
  const isAscending = isTagged(word, "LEAST", "SMALLEST");
  const after = asked.beside(word, 1)?.part;
  if (
    /^(?:best|worst)$/.test(word.word) &&
    after?.kind === "ev" &&
    !after.isDoer &&
    !asked.has("RATE", "CONVERSION")
  )
    throw new NotUnderstood(textOf(word), 'Say by what, such as "most" or "highest average".');
  if (!isTagged(word, "SOLD")) word.isUsed = true;
  const others = asked.items.filter(
    (item) => item.part === undefined && isTagged(item, isAscending ? "LEAST" : "MOST"),
  );
  const beside = [word, ...others].flatMap((one) => [asked.beside(one, -1), asked.beside(one, 1)]);
  const number =
    beside.find((item) => item !== undefined && isNumber(item)) ??
    asked.items.find(
      (item) =>
        isNumber(item) &&
        (isLabel(asked, asked.beside(item, 1)) || isTagged(asked.beside(item, -1), "WHICH")),
    );
  for (const other of others) other.isUsed = true;
  if (number === undefined) return { isAscending };
  number.isUsed = true;
  const limit = number.term.number ?? 1;
  if (!Number.isInteger(limit) || limit < 1) throw new NotUnderstood(textOf(number));
  return { limit, isAscending };
}

/** Refuses "highest weight by port", which may be the highest of each port, or the port with the highest sum. */
function refuseHighest(asked: Asked, word: Item): void {
  const number = asked.beside(word, 1);
  const [property] = number?.part === undefined ? (number?.term.properties ?? []) : [];
  const isOfEach = asked.items.some((item) => isFree(item) && isTagged(item, "WHICH", "NUM"));
  if (number === undefined || property?.type !== "number" || isOfEach) return;
  if (!isTagged(word, "GREATEST", "SMALLEST")) return;
  const [most, first] = isTagged(word, "GREATEST") ? ["maximum", "highest"] : ["minimum", "lowest"];
  const name = textOf(number);
  throw new NotUnderstood(
    textOf(word),
    `Write "${most} ${name} by …" for that of each, or "total ${name} by …, ${first} first" for the sums.`,
  );
}

const isNumber = (item: Item) => isFree(item) && item.term.number !== undefined;

const isLabel = (asked: Asked, item: Item | undefined): boolean =>
  item !== undefined && labelOf(asked, item) !== undefined;

function isOrdering(asked: Asked, item: Item): boolean {
  if (isTagged(item, "MOST", "LEAST", "SOLD")) return true;
  // "The largest order by country" asks for a maximum per country, not for a ranking.
  return (
    isTagged(item, "GREATEST", "SMALLEST") &&
    // "Maximum weight by port" is one for each port.
    !/^(?:max|min)/.test(item.word) &&
    isRanking(asked) &&
    (asked.beside(item, 1)?.part?.kind !== "ev" || asked.has("RATE", "AVERAGE"))
  );
}

/** "5 entry pages", "which 5 pages", "first 5 pages": a limit without an order. */
function takeLimit(asked: Asked): Labels["order"] {
  const leadOf = (item: Item) =>
    [asked.beside(item, -1)].find(
      (one) => one?.isUsed === false && (isTagged(one, "WHICH") || one.word === "first"),
    );
  const number = asked.items.find((item) => {
    const next = asked.beside(item, 1);
    const isAsked = leadOf(item) !== undefined && isLabel(asked, next);
    return isNumber(item) && (isAsked || isTagged(next, "ENTRY", "EXIT"));
  });
  if (number === undefined) return undefined;
  const lead = leadOf(number);
  for (const one of [number, lead?.word === "first" ? lead : number]) one.isUsed = true;
  return { limit: number.term.number ?? 1 };
}

/** Whether "highest" ranks lines: a label follows "which" or "by", or the question asks for a rate. */
const isRanking = (asked: Asked): boolean =>
  // "Which day of the week" is one phrase.
  asked.items.some(
    (item) => /^(?:on_|at_)?(?:which|what)_/.test(item.word) && isLabel(asked, item),
  ) ||
  asked.items.some(
    (item) => !item.isUsed && isTagged(item, "WHICH", "BY", "NUM") && nextLabelled(asked, item),
  ) ||
  asked.has("RATE", "BOUNCE_RATE", "CONVERSION");

function nextLabelled(asked: Asked, item: Item): boolean {
  let next = asked.beside(item, 1);
  for (let steps = 0; next !== undefined && steps < 3; steps += 1) {
    // "The longest load time" is one number.
    if (next.term.properties[0]?.type === "number") return false;
    if (isLabel(asked, next)) return true;
    if (next.part?.kind !== "ev" && !isTagged(next, "NUM", "GREATEST", "SMALLEST")) return false;
    next = asked.beside(next, 1);
  }
  return false;
}
