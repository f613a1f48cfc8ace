import { expect, test } from "bun:test";
import { readQuestion } from "../../../src/core/questions/question.ts";
import { INSTEAD, insteadOf, insteadOfPath } from "../../../src/core/values/instead.ts";
import { TODAY, vocabularyOf } from "../../support/data/questions.ts";

test("a name has one line, which says what to write in plain words", () => {
  for (const table of Object.values(INSTEAD)) {
    for (const [name, advice] of Object.entries<string>(table)) {
      expect(name).toMatch(/^\S+$/);
      expect(advice).toMatch(/\b(?:write|ask|GET|POST|PATCH|DELETE|send|leave)\b/);
      expect(advice).not.toMatch(/[.;]$/);
    }
  }
});

test("the sentence of a name has the name, that of other names is empty", () => {
  expect(insteadOf("kind", "HogQuery")).toBe(
    "HogQuery is not taken here: programs in Hog do not run; write SQL as a HogQLQuery. ",
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
  ["/api/action/3/", "…/actions/ is not served here: "],
  ["/api/projects/1/insights/aBc/sharing", "…/insights/sharing/ is not served here: "],
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

test("below the path of a thing, only names of PostHog's count", () => {
  expect(insteadOfPath("/api/projects/1/persons/cohorts/", "below")).not.toBe("");
  for (const path of [
    "logs/query/",
    "max_tools/create_and_query_insight/",
    "persons/1/activity/",
  ]) {
    expect(insteadOfPath(`/api/projects/1/${path}`, "below")).toBe("");
  }
});

const QUESTIONS = Object.values(INSTEAD.kind).flatMap((advice) =>
  [...advice.matchAll(/"([^"]+)"/g)].map(([, question = ""]) => question),
);

test.each([...new Set(QUESTIONS)])("the question that is offered is understood: %s", (question) => {
  const { query } = readQuestion(question, vocabularyOf("saas"), TODAY);
  expect(query).not.toBeNull();
});
