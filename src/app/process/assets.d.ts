/* Files that the build embeds as files: the path of one. */
declare module "*.bin" {
  const path: string;
  export default path;
}

declare module "*.woff2" {
  const path: string;
  export default path;
}

/* Files that the build embeds as text. */
declare module "*.sql" {
  const text: string;
  export default text;
}

declare module "*.md" {
  const text: string;
  export default text;
}

declare module "*.css" {
  const text: string;
  export default text;
}

declare module "swagger-ui-dist/*" {
  const text: string;
  export default text;
}

/* Each path is declared by itself, because the package's own types describe these scripts as modules. */
declare module "posthog-js/dist/array.js" {
  const text: string;
  export default text;
}

declare module "posthog-js/dist/dead-clicks-autocapture.js" {
  const text: string;
  export default text;
}

declare module "posthog-js/dist/exception-autocapture.js" {
  const text: string;
  export default text;
}

declare module "posthog-js/dist/logs.js" {
  const text: string;
  export default text;
}

declare module "posthog-js/dist/tracing-headers.js" {
  const text: string;
  export default text;
}

declare module "posthog-js/dist/web-vitals.js" {
  const text: string;
  export default text;
}

declare module "posthog-js/dist/web-vitals-soft-navs.js" {
  const text: string;
  export default text;
}

declare module "posthog-js/dist/web-vitals-with-attribution.js" {
  const text: string;
  export default text;
}

declare module "posthog-js/dist/web-vitals-with-attribution-soft-navs.js" {
  const text: string;
  export default text;
}

/* The used parts of prom-client. All of it would load HTTP clients and OpenTelemetry at each start. */
declare module "prom-client/lib/counter.js" {
  export { Counter as default } from "prom-client";
}
declare module "prom-client/lib/gauge.js" {
  export { Gauge as default } from "prom-client";
}
declare module "prom-client/lib/histogram.js" {
  export { Histogram as default } from "prom-client";
}
declare module "prom-client/lib/registry.js" {
  export { Registry as default } from "prom-client";
}
