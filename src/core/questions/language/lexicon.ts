/** The phrases of each role in a question, with commas between them. Each form of a word counts. */
export const ROLES = {
  count:
    "how many, how many times, number of times, number of, count of, total number of, count, how often, volume of, volume, amount of",
  how_much: "how much",
  average: "average, avg, mean, on average, typical, typically, in average",
  median: "median",
  p90: "p90, 90th percentile, percentile 90, 90 percentile",
  p95: "p95, 95th percentile, percentile 95, 95 percentile",
  p99: "p99, 99th percentile",
  sum: "sum of, sum, total, in total, overall, altogether, combined, all together",
  most: "top, best, most, most popular, popular, most common, common, most frequent, most often, frequent, frequently, most used, leading, main, strongest, most active, most important, busiest, hottest, best performing, mostly",
  sold: "best selling, most sold, bestseller, best seller, sell best, sold best, sold most, sell most, most bought, most purchased, most ordered",
  least:
    "least, fewest, worst, bottom, least popular, rarest, quietest, least often, weakest, slowest",
  greatest: "biggest, largest, highest, maximum, max, most expensive, longest, greatest, record",
  smallest: "smallest, lowest, minimum, min, cheapest, shortest",
  visitor: "visitor, unique visitor, distinct visitor, site visitor, website visitor",
  person:
    "user, person, unique user, unique person, distinct user, someone, folks, individual, member, distinct person, different user, different person, who",
  customer: "customer, buyer, shopper, client, purchaser, paying customer, paying user",
  active: "active user, active person, active visitor, active, active customer",
  dau: "dau, daily active user, daily active",
  wau: "wau, weekly active user, weekly active",
  mau: "mau, monthly active user, monthly active",
  session: "session, visit, browsing session",
  new: "new, brand new, first time, newly",
  returning:
    "returning, repeat, recurring, existing, be here before, have be here before, visit before, come before, have visit before",
  bounce_rate: "bounce rate, bouncing rate, bouncerate",
  bounce:
    "bounce, leave immediately, leave right away, leave after one page, leave at once, single page session, single page visit",
  session_length:
    "session length, session duration, session time, length of session, duration of session, length of visit, duration of visit, visit length, visit duration, time on site, time on the site, time per session, time per visit, time spent per session, time spent per visit, how long session, how long visit, how long session last, how long visit last, time person spend on site, time visitor spend on site, time person spend on website, time visitor spend on website, time person spend in shop, time visitor spend in shop, time spend on site, time spend on website, stay, time on our site, time on our website, spend on the site, spend on our site, time on website, spend on our website, stick around, session last, visit last",
  pages_per_session:
    "pages per session, pages per visit, page views per session, pageviews per session, page views per visit, pageviews per visit, page depth, views per session, views per visit, pages a session, pages a visit, pages each visit, pages each session, pages in a session, pages in a visit, pages during a session, pages during a visit",
  entry:
    "entry page, visit start on, session start on, visit begin on, session begin on, visit start, session start, first arrive, first arrive on, first land, first land on, first see, see first, page person see first, page visitor see first, begin on, start on, come in on, landing page, entrance page, start page, first page, entry point, entry, pages session start, pages visit start, page session start, page visit start, pages visit begin, pages session begin, enter the site, enter our site, enter the website, land on, arrive on, enter, page visit begin, pages visitor land, page visitor land, arrive first, arrive at first, pages visitor arrive, pages people land, pages people enter, landing",
  exit: "exit page, see last, last see, last page, leaving page, exit, leave the site, leave our site, leave the website, leave from, pages session end, pages visit end, page visit end, page session end, end on, pages people leave, pages visitor leave, page where person leave, page where visitor leave, page where visit end, where person leave, where visitor leave, pages visitor exit, leave the shop",
  by: "by, per, for each, for every, in each, each, every, split by, broken down by, break down by, grouped by, group by, depending on, across, by each, segmented by, divided by, in every, of each, according to",
  funnel: "funnel, funnel from, steps",
  conversion:
    "conversion rate, conversion, convert, converted, converting, conversion rate from, end up, go on to, turn into, ended up, go through, make it, make it to, finish, finish with, complete with",
  abandonment:
    "abandonment rate, abandonment, abandon, cart abandonment rate, drop off, dropped off, drop out, abandoned, drop off rate",
  how_long:
    "how long, how much time, time from, time between, how quickly, how fast, time to convert, time it takes, time taken, time until",
  take: "take",
  share:
    "share, share of, percentage, percentage of, percent, percent of, proportion, proportion of, fraction, fraction of, what part of, portion of, portion",
  among: "among, out of",
  retention: "retention, retain, cohort, cohort analysis, retention rate",
  come_back:
    "come back, return, coming back, come again, keep coming back, visit again, be back, come back a second time, return a second time, come a second time, visit a second time, come back for a second time",
  lifecycle: "lifecycle, life cycle, resurrected, resurrecting, dormant",
  stickiness: "stickiness, sticky",
  after:
    "after, afterwards, next, immediately after, right after, directly after, following, then, once",
  before:
    "before, immediately before, right before, directly before, lead to, just before, prior to, arrive at from, lead up to, preceding",
  go: "go, come, navigate, paths from, paths to, click to, continue, head, get to",
  without:
    "without, but no, but not, but do not, but have not, and not, but be not, do not, have not, be not, not, no, but fail to, but without, and do not, lacking",
  nothing:
    "find nothing, no result, without result, without any result, zero result, find no result, return nothing, return no result, without find anything, do not find anything, not find anything",
  failed: "fail, failed, unsuccessful, go wrong",
  succeeded: "succeed, successful, go well",
  except:
    "except, excluding, exclude, other than, outside, outside of, apart from, not from, not in, not on, not include, besides",
  again:
    "more than once, at least twice, repeatedly, multiple times, several times, more than one time, again, two times or more, twice or more, two or more times, more often than once",
  times: "time, times",
  different: "different, distinct, unique, various",
  activity:
    "activity, doing, be doing, have be doing, history, action, what do, what have do, timeline, event of, recent activity, do, happen",
  all_events: "event, all events, tracked event, any event, event track",
  last_seen:
    "last seen, last time, last active, last visit, last activity, last, latest, most recently, most recent",
  first_seen:
    "first seen, first time, first active, first visit, first activity, first, initially, earliest",
  when: "when, what time be, what date",
  compare: "compare, comparison of, comparison between, comparison",
  weekday:
    "day of the week, on which day of the week, weekday by weekday, weekday, which weekday, week day, day of week, days of week, which day of the week",
  hour: "hour of the day, hour of day, time of day, time of the day, which hour, what hour, what time, hour",
  date: "which day, what day, which date, day with, on which day, date, day",
  event: "event name, name of event",
  origin: "traffic origin, origin of traffic, traffic by origin",
  week: "which week, what week, week",
  first_touch:
    "first touch, initial, original, originally, first, first time, first click, first visit, acquisition",
  last_touch: "last touch, last click, latest",
  more: "over, above, more than, greater than, exceeding, higher than, longer than, bigger than, larger than, worth more than, worth over, >, exceed, of more than, costing more than, beyond, upwards of",
  at_least: "at least, >=, no less than, minimum of, or more, of at least",
  less: "under, below, less than, fewer than, cheaper than, smaller than, <, shorter than, lower than, worth less than",
  at_most: "at most, <=, up to, no more than, or less, maximum of",
  exactly: "exactly, equal to, =",
  between: "between",
  and: "and, as well as, plus, &, vs, versus",
  or: "or",
  to: "to, then, and then, ->, →, followed by, into, and finally, finally, and after that",
  money: "euro, eur, €, dollar, usd, $, pound, gbp, £, buck",
  seconds: "second, sec",
  minutes: "minute, min",
  hours: "hours",
  days: "days, day",
  set: "with a, have a, with any, with an, use a, use any, used a, used an, include a, contain a, had a, with some",
  revenue:
    "revenue, turnover, earn, money, money take in, take in money, sales volume, sales revenue, sales amount, gross revenue, make in revenue, take in, total sales, earnings, sales value, proceeds, value of purchases, value of orders, money do we make, money make, sales figure",
  spend: "spend, money spend, amount spend",
  order_value:
    "order value, basket value, basket size, purchase value, aov, order size, cart value, average order value, average basket value, average purchase value, value of an order, value of a purchase, value per order, value per purchase, amount of an order, amount of a purchase, amount per order, value of order, value of purchase, order total, ticket size, size of an order, basket, cart size, worth of an order, revenue per order, revenue per purchase",
  lifetime: "lifetime value, ltv, customer value, customer lifetime value",
} as const;

