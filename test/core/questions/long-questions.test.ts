import { describe, expect, test } from "bun:test";
import type { ProjectVocabulary } from "../../../src/core/ports/vocabulary.ts";
import { readQuestion, WORDS_CHARS_MAX } from "../../../src/core/questions/question.ts";
import { HOSTILE_TEXTS } from "../../support/answers/hostile.ts";
import { questionsOf, TODAY, vocabularyOf } from "../../support/data/questions.ts";
import { randomChoices } from "../../support/data/random-choices.ts";
import { rounds, seedOf } from "../../support/start/rounds.ts";

const SHOP = vocabularyOf("shop");

/** Texts with a meaning for regular expressions, for the marks between the words of a question, or for text itself. */
const SIGNS = [
  ...["<", ">", "|", "<|>", "<0|EV|x>", "a|EV|b", "<3|PROP", ">>", "->", "_", "\u0001", "\0"],
  ...['"', "'", "“", "”", '\\"', "`", "\\", "(", "[", "{", "*", "+", "?", "^", "$", ".*", "(a+)+$"],
  ...["🦔", "e\u0301", "\u202e", "\ud800", "ß", "٣", "１２", "constructor", "__proto__", "-", "=="],
];

/** Fails unless a question is read, or refused at places that it has. */
function expectRead(question: string, vocabulary: ProjectVocabulary): void {
  const read = readQuestion(question, vocabulary, TODAY);
  for (const { start, end } of read.query === null ? read.unknown : []) {
    expect([question, start >= 0, end <= question.length, start <= end]).toEqual([
      ...[question, true, true, true],
    ]);
  }
  for (const { start, end } of read.parts) {
    expect([question, start >= 0, end <= question.length]).toEqual([question, true, true]);
  }
}

describe("a question is read or refused, and never fails", () => {
  test.each([...SIGNS, ...HOSTILE_TEXTS])("with %j in it", (sign) => {
    for (const question of [
      sign,
      `purchases ${sign} last 7 days`,
      `purchases by ${sign}`,
      `purchases where product is "${sign}" last 7 days`,
      `${sign}purchases${sign} by country${sign}`,
      sign.repeat(40).slice(0, 40),
    ]) {
      expectRead(question.slice(0, WORDS_CHARS_MAX), SHOP);
    }
  });

  test("of any words of others, in any order", () => {
    const seed = seedOf();
    const { pick, several } = randomChoices(seed);
    const words = questionsOf("shop").flatMap(({ question }) => question.split(" "));
    for (let round = 0; round < rounds(60, 3000); round += 1) {
      const text = several(14, () => pick([...words, ...SIGNS])).join(pick([" ", " ", ", ", ""]));
      expectRead(text.slice(0, WORDS_CHARS_MAX), SHOP);
    }
  });

  test("of names that mean something else", () => {
    const properties = ["constructor", "|", "<1|EV|>", "by", "", "a\0b", "(", "\\"].map((name) => ({
      ...{ name, type: "text" as const, count: 1 },
    }));
    const vocabulary: ProjectVocabulary = {
      events: ["toString", "EV|x", "of", "", "🦔", "a".repeat(200)].map((name) => ({
        ...{ name, count: 1, properties, alsoCalled: ["", "|"] },
      })),
      ...{ person_properties: properties, propertiesAlsoCalled: [] },
      groups: [{ group_type: "", group_type_index: 0, properties }],
      values: properties.map(({ name }) => ({
        ...{ of: { type: "person" as const }, property: name, value: name, count: 1 },
      })),
    };
    for (const sign of [...SIGNS, "toString by constructor", "of of by by", "EV|x"]) {
      expectRead(`${sign} last 7 days`, vocabulary);
    }
  });
});

/** Searches with regular expressions that reading a question makes, weighed by the thousand characters of their texts. */
function stepsOf(question: string, vocabulary: ProjectVocabulary): number {
  const { exec } = RegExp.prototype;
  let steps = 0;
  RegExp.prototype.exec = function counted(this: RegExp, text: string) {
    steps += 1 + text.length / 1000;
    return exec.call(this, text);
  };
  try {
    readQuestion(question, vocabulary, TODAY);
    return steps;
  } finally {
    RegExp.prototype.exec = exec;
  }
}

describe("the work for a question grows with its length alone", () => {
  const phrase = "purchases by country where product is Tent and ";
  const long = (chars: number) => phrase.repeat(Math.ceil(chars / phrase.length)).slice(0, chars);

  test("twice as many words are about twice as many steps", () => {
    const [half, whole] = [stepsOf(long(150), SHOP), stepsOf(long(300), SHOP)];
    expect(whole).toBeLessThan(3 * half);
  });

  test("ten times as many names are not ten times as many steps", () => {
    const named = (count: number): ProjectVocabulary => ({
      ...SHOP,
      events: [
        ...SHOP.events,
        ...Array.from({ length: count }, (_, at) => ({
          ...{ name: `event number ${at}`, count: 1, properties: [], alsoCalled: [] },
        })),
      ],
    });
    const [few, many] = [named(100), named(1000)];
    for (const vocabulary of [few, many]) readQuestion("purchases", vocabulary, TODAY);
    const question = "how many purchases by country last 7 days";
    expect(stepsOf(question, many)).toBeLessThan(2 * stepsOf(question, few));
  });
});
