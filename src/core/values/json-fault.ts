import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isDigit,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from "./json.ts";

/** Levels that are checked; deeper ones are refused before. */
const LEVELS_MAX = 1024;

/** Characters of a word or number that a sentence repeats. */
const WORD_CHARS_MAX = 20;

/** Sentences about the next byte. */
const EXPECTED = {
  value: "a value is expected",
  first: "a value or the end of the list is expected",
  key: "a key in double quotes is expected",
  firstKey: "a key in double quotes or the end of the object is expected",
  colon: "a colon is expected",
  inList: "a comma or the end of the list is expected",
  inObject: "a comma or the end of the object is expected",
  end: "nothing more is expected",
};
type Expected = keyof typeof EXPECTED;

/** The place of a fault, and the byte or word there; absent if the text ends early. */
type Fault = { at: number; found?: string; where: string };

const ONE_VALUE =
  "One JSON value is expected, perhaps a list; several values or lines of JSON are not read.";

/**
 * Returns a sentence about the first fault of a JSON text in UTF-8: its byte, counted from 0, the word or character there,
 * and which one is expected. Undefined without a fault. `NaN` and `Infinity` count as values. Much slower than the parser.
 */
export function jsonFault(bytes: Uint8Array): string | undefined {
  const fault = new Check(bytes).fault();
  const broken = brokenUtf8At(bytes);
  if (broken !== undefined && broken <= (fault?.at ?? bytes.length)) {
    return `The body is not valid JSON in UTF-8. Byte ${count(broken)}: the byte 0x${(bytes[broken] ?? 0).toString(16).padStart(2, "0")}, which is not UTF-8 there.`;
  }
  if (fault === undefined) return undefined;
  const { at, found, where } = fault;
  if (found === undefined) {
    return `The body is not valid JSON: it ends early, at byte ${count(at)}, ${where}. It was cut short.`;
  }
  return `The body is not valid JSON. Byte ${count(at)}: ${found} ${where}.`;
}

const count = (at: number) => at.toLocaleString("en-US");