/** A key of ROLES. */
export type Role = keyof typeof ROLES;

/** Words for events that sites have, by the words that mean the same. The first one that a project has counts. */
export const EVENT_PHRASES: readonly string[] = [
  "$pageview, page view, pageview, view, look at, page hit, hit, page impression, page visit, visited page, look at page, impression, page load, visited, viewed, open, load, viewed page, seen, see, read, visit",
  "purchase, order, sale, buy, transaction, order completed, completed order, checkout completed, purchase completed, placed order, order placed, pay, sell, make a purchase, place an order, complete a purchase, order complete",
  "sign_up, signup, sign up, registration, register, account created, user signed up, create an account, created account, new account, join, joined, signed up, newly registered, sign up for an account, open an account, make an account, new account created, create a new account",
  "login, log in, sign in, logon, logged in, user logged in",
  "add_to_cart, add to cart, cart addition, add to basket, put in the cart, put into the cart, put in the basket, put into the basket, added to cart, product added, add product to cart, add product to basket, add to the shopping cart, cart add, add in the cart, product added to cart, cart, basket",
  "checkout_started, checkout started, begin checkout, checkout, start checkout, initiate checkout, go to checkout, reach checkout, enter checkout, get to checkout, reach the checkout",
  "product viewed, product view, view product, look at product, product page view, product page, see product, view product page, product detail view",
  "search, search performed, site search, look for, searched",
  "newsletter_subscribed, newsletter subscription, subscribe to newsletter, newsletter sign up, newsletter signup, newsletter subscriber, sign up for newsletter, signed up for newsletter, join the newsletter, subscribe, newsletter, register for the newsletter",
  "support ticket, ticket, support request, support case, contact support, write to support, ask support, support question, ticket opened, open ticket, open support ticket, support, help request",
  "$pageleave, page leave",
  "$autocapture, autocapture, click, autocaptured event, autocaptured click",
  "$identify, identify, identification",
  "$groupidentify",
  "$screen, screen view, screen",
  "cron ran, cron run, cron, cron job, scheduled job, cron job run",
];

