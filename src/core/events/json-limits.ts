import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  endOfDigits,
  endOfString,
  isDigit,
  isExponent,
  isOfNumber,
  isRounded,
  isTextAt,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from "../values/json.ts";
import { EVENT_BYTES_MAX } from "./event.ts";
import { GROUPS, UNSAFE_ID_FIELDS, unsafeId } from "./number-ids.ts";

/** Levels of nesting in a body, its own brackets included. */
export const JSON_DEPTH_MAX = 128;

/** Keys of one object in a body. 5 million of them took seconds to parse. */
export const OBJECT_KEYS_MAX = 10_000;

/** Objects and lists in one event: each takes 3 bytes, so an event of its size has no more. */
export const EVENT_NODES_MAX = Math.floor(EVENT_BYTES_MAX / 3);

/** Bytes of items that are parsed together; a longer item is a part of its own. */
export const PART_BYTES = 131_072;

/** The limit that something breaks: nesting, keys of one object, objects and lists together. */
export type LimitViolation = "depth" | "keys" | "nodes";

/**
 * The bits of a mark about an item. `overflow` and `rounded` are about its numbers, `text` is about its bytes,
 * which a scan does not look at.
 */
export const MARK = { overflow: 1, rounded: 2, depth: 4, keys: 8, nodes: 16, text: 32 } as const;

const MARK_BITS = 6;

/**
 * Neighbouring items, from the first byte of the first to the end of the last. `bare`: no item has a key or
 * breaks a limit, so that they need no separation.
 */
export type Part = { start: number; end: number; count: number; bare: boolean };

/** Facts about the bytes of a body before they are parsed. They may still be invalid JSON. */
export type Scan = {
  /** A limit that is broken outside of a list's items, a second list, or one without an end. */
  refused: LimitViolation | "lists" | "open" | undefined;
  /** The byte at which it is refused. */
  refusedAt: number | undefined;
  /** The list of events, without its brackets: the body itself, or the value of `batch`. */
  list: { start: number; end: number; parts: Part[] } | undefined;
  /** Start and end of each item that breaks a limit. */
  excesses: number[];
  /** Ids among the numbers that a double may not hold, in the order of their items ({@link UNSAFE_ID_FIELDS}). */
  ids: number[];
  /**
   * Item and bits in one number, ascending; without a list, of item 0, which is the body. The
   * numbers of an item without a key are not in them: it is no event.
   */
  marks: number[];
  /** Whether `NaN` or `Infinity` stands outside of texts. */
  hasWords: boolean;
};

const CAPITAL_N = 0x4e;
const CAPITAL_I = 0x49;

const BATCH = '"batch"';

/** Ids that are kept of an item; a well-made one has no more. */
const IDS_MAX = 16;

/** How many keys the object at each depth has so far; between scans it means nothing. */
const keys = new Uint32Array(JSON_DEPTH_MAX + 1);

/**
 * Scans a JSON text for the limits above and for the places of its events (decision 8), so that
 * a hostile body costs a scan and not a parse, and only items that break a limit are lost.
 * `nodesMax` is how many objects and lists an item may have.
 */
export function scanBody(bytes: Uint8Array, nodesMax = EVENT_NODES_MAX): Scan {
  const items = new ItemScan(bytes, nodesMax);
  let text = 0;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case QUOTE:
        text = at;
        at = endOfString(bytes, at);
        break;
      case COLON:
        at = items.key(at);
        break;
      case COMMA:
        items.split(at);
        break;
      case OPEN_OBJECT:
        at = items.open(at, text);
        break;
      case OPEN_LIST:
        at = items.openList(at, text);
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        at = items.close(at);
        break;
      case CAPITAL_N:
      case CAPITAL_I:
        items.hasWords = true;
        break;
      default:
        if (isDigit(bytes[at])) at = items.number(at, text);
    }
  }
  return items.found();
}

/** Where a scan is and what it has found. Methods return the place that it goes on from. */
class ItemScan {
  readonly bytes: Uint8Array;
  readonly nodesMax: number;
  readonly excesses: number[] = [];
  readonly marks: number[] = [];
  readonly ids: number[] = [];
  refused: Scan["refused"];
  refusedAt: number | undefined;
  hasWords = false;
  list: Scan["list"];
  depth = 0;
  /** The depth of the list of events while the scan is in it, else -1. */
  listDepth = -1;
  /** The depth of the keys of groups while the scan is in them, else -1. */
  groupsDepth = -1;
  /** Of the item: its number, where it starts, what it holds, and its mark's bits. */
  index = 0;
  start = 0;
  nodes = 0;
  hasKey = false;
  bits = 0;
  part = partFrom(0);
  /** The same bytes, which give a text faster; made where one is needed. */
  latin1: Buffer | undefined;

  constructor(bytes: Uint8Array, nodesMax: number) {
    this.bytes = bytes;
    this.nodesMax = nodesMax;
  }

  key(at: number): number {
    const count = (keys[this.depth] ?? 0) + 1;
    keys[this.depth] = count;
    this.hasKey = true;
    return count > OBJECT_KEYS_MAX ? this.exceed("keys", at) : at;
  }

  split(at: number): void {
    if (this.depth !== this.listDepth) return;
    this.end(at);
    if (at - this.part.start >= PART_BYTES) this.flush();
  }

