import { type Browser, chromium, type Page } from "playwright-core";
import { WAIT_MS_MAX } from "./patience.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** Nothing that Chromium would ask for on its own account, and nothing a container refuses. */
const FLAGS = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
];

/**
 * Starts Chromium, in which tests wait for anything as long as {@link WAIT_MS_MAX}. Without it, throws an error that
 * has the command to install it.
 */
export async function launchChromium(): Promise<Browser> {
  const executablePath = chromiumPath(process.env);
  const browser = await chromium.launch({ executablePath, args: FLAGS, timeout: WAIT_MS_MAX });
  browser.on("context", (context) => context.setDefaultTimeout(WAIT_MS_MAX));
  return browser;
}

/** Where Chromium is: `CHROMIUM_PATH`, or the first of its names on `PATH`. */
export function chromiumPath(env: Record<string, string | undefined>): string {
  const given = env["CHROMIUM_PATH"];
  if (given) return given;
  const found = NAMES.map((name) => Bun.which(name, { PATH: env["PATH"] ?? "" }));
  const path = found.find((candidate) => candidate !== null);
  if (path) return path;
  throw new Error(
    "Browser tests need Chromium. Install it (Debian: apt-get install -y chromium), or set CHROMIUM_PATH.",
  );
}

/**
 * Collects the problems of a page as they happen: errors and warnings in its console, exceptions,
 * requests that fail and answers from 400 on. A page that polls gives up a request when it is left, which
 * is no problem with `mayGiveUp`.
 */
export function problemsOf(page: Page, { mayGiveUp = false } = {}): string[] {
  const problems: string[] = [];
  page.on("console", (message) => {
    const type = message.type();
    if (type === "error" || type === "warning") problems.push(`${type}: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`exception: ${error.message}`));
  page.on("requestfailed", (request) => {
    const error = request.failure()?.errorText;
    if (mayGiveUp && error === "net::ERR_ABORTED") return;
    problems.push(`${request.method()} ${request.url()}: ${error}`);
  });
  page.on("response", (response) => {
    if (response.status() < 400) return;
    problems.push(`${response.request().method()} ${response.url()}: ${response.status()}`);
  });
  return problems;
}
