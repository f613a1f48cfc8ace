import { PERSONAL_KEY } from "../start/server.ts";

/** A metric as a scrape finds it. */
export type ScrapedMetric = {
  type: string;
  help: string;
  samples: { labels: Record<string, string>; value: number }[];
};

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const COMMENT = new RegExp(`^# (HELP|TYPE) (${NAME}) (.+)$`);
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (-?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?)$`);
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y;
const HELP = /^(?:[^\\\n]|\\[\\n])+$/;

/**
 * Reads Prometheus's text format 0.0.4, more strictly than Prometheus does: HELP, TYPE and samples
 * of a metric in this order and in one place, no set of labels twice, no time stamps, blank lines
 * between metrics alone. Throws with the line that is wrong.
 */
export function parseMetrics(text: string): Map<string, ScrapedMetric> {
  if (!text.endsWith("\n")) throw new Error("The text does not end with a line feed");
  const metrics = new Map<string, ScrapedMetric>();
  let last = "";
  let awaited: string | undefined;
  for (const line of text.slice(0, -1).replaceAll("\n\n# HELP ", "\n# HELP ").split("\n")) {
    const [, keyword, name = "", rest = ""] = COMMENT.exec(line) ?? [];
    if (keyword === "HELP") {
      if (metrics.has(name) || awaited !== undefined || !HELP.test(rest)) throw wrong(line);
      metrics.set(name, { type: "", help: rest, samples: [] });
      awaited = name;
      last = name;
      continue;
    }
    if (keyword === "TYPE") {
      const metric = metrics.get(name);
      if (metric === undefined || awaited !== name || !/^(counter|gauge|histogram)$/.test(rest)) {
        throw wrong(line);
      }
      metric.type = rest;
      awaited = undefined;
      continue;
    }
    const [, sampled = "", labelSet, value = ""] = SAMPLE.exec(line) ?? [];
    const [, of = "", part = ""] = /^(.*)_(bucket|sum|count)$/.exec(sampled) ?? [];
    const isPart = metrics.get(of)?.type === "histogram";
    const metric = metrics.get(isPart ? of : sampled);
    const isInPlace = last === (isPart ? of : sampled) && awaited === undefined;
    if (metric === undefined || !isInPlace) throw wrong(line);
    if (isPart !== (metric.type === "histogram")) throw wrong(line);
    const labels = {
      ...(labelSet === undefined ? {} : parseLabels(labelSet, line)),
      ...(isPart ? { part } : {}),
    };
    const same = metric.samples.some((known) => Bun.deepEquals(known.labels, labels));
    const falling = metric.type === "counter" && Number(value) < 0;
    if (same || falling || !Number.isFinite(Number(value))) throw wrong(line);
    metric.samples.push({ labels, value: Number(value) });
  }
  if (awaited !== undefined) throw new Error(`${awaited} has no TYPE`);
  for (const [name, { type }] of metrics) {
    if ((type === "counter") !== name.endsWith("_total")) throw new Error(`${name} is a ${type}`);
  }
  return metrics;
}

function parseLabels(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (LABEL.lastIndex = 0; LABEL.lastIndex < text.length; ) {
    const [, name = "", value = ""] = LABEL.exec(text) ?? [];
    if (name === "" || name in labels) throw wrong(line);
    labels[name] = value.replace(/\\(.)/g, (_, escaped) => (escaped === "n" ? "\n" : escaped));
  }
  return labels;
}

function wrong(line: string): Error {
  return new Error(`Not in the text format: ${line}`);
}

/** The value of a metric's sample with exactly these labels, for a histogram of its `part`; 0 without a sample. */
export function metricValue(
  metrics: ReadonlyMap<string, ScrapedMetric>,
  name: string,
  labels: Record<string, string> = {},
): number {
  const metric = metrics.get(name);
  if (metric === undefined) throw new Error(`There is no metric ${name}`);
  return metric.samples.find((sample) => Bun.deepEquals(sample.labels, labels))?.value ?? 0;
}

/** The metrics of a server. */
export async function scrape({ url }: { url: string }): Promise<Map<string, ScrapedMetric>> {
  const response = await fetch(`${url}/metrics`, {
    headers: { authorization: `Bearer ${PERSONAL_KEY}` },
  });
  if (!response.ok) throw new Error(`/metrics: ${response.status}`);
  return parseMetrics(await response.text());
}

/** Waits until the stores have all that the server has accepted. */
export async function caughtUp(server: { url: string }): Promise<void> {
  while (metricValue(await scrape(server), "hoglet_ingest_lag_events") > 0) await Bun.sleep(20);
}
