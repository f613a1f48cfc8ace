import type { Page } from "playwright-core";

export type Query = Record<string, unknown>;

export const node = (event: string, more: object = {}) => ({ kind: "EventsNode", event, ...more });
export const dateRange = { date_from: "-6d" };
export const TREND = {
  kind: "TrendsQuery",
  series: [node("purchase")],
  interval: "day",
  dateRange,
};
export const BROKEN = {
  ...TREND,
  breakdownFilter: { breakdown: "channel", breakdown_type: "event" },
};
export const STEPS = [node("signup"), node("purchase")];
export const FUNNEL = { kind: "FunnelsQuery", series: STEPS, dateRange };
export const FUNNEL_BY = {
  ...FUNNEL,
  breakdownFilter: { breakdown: "channel", breakdown_limit: 5 },
};
export const RETENTION = { kind: "RetentionQuery", dateRange, retentionFilter: { period: "Day" } };
export const PATHS = { kind: "PathsQuery", dateRange };
export const PEOPLE = { kind: "ActorsQuery", select: ["person"] };
export const EVENTS = { kind: "EventsQuery", select: ["event"], after: "-6d" };
export const viz = (funnelVizType: string, query: object = FUNNEL) => ({
  ...{ ...query, funnelsFilter: { funnelVizType }, interval: "day" },
});

/** Steps by the pointer and by keys in an open page. */
export const press = (name: string | RegExp) => (page: Page) =>
  page
    .getByRole("button", { name, exact: typeof name === "string" })
    .first()
    .click();
export const type = (text: string) => async (page: Page) => {
  await page.keyboard.type(text);
  await page.locator("[role=combobox][aria-busy=false]").last().waitFor();
  await page.keyboard.press("Enter");
};
export const select = (label: string, value: string) => (page: Page) =>
  page
    .getByLabel(label, { exact: true })
    .last()
    .selectOption(value)
    .then(() => undefined);
export const fill = (label: string, text: string) => async (page: Page) => {
  const field = page.getByLabel(label, { exact: true }).last();
  await field.fill(text);
  await field.press("Enter");
};
export const tab = (name: string) => (page: Page) => page.getByRole("tab", { name }).click();
export const pick = (button: string | RegExp, ...texts: string[]) => [
  press(button),
  ...texts.map(type),
];
export const option = (label: string, value: string) => [press("Options"), select(label, value)];
export const typed = (label: string, text: string) => [press("Options"), fill(label, text)];
export const tick = (name: string) => async (page: Page) => {
  await page.getByRole("option", { name }).first().click();
  await page.keyboard.press("Escape");
};

export const FILTER = { key: "channel", operator: "exact", value: "ads", type: "event" };
export const DID = { type: "behavioral", key: "purchase", event_type: "events", negation: false };
export const behavior = (...steps: Step[]) => [
  ...[press("Filter"), tab("Behavior"), type("purchase"), ...steps, press("Apply")],
];
export const did = (more: object) => ({ properties: [{ ...DID, ...more }] });
export const money = { math: "sum", math_property: "amount" };

export type Step = (page: Page) => Promise<void>;

/** How a field of a query is set in the console: from which query, by which steps, and the fields that it has then. */
export type Field = [name: string, from: object, steps: Step[], expected: object];