/** Words for properties that SDKs send, by the words that mean the same. The first one that a project has counts. */
export const PROPERTY_PHRASES: readonly string[] = [
  "$pathname, page, path, url path, pathname, url, subpage, site page, web page",
  "$current_url, full url, current url, full address",
  "$host, host, hostname, domain",
  "$referring_domain, referrer, referer, referring domain, referring site, referring website, referral, referral source, referring page, website, where visitors come from, external site, linking site, referring, where traffic come from, other website, where do visitors come from, where do people come from",
  "utm_source, utm source, source, traffic source, marketing source, channel, marketing channel, acquisition channel, acquisition source, traffic channel",
  "utm_medium, utm medium, medium, marketing medium",
  "utm_campaign, utm campaign, campaign, marketing campaign, ad campaign",
  "utm_content, utm content",
  "utm_term, utm term, keyword",
  "$browser, browser, web browser",
  "$os, os, operating system, platform, system",
  "$device_type, device type, device, kind of device, type of device, device category, device kind",
  "$geoip_country_name, country, land, nation, country name, where in the world",
  "$geoip_country_code, country, country code",
  "$geoip_city_name, city, town",
  "$screen_name, screen name",
  "$lib, library, sdk",
  "amount, value, price, worth, order amount, revenue, total, order_value, order value, $revenue",
  "product, product_name, product name, article, goods",
  "category, product category, product_category, kind of product, department",
  "payment, payment method, payment_method, way of paying, method of payment, payment type, pay with, way to pay, pay by, paid with, paid by",
  "coupon, coupon code, discount code, voucher, promo code",
  "query, search query, search term, search_term, term, searched term, search phrase, search word",
  "results, number of results, search results, result, result count",
  "quantity, number of items, units, pieces, item",
  "topic, subject",
  "ok, success, succeeded",
  "plan, subscription plan, pricing plan, tier",
];

