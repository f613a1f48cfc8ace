import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProjectVocabulary } from "../../../src/core/ports/vocabulary.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";
import { ROOT } from "../start/server.ts";

/** Businesses whose questions and names are in `test/fixtures/questions`. */
export const BUSINESSES = ["shop", "saas"] as const;
export type Business = (typeof BUSINESSES)[number];

/** The time at which the questions of the fixtures are asked, on the clock of the project. */
export const TODAY = "2026-11-28T16:00:00";

/** A question with the query that it asks for, or with words that refuse it. */
export type Asked = { question: string } & ({ query: JsonObject } | { refused: string[] });

const fixture = (name: string) =>
  readFileSync(join(ROOT, "test/fixtures/questions", name), "utf8").trimEnd();

export const vocabularyOf = (business: Business): ProjectVocabulary =>
  JSON.parse(fixture(`${business}.vocabulary.json`));

export const questionsOf = (business: Business): Asked[] =>
  fixture(`${business}.jsonl`)
    .split("\n")
    .map((line) => JSON.parse(line));
