// Events at the same time are in the order of arrival. A number is compared faster than a row of two.
const PLACE = `epoch_us("timestamp")::HUGEINT * 9223372036854775808 + seq`;

/** Returns SQL of a value on the first event of a session. */
export const ofFirst = (value: string): string => `arg_min_null(${value}, ${PLACE})`;

/** Returns SQL of a value on the last event of a session that meets a condition. */
export const ofLast = (value: string, condition: string): string =>
  `arg_max_null(${value}, ${PLACE}) FILTER (${condition})`;

const first = (property: string) => `nullif(${ofFirst(`properties->>'/${property}'`)}, '')`;

/** Click identifiers of advertisements, as properties of events. */
const CLICKS = `gclid gad_source gclsrc dclid gbraid wbraid fbclid msclkid twclid li_fat_id mc_cid igshid ttclid`;

/** SQL of columns of `sessions`, over the events of each, that events have no column for. */
export const MORE_OF_SESSIONS: Readonly<Record<string, string>> = {
  $urls: `coalesce(list(DISTINCT "$current_url") FILTER ("$current_url" IS NOT NULL), [])`,
  $num_uniq_urls: `count(DISTINCT "$current_url")`,
  $entry_referrer: first("$referrer"),
  ...Object.fromEntries(CLICKS.split(" ").map((name) => [`$entry_${name}`, first(name)])),
};

const [SOURCE, MEDIUM, CAMPAIGN] = ["source", "medium", "campaign"].map(
  (name) => `lower(nullif("$entry_utm_${name}", ''))`,
);
const DOMAIN = `"$entry_referring_domain"`;

const when = (value: string | undefined, pattern: string, then: string) =>
  `WHEN regexp_matches(${value}, '^(?:${pattern})$') THEN '${then}'`;

/** Sites by the kind of visits that they send. PostHog's list of rare ones is longer. */
const SITES = {
  Search: String.raw`(?:.*\.)?(?:google|bing|yahoo|yandex|baidu|ecosia|duckduckgo|qwant|naver|seznam|startpage|aol|ask|sogou|360)(?:\.[a-z]{2,3}){0,2}|search\.brave\.com|adwords`,
  Social: String.raw`(?:.*\.)?(?:facebook|fb|instagram|ig|twitter|x|t\.co|linkedin|lnkd|pinterest|reddit|tiktok|snapchat|threads|quora|tumblr|vk|weibo|mastodon|bsky|medium|whatsapp|discord|telegram)(?:\.[a-z]{2,6})?|news\.ycombinator\.com`,
  Video: String.raw`(?:.*\.)?(?:youtube|vimeo|twitch|dailymotion|bilibili|netflix|hulu)(?:\.[a-z]{2,3})?|youtu\.be`,
  Shopping: String.raw`(?:.*\.)?(?:amazon|ebay|etsy|walmart|alibaba|aliexpress|shopify|mercadolibre|rakuten|shopping)(?:\.[a-z]{2,3}){0,2}`,
};

const siteOf = (value: string | undefined, kind: string) => {
  const email = when(
    value,
    String.raw`e[-_ ]?mail|newsletter|gmail|(?:e\.mail|mail|outlook)\..*`,
    "Email",
  );
  const sites = Object.entries(SITES).map(([site, names]) => when(value, names, `${kind} ${site}`));
  return `CASE ${kind === "Organic" ? email : ""} ${sites.join(" ")} END`;
};

/** The kind of a visit by its source, campaign, medium and referrer; the first known one counts. */
const channelBy = (kind: string, others: string) => `${siteOf(SOURCE, kind)},
  CASE ${when(CAMPAIGN, ".*(?:(?:[^a-df-z]|^)shop|shopping).*", `${kind} Shopping`)} END,
  CASE ${when(MEDIUM, "banner|cpm|display|expandable|interstitial", "Display")}
    ${when(MEDIUM, "sm|social|social[- ](?:media|network)", `${kind} Social`)}
    ${when(MEDIUM, "video", `${kind} Video`)} ${others} END,
  ${siteOf(DOMAIN, kind)},
  CASE WHEN ${CAMPAIGN} LIKE '%video%' AND coalesce("$entry_gad_source", '') <> '1' THEN '${kind} Video' END`;

/** PostHog's default rules for `$channel_type`. */
const CHANNEL = `CASE WHEN contains(${CAMPAIGN}, 'cross-network') THEN 'Cross Network'
  WHEN ${MEDIUM} IN ('cpc', 'cpm', 'cpv', 'cpa', 'ppc', 'retargeting') OR starts_with(${MEDIUM}, 'paid')
    OR "$entry_gclid" IS NOT NULL OR "$entry_gad_source" IS NOT NULL
  THEN coalesce(${channelBy("Paid", "")}, CASE WHEN "$entry_gad_source" = '1' THEN 'Paid Search'
    WHEN "$entry_fbclid" IS NOT NULL THEN 'Paid Social' ELSE 'Paid Unknown' END)
  WHEN ${DOMAIN} = '$direct' AND ${MEDIUM} IS NULL AND "$entry_fbclid" IS NULL
    AND coalesce(${SOURCE}, 'direct') IN ('(direct)', 'direct', '$direct') THEN 'Direct'
  ELSE coalesce(${channelBy(
    "Organic",
    `${when(MEDIUM, "affiliate|partnerships?", "Affiliate")} ${when(MEDIUM, "app|link|referral", "Referral")}
    ${when(MEDIUM, "audio", "Audio")} ${when(MEDIUM, "e[-_ ]?mail", "Email")}
    ${when(MEDIUM, "mobile|notification|.*push", "Push")}`,
  )}, CASE WHEN "$entry_fbclid" IS NOT NULL THEN 'Organic Social'
    WHEN ${DOMAIN} = '$direct' THEN 'Direct' WHEN ${DOMAIN} IS NOT NULL THEN 'Referral' ELSE 'Unknown' END)
  END`;

/** SQL of columns of `sessions` over its other ones. */
export const COMPUTED_OF_SESSIONS: Readonly<Record<string, string>> = { $channel_type: CHANNEL };
