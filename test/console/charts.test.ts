import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { drawn, pairsOf } from "../../src/console/charts/series.ts";
import { launchChromium } from "../support/start/chromium.ts";
import { type Console, openConsole } from "../support/start/console.ts";
import {
  type Answer,
  BY_BROWSER,
  captureVisitors,
  flaws,
  node,
  place,
  send,
  trend,
} from "../support/start/insight-page.ts";
import { ROOT } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const server = sharedServer();
let browser: Browser;
let opened: Console;

type Drawing = {
  strokes: { colour: string; width: number; dash: number[] }[];
  texts: { text: string; left: number; right: number; top: number; bottom: number }[];
};

/** Notes the lines and the words that are drawn on a canvas of the page since it was cleared. */
const WATCH_CANVAS = `
  const drawings = new WeakMap();
  const of = ({ canvas }) => drawings.get(canvas) ?? (drawings.set(canvas, { strokes: [], texts: [] }), drawings.get(canvas));
  const { clearRect, stroke, fillText } = CanvasRenderingContext2D.prototype;
  Object.assign(CanvasRenderingContext2D.prototype, {
    clearRect(...all) {
      drawings.delete(this.canvas);
      return clearRect.apply(this, all);
    },
    stroke(...all) {
      const dash = this.getLineDash().map((one) => one / devicePixelRatio);
      of(this).strokes.push({ colour: this.strokeStyle, width: this.lineWidth / devicePixelRatio, dash });
      return stroke.apply(this, all);
    },
    fillText(text, x, y) {
      const { actualBoundingBoxLeft: left, actualBoundingBoxRight: right, actualBoundingBoxAscent: up,
        actualBoundingBoxDescent: down } = this.measureText(text);
      if (text !== "") of(this).texts.push({ text, left: x - left, right: x + right, top: y - up, bottom: y + down });
      return fillText.call(this, text, x, y);
    },
  });
  window.drawing = () => drawings.get(document.querySelector(".plot canvas"));
`;

const drawing = async () => (await opened.page.evaluate("drawing()")) as Drawing;

/** The colours of the lines that are drawn; those of the grid are thinner. */
const linesIn = ({ strokes }: Drawing) => [
  ...new Set(strokes.filter(({ width }) => width >= 1.5).map(({ colour }) => colour)),
];

beforeAll(async () => {
  browser = await launchChromium();
  await captureVisitors(server);
  opened = await openConsole(browser, server);
  await opened.page.addInitScript(`{${WATCH_CANVAS}}`);
});

afterAll(async () => {
  await opened?.[Symbol.asyncDispose]();
  await browser?.close();
});

const ask = (query: object) => send<Answer>(server, "POST", "query/", { query });
const COMPARED = { compareFilter: { compare: true } };