  /** Enters an object or a list; `text` is the place of the last text before. */
  open(at: number, text: number): number {
    this.depth += 1;
    if (isTextAt(this.bytes, text, GROUPS)) this.groupsDepth = this.depth;
    this.nodes += 1;
    keys[this.depth] = 0;
    if (this.depth > JSON_DEPTH_MAX) return this.exceed("depth", at);
    return this.nodes > this.nodesMax ? this.exceed("nodes", at) : at;
  }

  /** Enters the list of events if it is; else as {@link open}. */
  openList(at: number, text: number): number {
    if (!(this.listDepth === -1 && this.isOfEvents(text))) return this.open(at, text);
    if (this.list !== undefined) return this.refuse("lists", at);
    this.depth += 1;
    this.listDepth = this.depth;
    // Those before it are no event's.
    this.ids.length = 0;
    this.list = { start: at + 1, end: this.bytes.length, parts: [] };
    this.begin(0, at + 1);
    this.part = partFrom(this.start);
    return at;
  }

  close(at: number): number {
    if (this.depth === this.listDepth) {
      this.end(at);
      this.flush();
      if (this.list !== undefined) this.list.end = at;
      this.listDepth = -1;
    }
    if (this.depth === this.groupsDepth) this.groupsDepth = -1;
    this.depth -= 1;
    return this.depth < 0 ? this.bytes.length : at;
  }

  /** Passes over a number, and notes what a double does to it; `key` is the place of the last text before. */
  number(first: number, key: number): number {
    const last = endOfDigits(this.bytes, first);
    const isShort = last - first < NOTABLE_DIGITS;
    if (isShort && !isExponent(this.bytes[last + 1])) return last;
    let after = last;
    while (isOfNumber(this.bytes[after])) after += 1;
    // So few digits with an exponent of two are far below what a double cannot hold.
    if (isShort && after - last <= "9e99".length) return after - 1;
    this.latin1 ??= Buffer.from(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length);
    const text = this.latin1.toString("latin1", first, after);
    const value = Number(text);
    if (value === Number.POSITIVE_INFINITY) this.bits |= MARK.overflow;
    else if (!Number.isSafeInteger(value) && this.isId(first, text, key)) return after - 1;
    else if (isRounded(text, value)) this.bits |= MARK.rounded;
    return after - 1;
  }

  /** Keeps an integer that is an id, as far as its name tells; whether it did. */
  private isId(first: number, digits: string, key: number): boolean {
    const isFull = this.ids.at(-IDS_MAX * UNSAFE_ID_FIELDS) === this.index;
    const inGroups = this.depth === this.groupsDepth;
    const id = isFull ? undefined : unsafeId(this.bytes, { key, first, digits, inGroups });
    if (id === undefined) return false;
    this.ids.push(this.index, ...id);
    return true;
  }

  found(): Scan {
    if (this.listDepth !== -1) this.refuse("open", (this.list?.start ?? 1) - 1);
    const { refused, refusedAt, list, excesses, marks, ids, bits, hasWords } = this;
    if (list === undefined && bits !== 0) marks.push(bits);
    return { refused, refusedAt, list, excesses, marks, ids, hasWords };
  }

  /** Whether a list that begins here is the body, or the value of `batch` in it. */
  private isOfEvents(text: number): boolean {
    return this.depth === 0 || (this.depth === 1 && isTextAt(this.bytes, text, BATCH));
  }

  /** Notes a broken limit; where no item is to blame, the body is refused. */
  private exceed(excess: LimitViolation, at: number): number {
    this.bits |= MARK[excess];
    return this.listDepth === -1 ? this.refuse(excess, at) : at;
  }

  private refuse(reason: Scan["refused"], at: number): number {
    this.refused = reason;
    this.refusedAt = at;
    return this.bytes.length;
  }

  /** Ends an item at the comma or bracket after it. */
  private end(at: number): void {
    if (this.hasKey) this.part.bare = false;
    if (this.bits !== 0) this.mark(at);
    this.part.count += 1;
    this.part.end = at;
    this.begin(this.index + 1, at + 1);
  }

  private mark(end: number): void {
    const isExcess = this.bits > MARK.rounded + MARK.overflow;
    // Without a key it is no event, so its numbers are not reported.
    if (!(this.hasKey || isExcess)) return;
    this.part.bare = false;
    this.marks.push((this.index << MARK_BITS) | this.bits);
    if (isExcess) this.excesses.push(this.start, end);
  }

  private begin(index: number, start: number): void {
    this.index = index;
    this.start = start;
    this.nodes = 0;
    this.hasKey = false;
    this.bits = 0;
  }

  private flush(): void {
    this.list?.parts.push(this.part);
    this.part = partFrom(this.start);
  }
}

const partFrom = (start: number): Part => ({ start, end: start, count: 0, bare: true });

/** The item that a mark is about. */
export const itemOf = (mark: number) => mark >> MARK_BITS;

/** The limit that an item breaks by its mark. */
export function limitViolationOf(mark: number): LimitViolation | undefined {
  if (mark & MARK.depth) return "depth";
  if (mark & MARK.keys) return "keys";
  return mark & MARK.nodes ? "nodes" : undefined;
}

/** Digits from which on an integer may be more than a double holds exactly. */
const NOTABLE_DIGITS = 15;
