/** Words that a question has a use for beside names. */
export const OWN_WORDS: ReadonlySet<string> = new Set(
  `all and avg average by compared count daily day distinct events excluding first for from funnel hour hourly in
  last lifecycle max maximum median min minimum month monthly number of on or ordered over p50 p75 p90 p95 p99
  past path paths per person persons previous recurring retention screen session sessions since stickiness strict
  sum the then to today top total trend trends unique unordered until user users versus visitor visitors vs with
  within without week weekly year yesterday`.split(/\s+/),
);