/** The numbers that the axis of a colour has, as WCAG weighs them. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

test("each colour of a chart stands out from the page and the card, in both themes", () => {
  const [light, dark] = ["tokens", "chart-tokens"]
    .map((name) => readFileSync(join(ROOT, `src/console/styles/${name}.css`), "utf8"))
    .map((text) => text.split('[data-theme="dark"]'))
    .reduce((sum, [a = "", b = ""]) => [`${sum[0]}${a}`, `${sum[1]}${b}`], ["", ""]);
  for (const theme of [light ?? "", dark ?? ""]) {
    const colours = Object.fromEntries(
      [...theme.matchAll(/--([\w-]+): (#\w{6});/g)].map(([, name, value]) => [name, value]),
    );
    const charts = Object.keys(colours).filter((name) => /^chart-\d$/.test(name));
    expect(charts).toHaveLength(8);
    const weak = charts.flatMap((name) =>
      ["page", "card"]
        .filter((ground) => contrast(colours[name] ?? "", colours[ground] ?? "") < 3)
        .map((ground) => `${name} on ${ground}`),
    );
    expect(weak).toEqual([]);
  }
});

test("lines of one name have their own line of the period before, and bars of several none", () => {
  const line = (data: number[], isBefore = false) => ({ label: "buys", data: data, isBefore });
  const lines = [line([1]), line([2]), line([3], true), line([4], true)];
  expect(pairsOf(lines).map(({ now, before }) => [now.data, before?.data])).toEqual([
    [[1], [3]],
    [[2], [4]],
  ]);
  expect(drawn(lines).map(({ from, place }) => [from, place])).toEqual([
    ...[
      [0, 0],
      [2, 0],
      [1, 1],
      [3, 1],
    ],
  ]);
  expect(drawn(lines, "bars").map(({ from }) => from)).toEqual([0, 1]);
  expect(drawn([line([1]), line([3], true)], "bars")).toHaveLength(2);
});

describe("a chart", () => {
  test("of six lines that are compared draws the past of the one under the pointer alone", async () => {
    const { page, go } = opened;
    const query = trend([node("$pageview")], { ...BY_BROWSER, ...COMPARED });
    const { columns, results } = await ask(query);
    // Six values and the others.
    expect(results).toHaveLength(14);
    await go(
      place({
        ...query,
        breakdownFilter: { ...BY_BROWSER.breakdownFilter, breakdown_hide_other_aggregation: true },
      }),
    );
    await page.locator(".u-over").waitFor();
    expect(linesIn(await drawing())).toHaveLength(6);
    const { width, height } = (await page.locator(".u-over").boundingBox()) ?? {
      width: 0,
      height: 0,
    };
    await page.locator(".u-over").hover({ position: { x: width / 2, y: 8 } });
    await page.locator(".tip").waitFor();
    expect(linesIn(await drawing())).toHaveLength(7);
    const chosen = await page.locator(".tip-name.chosen").textContent();
    await page.locator(".u-over").hover({ position: { x: width / 2, y: height - 4 } });
    await page
      .locator(".tip-name.chosen")
      .getByText(chosen ?? "")
      .waitFor({ state: "detached" });
    expect(linesIn(await drawing())).toHaveLength(7);

    // The card has all of them with their past, the greatest first.
    const middle = (columns.length - 1) / 2;
    const numbers = results.flatMap(({ breakdown_value: value, compare_label, data }) => {
      if (compare_label !== "current" || value?.startsWith("$")) return [];
      const before = results.find(
        (line) => line.compare_label === "previous" && line.breakdown_value === value,
      );
      return [[data[middle] ?? 0, before?.data[middle] ?? 0]];
    });
    const rows = await page.locator(".tip tr").allInnerTexts();
    const cells = rows.map((row) => row.split("\t").slice(1, 3).map(Number));
    const inOrder = (pairs: number[][]) =>
      pairs.toSorted(([a = 0, c = 0], [b = 0, d = 0]) => b - a || d - c);
    expect(inOrder(cells)).toEqual(inOrder(numbers));
    expect(cells.map(([value]) => value)).toEqual(inOrder(numbers).map(([value]) => value));
  });

  test("says both days, both numbers and their change at the pointer, inside the window", async () => {
    const { page, go } = opened;
    const query = trend([node("$pageview", "dau")], COMPARED);
    const { columns, results } = await ask(query);
    await go(place(query));
    const over = page.locator(".u-over");
    const before = (await page.locator(".plot").boundingBox()) ?? {
      x: 0,
      y: 0,
      width: 0,
      height: 0,
    };
    const { width } = (await over.boundingBox()) ?? { width: 0 };
    const named = (day = "") => {
      const options = {
        weekday: "short",
        day: "numeric",
        month: "short",
        timeZone: "UTC",
      } as const;
      return new Intl.DateTimeFormat("en-GB", options).format(new Date(day)).replace(",", "");
    };
    for (const [at, column] of columns.entries()) {
      await over.hover({ position: { x: Math.min(width - 1, (at * width) / 6), y: 100 } });
      const soFar = at === 6 ? " so far" : "";
      const head = `${named(column)}${soFar} vs ${named(results[1]?.days?.[at])}`;
      await page.locator(".tip-head").getByText(head, { exact: true }).waitFor();
      const [value = 0, old = 0] = results.map(({ data }) => data[at] ?? 0);
      const change = Math.round(Math.abs((1000 * (value - old)) / old)) / 10;
      const text = change === 0 ? "" : `${value > old ? "+" : "−"}${change}%`;
      const cells = await page.locator(".tip td").allTextContents();
      expect(cells).toEqual([String(value), String(old), text]);
      const card = (await page.locator(".tip").boundingBox()) ?? { x: -1, width: 0 };
      expect(card.x).toBeGreaterThanOrEqual(0);
      expect(card.x + card.width).toBeLessThanOrEqual(1440);
    }
    // Nothing on the page moves for the card.
    expect(await page.locator(".plot").boundingBox()).toEqual(before);
    await page.mouse.move(0, 0);
    await page.locator(".tip").waitFor({ state: "detached" });
  });

  test("is read by keys: a card moves along, is said politely, and goes with Escape", async () => {
    const { page, go, problems } = opened;
    const query = trend([node("$pageview", "dau"), node("purchase", "dau")], COMPARED);
    const { results } = await ask(query);
    await go(place(query));
    await page.locator(".u-over").waitFor();
    await page.getByRole("application").focus();
    await page.keyboard.press("Home");
    const first = await page.locator(".tip").boundingBox();
    const said = (label: string, event: string, at: number) => {
      const [value, old] = ["current", "previous"].map(
        (period) =>
          results.find(
            (line) => line.compare_label === period && line.label === `unique users of ${event}`,
          )?.data[at],
      );
      return page
        .locator("output")
        .getByText(`${label}: ${value}, period before ${old}`)
        .waitFor({ state: "attached" });
    };
    await said("Visitors", "$pageview", 0);
    await page.keyboard.press("ArrowRight");
    await said("Visitors", "$pageview", 1);
    expect((await page.locator(".tip").boundingBox())?.x).toBeGreaterThan(first?.x ?? 0);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await said("unique users of purchase", "purchase", 1);
    await page.locator(".tip-name.chosen").getByText("purchase").waitFor();
    expect(await flaws(opened)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.locator(".tip").waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  test("dashes only the running day, and says that it runs", async () => {
    const { page, go } = opened;
    await go(place(trend([node("$pageview"), node("purchase")])));
    await page.locator(".u-over").waitFor();
    const { strokes, texts } = await drawing();
    const [whole, dashed] = [[], [4, 4]].map((dash) =>
      strokes.filter((one) => one.width === 2 && one.dash.join() === dash.join()),
    );
    expect(whole).toHaveLength(2);
    expect(dashed).toHaveLength(2);
    expect(texts.map(({ text }) => text)).toContain("so far");
    await go(
      place(trend([node("$pageview")], { dateRange: { date_from: "-6d", date_to: "-1d" } })),
    );
    await page.locator(".u-over").waitFor();
    const past = await drawing();
    expect(
      past.strokes.filter(({ width, dash }) => width === 2 && dash.length > 0).length,
    ).toBeLessThanOrEqual(1);
    expect(past.texts.map(({ text }) => text)).not.toContain("so far");
  });

  test.each([1440, 360])("has no two words over each other at %p px", async (width) => {
    const { page, go } = opened;
    await page.setViewportSize({ width, height: 900 });
    const three = ["$pageview", "purchase"].map((event) => node(event));
    for (const query of [
      trend(three),
      trend([...three, node("$pageview", "dau")]),
      trend(three, { dateRange: { date_from: "-89d" } }),
      trend(three, { interval: "hour", dateRange: { date_from: "-1d" } }),
      trend(three, { interval: "week", dateRange: { date_from: "-60d" } }),
      trend([node("$pageview")], { ...BY_BROWSER, trendsFilter: { display: "ActionsBar" } }),
    ]) {
      await go(place(query));
      await page.locator(".u-over").waitFor();
      const { texts } = await drawing();
      expect(texts.length).toBeGreaterThan(4);
      const over = texts.flatMap((one, at) =>
        texts
          .slice(at + 1)
          .filter(
            (other) =>
              one.left < other.right &&
              other.left < one.right &&
              one.top < other.bottom &&
              other.top < one.bottom,
          )
          .map((other) => `${one.text} / ${other.text}`),
      );
      expect(over).toEqual([]);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  });
});