class Check {
  readonly bytes: Uint8Array;
  /** Of each level, whether it is a list. */
  readonly levels: boolean[] = [];
  at: number;
  expected: Expected = "value";

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  }

  fault(): Fault | undefined {
    while (this.levels.length <= LEVELS_MAX) {
      while (isBlank(this.bytes[this.at])) this.at += 1;
      const byte = this.bytes[this.at];
      if (byte === undefined) return this.expected === "end" ? undefined : this.early();
      const takesWord = this.expected === "value" || this.expected === "first";
      const step = STEPS[this.expected].get(byte);
      const fault = step === undefined && takesWord ? this.word() : this.take(step);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  private take(step: Step | undefined): Fault | undefined {
    return step === undefined ? this.here() : step(this);
  }

  open(isList: boolean): undefined {
    this.levels.push(isList);
    return this.next(isList ? "first" : "firstKey");
  }

  close(): undefined {
    this.levels.pop();
    return this.next(this.afterValue());
  }

  /** Goes on after the byte. */
  next(expected: Expected): undefined {
    this.at += 1;
    this.expected = expected;
  }

  afterValue(): Expected {
    const isList = this.levels.at(-1);
    if (isList === undefined) return "end";
    return isList ? "inList" : "inObject";
  }

  /** Passes over a text up to its last quote. */
  text(): Fault | undefined {
    const escaped = /^\\u[0-9a-f]{4}/i;
    for (this.at += 1; this.bytes[this.at] !== QUOTE; this.at++) {
      const byte = this.bytes[this.at];
      if (byte === undefined) return { at: this.at, where: "inside a text" };
      if (byte < 0x20) return { at: this.at, found: control(byte), where: "inside a text" };
      if (byte !== BACKSLASH) continue;
      if (SHORT_ESCAPES.has(this.bytes[this.at + 1])) {
        this.at += 1;
        continue;
      }
      const ahead = latin1(this.bytes, this.at, this.at + 6);
      const found = escaped.exec(ahead)?.[0];
      if (found !== undefined) this.at += found.length - 1;
      else if (/^\\(?:u[0-9a-f]{0,3})?$/i.test(ahead)) {
        return { at: this.bytes.length, where: "inside a text" };
      } else return { at: this.at, found: "a backslash", where: "that is no escape of JSON" };
    }
    return undefined;
  }

  /** Passes over a number or a word that is a value. */
  private word(): Fault | undefined {
    let end = this.at;
    while (isDigit(this.bytes[end])) end += 1;
    if (end > this.at && this.bytes[this.at] !== ZERO && !isOfWord(this.bytes[end])) {
      this.at = end - 1;
      return this.next(this.afterValue());
    }
    while (isOfWord(this.bytes[end])) end += 1;
    const word = latin1(this.bytes, this.at, end);
    const isValue = VALUE.test(word);
    if (!isValue && end === this.bytes.length && START.test(word)) {
      return { at: end, where: "inside a value" };
    }
    if (!isValue) return this.here();
    this.at = end - 1;
    return this.next(this.afterValue());
  }

  private early(): Fault {
    return { at: this.at, where: `where ${EXPECTED[this.expected]}` };
  }

  private here(): Fault {
    const { at, bytes, expected } = this;
    const found = standingAt(bytes, at);
    const startsValue = /^(?:a text|an opening|the (?:number|word))/.test(found);
    if (expected === "end" && startsValue) {
      return { at, found: "another value", where: `after the first. ${ONE_VALUE.slice(0, -1)}` };
    }
    return { at, found, where: `where ${EXPECTED[expected]}` };
  }
}

type Step = (check: Check) => Fault | undefined;

const openList: [number, Step] = [OPEN_LIST, (check) => check.open(true)];
const openObject: [number, Step] = [OPEN_OBJECT, (check) => check.open(false)];
const textValue: [number, Step] = [
  QUOTE,
  (check) => check.text() ?? check.next(check.afterValue()),
];
const key: [number, Step] = [QUOTE, (check) => check.text() ?? check.next("colon")];
const endList: [number, Step] = [CLOSE_LIST, (check) => check.close()];
const endObject: [number, Step] = [CLOSE_OBJECT, (check) => check.close()];

/** The bytes that may come next, besides words and numbers. */
const STEPS: Record<Expected, Map<number, Step>> = {
  value: new Map([openList, openObject, textValue]),
  first: new Map([openList, openObject, textValue, endList]),
  key: new Map([key]),
  firstKey: new Map([key, endObject]),
  colon: new Map([[COLON, (check) => check.next("value")]]),
  inList: new Map([[COMMA, (check) => check.next("value")], endList]),
  inObject: new Map([[COMMA, (check) => check.next("key")], endObject]),
  end: new Map(),
};

const ZERO = 0x30;
const SHORT_ESCAPES = new Set<number | undefined>(Buffer.from('"\\/bfnrt'));
const VALUE =
  /^(?:true|false|null|-?(?:NaN|Infinity)|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
/** Beginnings of a value that is cut short. */
const START =
  /^(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|-|-?(?:N|Na|I|In|Inf|Infi|Infin|Infini|Infinit)|-?\d+(?:\.|(?:\.\d+)?[eE][+-]?))$/;

const NAMES = new Map<number, string>([
  [COMMA, "a comma"],
  [COLON, "a colon"],
  [QUOTE, "a text"],
  [OPEN_LIST, "an opening bracket"],
  [CLOSE_LIST, "a closing bracket"],
  [OPEN_OBJECT, "an opening brace"],
  [CLOSE_OBJECT, "a closing brace"],
  [0x27, "a single quote"],
  [0x60, "a backtick"],
  [BACKSLASH, "a backslash"],
  [0x2f, "a slash"],
  [0x3c, "an opening angle bracket"],
]);

/** The byte or word at a place, in words that are safe to show. */
function standingAt(bytes: Uint8Array, at: number): string {
  const byte = bytes[at] ?? 0;
  const name = NAMES.get(byte);
  if (name !== undefined) return name;
  if (byte < 0x20 || byte === 0x7f) return control(byte);
  if (byte >= 0x80) return "a character that is not ASCII";
  let end = at;
  while (isOfWord(bytes[end]) && end - at <= WORD_CHARS_MAX) end += 1;
  if (end === at) return `the character ${String.fromCharCode(byte)}`;
  const word = latin1(bytes, at, Math.min(end, at + WORD_CHARS_MAX));
  const shown = end - at > WORD_CHARS_MAX ? `${word}…` : word;
  return `the ${/^[-+.]?\d/.test(word) ? "number" : "word"} ${shown}`;
}

function control(byte: number): string {
  if (byte === 0x0a) return "a line feed";
  return byte === 0x09 ? "a tab" : `the control character 0x${byte.toString(16).padStart(2, "0")}`;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

const OF_WORD = Array.from({ length: 256 }, (_, byte) =>
  /[\w$+.-]/.test(String.fromCharCode(byte)),
);

function isOfWord(byte: number | undefined): boolean {
  return byte !== undefined && OF_WORD[byte] === true;
}

function latin1(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(
    bytes.buffer,
    bytes.byteOffset + start,
    Math.min(end, bytes.length) - start,
  ).toString("latin1");
}

/** Which second bytes a character may have, where not all, by its first byte (RFC 3629 4). */
const SECOND: Record<number, [from: number, to: number]> = {
  224: [0xa0, 0xbf],
  237: [0x80, 0x9f],
  240: [0x90, 0xbf],
  244: [0x80, 0x8f],
};

/** The place of the first byte that is not UTF-8. A last character without its end does not count. */
function brokenUtf8At(bytes: Uint8Array): number | undefined {
  for (let at = 0; at < bytes.length; at++) {
    const first = bytes[at] ?? 0;
    if (first < 0x80) continue;
    const more =
      first < 0xc2 || first > 0xf4 ? 0 : 1 + Number(first >= 0xe0) + Number(first >= 0xf0);
    const rest = bytes.subarray(at + 1, at + 1 + more);
    const [from, to] = SECOND[first] ?? [0x80, 0xbf];
    const follows = (byte: number, index: number) =>
      byte >= (index === 0 ? from : 0x80) && byte <= (index === 0 ? to : 0xbf);
    if (more === 0 || !rest.every(follows)) return at;
    at += more;
  }
  return undefined;
}