/** Words that change no answer. */
export const FILLER: ReadonlySet<string> = new Set(
  `a an the our we us my your their its it this that these those there here of for in on at with be have do get
  give show me tell list please can could would you i want like know see what which how much many during over
  within hey hi hello hoglet chart graph number figure data stat statistic report overview just also so far
  any some all every ever actually really roughly currently now as well than if from by to had them they he
  she his her site website shop store web online receive happen make use place find look send bring drive refer via reach land arrive include contain generate involve belong compute calculate
  display plot draw people anything something thing someone period come were into out about who whose where
  through across is each same one own need let understand say interested
  was has did are does back up visible break split table then ,
  whole full ask question answer exact please thank thanks and or per person user
  anybody everybody anyone everyone team box file filed single taken together both very going looking been mean
  ones breakdown through other others found type typed types submit submitted raise raised record recorded
  like kind sort turn known credit distribution entered enter written write look looked together come coming get got getting into onto upon until
  actual overall number numbers amongst among being one would might shall must may
`
    .split(/\s+/)
    .filter((word) => word !== "")
    .concat(["some", "no"].map((word) => `${word}body`)),
);

/** Phrases of known words with a meaning of their own, which no event says: feasts, the present moment, prices and speeds. */
export const OTHER_MEANINGS =
  /\b(?:(?:good|black) friday|cyber monday|boxing day|(?:palm|easter|whit) (?:sunday|monday)|new year(?:['’]s|s)? (?:day|eve)|(?:users |visitors |people |persons |customers )?online (?:right )?now|(?:users|visitors|people|persons|customers) online|(?:most|least) expensive (?:products?|items?|articles?|goods)|cheapest (?:products?|items?|articles?|goods)|(?:slowest|fastest) (?:pages?|screens?|requests?|sites?))\b/i;

/** Words of the filler that no phrase may begin or end with in a search for a name. */
export const JOINING: ReadonlySet<string> = new Set(
  `a an the our we us my your their its it this that these of for in on at to with be have do get something anything an any some his her them they into`.split(
    /\s+/,
  ),
);

/** Other words for values, in lower case. */
export const VALUE_WORDS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    phone: ["mobile"],
    smartphone: ["mobile"],
    "mobile phone": ["mobile"],
    "mobile device": ["mobile"],
    cellphone: ["mobile"],
    handset: ["mobile"],
    computer: ["desktop"],
    pc: ["desktop"],
    "desktop computer": ["desktop"],
    laptop: ["desktop"],
    ipad: ["tablet"],
    edge: ["microsoft edge"],
    mac: ["mac os x"],
    macos: ["mac os x"],
    iphone: ["ios"],
    uk: ["united kingdom", "gb"],
    britain: ["united kingdom", "gb"],
    "great britain": ["united kingdom", "gb"],
    england: ["united kingdom", "gb"],
    british: ["united kingdom", "gb"],
    usa: ["united states", "us"],
    us: ["united states", "us"],
    america: ["united states", "us"],
    american: ["united states", "us"],
    "united states of america": ["united states", "us"],
    german: ["germany", "de"],
    french: ["france", "fr"],
    austrian: ["austria", "at"],
    swiss: ["switzerland", "ch"],
    dutch: ["netherlands", "nl"],
    holland: ["netherlands", "nl"],
    spanish: ["spain", "es"],
    polish: ["poland", "pl"],
    swedish: ["sweden", "se"],
    italian: ["italy", "it"],
    danish: ["denmark", "dk"],
    norwegian: ["norway", "no"],
    canadian: ["canada", "ca"],
    australian: ["australia", "au"],
    indian: ["india", "in"],
    japanese: ["japan", "jp"],
    chinese: ["china", "cn"],
    belgian: ["belgium", "be"],
    portuguese: ["portugal", "pt"],
    brazilian: ["brazil", "br"],
    homepage: ["/"],
    "home page": ["/"],
    "front page": ["/"],
    "start page": ["/"],
    google: ["www.google.com"],
    facebook: ["www.facebook.com"],
    bing: ["www.bing.com"],
    chatgpt: ["chatgpt.com"],
    duckduckgo: ["duckduckgo.com"],
  }),
);
