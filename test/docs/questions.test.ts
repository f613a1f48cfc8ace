import { expect, test } from "bun:test";
import { questionsPage } from "../../scripts/build/questions-page.ts";
import type {
  NamedProperty,
  ProjectVocabulary,
  ValueType,
} from "../../src/core/ports/vocabulary.ts";
import { readQuestion } from "../../src/core/questions/question.ts";

const named = (names: string, type: ValueType = "text"): NamedProperty[] =>
  names.split(" ").map((name) => ({ name, type, count: 10 }));

const COMMON = named(
  "$pathname $browser $device_type $geoip_country_name $referring_domain utm_source",
);

const event = (name: string, ...properties: NamedProperty[]) => ({
  ...{ name, count: 10, properties: [...COMMON, ...properties], alsoCalled: [] as string[] },
});

/** The names of the shop that the examples of the page are about. */
const SHOP: ProjectVocabulary = {
  events: [
    event("$pageview"),
    event("product viewed", ...named("product")),
    event("add_to_cart", ...named("product")),
    event("checkout started"),
    event("signed up"),
    event("search", ...named("query")),
    event("purchase", ...named("amount", "number"), ...named("product payment coupon $group_0")),
    {
      ...event("task_created", ...named("duration_ms", "number"), ...named("priority")),
      alsoCalled: ["to-do", "ticket"],
    },
  ],
  person_properties: named("email plan"),
  groups: [{ group_type: "company", group_type_index: 0, properties: named("name industry") }],
  values: [
    ...["Germany", "France"].map((value) => of("purchase", "$geoip_country_name", value)),
    of("$pageview", "$geoip_country_name", "France"),
    of("$pageview", "$pathname", "/pricing"),
    of("$pageview", "$pathname", "/checkout"),
    of("purchase", "payment", "paypal"),
    { of: { type: "person" }, property: "plan", value: "pro", count: 5 },
  ],
  propertiesAlsoCalled: [],
};

function of(name: string, property: string, value: string): ProjectVocabulary["values"][number] {
  return { of: { type: "event", event: name }, property, value, count: 5 };
}

const examples = (
  questionsPage()
    .split("\n\n")
    .find((part) => part.startsWith("| about")) ?? ""
)
  .split("\n")
  .slice(2)
  .flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, question = ""]) => question));

test("the page has examples", () => {
  expect(examples.length).toBeGreaterThan(20);
});

test.each([
  ...examples,
  "how many orders from Germany in the last 30 days?",
  "how many tickets per week",
  "created tasks",
  "task creations",
  "visitors on pro",
  "orders by industry",
  'users of "task_created"',
  'visitors by person."plan"',
])("a shop is answered: %s", (question) => {
  expect(readQuestion(question, SHOP, "2026-11-28T12:00:00.000Z")).toMatchObject({
    query: { kind: expect.any(String) },
  });
});
