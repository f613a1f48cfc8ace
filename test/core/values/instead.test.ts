import { expect, test } from "bun:test";
import { readQuestion } from "../../../src/core/questions/question.ts";
import { INSTEAD, insteadOf, insteadOfPath } from "../../../src/core/values/instead.ts";
import { TODAY, vocabularyOf } from "../../support/data/questions.ts";

test("a name has one line, which says what to write in plain words", () => {
  for (const table of Object.values(INSTEAD)) {
    for (const [name, advice] of Object.entries<string>(table)) {
      expect(name).toMatch(/^\S+$/);
      expect(advice).toMatch(/\b(?:write|ask|GET|POST|send|leave)\b/);
      expect(advice).not.toMatch(/[.;]$/);
    }
  }
});

test("the sentence of a name has the name, that of other names is empty", () => {
  expect(insteadOf("kind", "HogQuery")).toBe(
    "HogQuery is not taken here: programs in Hog do not run here: write SQL as a HogQLQuery. ",
  );
  for (const name of ["constructor", "__proto__", "TrendsQuery", null, 7, {}]) {
    expect(insteadOf("kind", name)).toBe("");
  }
  expect(insteadOf("constructor", "name")).toBe("");
});

test.each([
  [
    "/api/projects/1/feature_flags/",
    "…/feature_flags/ is not served here: there are no feature flags",
  ],
  ["/api/environments/7/feature_flags/my_flags", "…/feature_flags/ is not served here: "],
  ["/api/environments/7/dashboards/12/run_insights/", "…/dashboards/run_insights/ is not served"],
  ["/api/organizations/x/members/", "…/members/ is not served here: there is one user"],
  ["/api/projects/@current/error_tracking/issues/1/", "…/error_tracking/ is not served here: "],
])("the address %s has the sentence of its path", (path, sentence) => {
  expect(insteadOfPath(path)).toStartWith(sentence);
});

test("an address of nothing that PostHog has is not found, and no more", () => {
  for (const path of [
    "",
    "/",
    "/api/",
    "/surveys/",
    "/api/projects/1/",
    "/api/projects/1/surveys2/",
  ]) {
    expect(insteadOfPath(path)).toBe("");
  }
});

const QUESTIONS = Object.values(INSTEAD.kind).flatMap((advice) =>
  [...advice.matchAll(/"([^"]+)"/g)].map(([, question = ""]) => question),
);

test.each([...new Set(QUESTIONS)])("the question that is offered is understood: %s", (question) => {
  const { query } = readQuestion(question, vocabularyOf("saas"), TODAY);
  expect(query).not.toBeNull();
});
