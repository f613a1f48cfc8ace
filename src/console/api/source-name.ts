/** Sites that people know by another name than their domain, by the name that it has before its ending. */
const NAMES: Record<string, string> = {
  ...{ google: "Google", bing: "Bing", duckduckgo: "DuckDuckGo", ecosia: "Ecosia", yahoo: "Yahoo" },
  ...{ baidu: "Baidu", yandex: "Yandex", facebook: "Facebook", instagram: "Instagram", x: "X" },
  ...{ twitter: "X", linkedin: "LinkedIn", youtube: "YouTube", reddit: "Reddit", github: "GitHub" },
  ...{ pinterest: "Pinterest", tiktok: "TikTok", chatgpt: "ChatGPT", perplexity: "Perplexity" },
};

/** Short addresses of such sites, which have another domain. */
const SHORT: Record<string, string> = {
  ...{ "t.co": "X", "lnkd.in": "LinkedIn", "youtu.be": "YouTube", "redd.it": "Reddit" },
  ...{ "fb.com": "Facebook", "news.ycombinator.com": "Hacker News" },
};

/** Endings of domains that are of countries or of all, such as `com` and `co.uk`. */
const ENDING = /\.(?:(?:com?|org|net)\.)?(?:com|org|net|ai|[a-z]{2})$/;

/** The name of a referring domain, such as `Google` of `www.google.co.uk`, or `Direct` of none; else the domain itself. */
export function sourceName(domain: string): string {
  if (domain === "$direct") return "Direct";
  const bare = domain.replace(/^(?:www|m|l|lm|out|old|mobile)\./, "");
  const site = ENDING.test(bare) ? bare.replace(ENDING, "") : "";
  return SHORT[bare] ?? (Object.hasOwn(NAMES, site) ? NAMES[site] : undefined) ?? bare;
}

/** The names of domains in one list. Domains with one name keep their own, as their numbers differ. */
export function sourceNames(domains: readonly string[]): string[] {
  const names = domains.map(sourceName);
  return names.map((name, at) =>
    names.indexOf(name) === names.lastIndexOf(name) ? name : (domains[at] ?? name),
  );
}
