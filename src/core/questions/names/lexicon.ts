/** The phrases for each concept, separated by commas. They match all forms of their words. */
export const CONCEPTS = {
  count:
    "how many, how many times, number of times, number of, count of, total number of, count, how often, and how often, and how many times, volume of, amount, total count of, no of, nr of",
  much: "how much",
  average: "average, avg, mean, on average, typical, typically, in average, average of",
  median: "median, median of, in median",
  p75: "p75, 75th percentile",
  p90: "p90, 90th percentile, percentile 90, 90 percentile",
  p95: "p95, 95th percentile, percentile 95",
  p99: "p99, 99th percentile",
  sum: "sum, total, in total, overall, altogether, combined, together",
  most: "top, best, most, most popular, popular, most common, common, most frequent, most often, frequent, frequently, most used, leading, main, strongest, most active, busiest, most first, highest first, biggest first, largest first, best first, best performing, biggest number of, highest number of",
  sold: "best selling, most sold, bestseller, best seller",
  least:
    "least, fewest, worst, bottom, least popular, rarest, quietest, least often, weakest, least first, lowest first, fewest number of, lowest number of, least active",
  greatest:
    "biggest, largest, highest, maximum, max, longest, greatest, record, slowest, maximum of, most expensive, priciest",
  smallest:
    "smallest, lowest, minimum, min, shortest, fastest, minimum of, cheapest, least expensive",
  visitor:
    "visitor, unique visitor, distinct visitor, different visitor, site visitor, website visitor, uniques",
  person:
    "user, person, ppl, peoples, unique user, unique person, distinct user, different user, different person, distinct person, folks, individual, unique member, unique player, account holder, end user, human, subscriber base",
  payer:
    "customer, buyer, shopper, client, purchaser, paying customer, paying user, paying member, paying person, paying player, paying visitor, paying subscriber, payer, spender",
  active:
    "active user, active person, active visitor, active, active member, active player, active reader",
  dau: "dau, daily active user, daily active",
  wau: "wau, weekly active user, weekly active",
  mau: "mau, monthly active user, monthly active",
  session: "session, visit, traffic, browsing session, unique session",
  is_new: "new, brand new, first time, newly, first ever",
  returning:
    "returning, repeat, recurring, existing, be here before, have be here before, visit before, come before, have visit before",
  bounce_rate: "bounce rate, bouncing rate, bouncerate, bounced session share",
  bounced:
    "bounced, bounce, leave immediately, leave right away, leave after one page, leave at once, single page session, single page visit",
  session_length:
    "session length, session duration, session time, length of session, duration of session, length of visit, duration of visit, visit length, visit duration, time on site, time on the site, time per session, time per visit, time spent per session, time spent per visit, how long session, how long visit, how long do session last, how long do visit last, how long be session, how long be visit, how long be a session, how long be a visit, how long do a session last, how long do a visit last, time spend on site, time spend on website, time on our site, time on our website, how long do person stay, how long do visitor stay, how long person stay, how long visitor stay, stay, how long do user stay, time user spend on site",
  depth:
    "pages per session, pages per visit, page depth, pages a session, pages a visit, pages each visit, pages each session, views per visit, views per session, page views per session, page views per visit, pageviews per session, pageviews per visit, pages a visitor look at per session, pages do a visitor look at per session, pages do a visitor view per session, pages do a visitor view per visit, pages do person view per session, pages do person view per visit",
  entry:
    "entry page, landing page, entrance page, start page, first page, entry point, pages where most session start, pages where most visit start, page do most session begin, page do most visit begin, page do most session start, page do most visit start, page session start, page visit start, pages visit start, pages session start, pages visit begin on, visit start on, session start on, visit begin on, session begin on, pages person land on, land on first, page person land on, pages visitor land on, page visitor land on, land on, pages do visitor land, pages do person land, enter the site, enter our site, enter the website, arrive on, arrive at first",
  exit: "exit page, page do session end, page do visit end, pages do session end, pages do visit end, on which page do session end, last page, leaving page, pages session end, pages visit end, page session end, page visit end, end on, pages do most person leave, page do most person leave, pages do person leave, pages do visitor leave, page do visitor leave, pages do most visitor leave, leave the site, leave our site, leave the website, leave the shop, leave from, exit from, exit the site",
  by: "by, for each, for every, in each, split by, broken down by, break down by, grouped by, group by, depending on, by each, segmented by, in every, of each, according to, split per, across, each, on each kind of, on each, every, from each",
  per: "per, for an, a",
  funnel: "funnel, conversion funnel, steps",
  strict: "strict",
  unordered: "unordered, in any order",
  newest: "newest first, latest first",
  oldest: "oldest first, earliest first",
  conversion: "conversion rate, cvr, conversion, convert, converted, converting, convert to",
  abandonment:
    "abandonment rate, abandonment, abandon, drop off rate, drop off, drop out, drop out rate",
  rate: "rate, ratio",
  as_share:
    "as a share of, as a percentage of, as percentage of, as share of, as a % of, as % of, in relation to, divided by",
  share:
    "%, % of, what % of, pct, pct of, how many percent, how many percent of, share, share of, percentage, percentage of, percent, percent of, proportion, proportion of, fraction, fraction of, what part of, portion of, portion, which part of",
  how_long:
    "how long do it take, how long after, how long time, how long, how much time, time from, time between, how quickly, how fast, time to convert, time it take, time take, time until, time to, how long be it, how many time pass between, how much time pass between, how much time do it take, how many hours do it take, how many minutes do it take, how many days do it take, how many seconds do it take",
  retention:
    "retention, retain, cohort, cohort analysis, retention rate, retention cohort, cohort by",
  back: "come back, return, coming back, come again, keep coming back, visit again, be back, return to, come back to, returning to, come back with, return with",
  lifecycle: "lifecycle, life cycle",
  stickiness: "stickiness, sticky",
  after:
    "after, afterwards, next, immediately after, right after, directly after, following, come after, go after, go from, next after, look at next after, view next after, go next from, navigate from, paths from, go to from",
  before:
    "before, immediately before, right before, directly before, lead to, just before, prior to, come before, lead up to, preceding, previous page before, visit right before, paths to, come to, arrive at from, get to, visit before going to",
  without:
    "without, but no, but not, but do not, but have not, and not, but be not, do not, have not, be not, not, no, and do not, but without, and no, fail to, but fail to, never, but never, who never, have never, and never, but have never, without any, without a, lacking",
  except:
    "except, excluding, exclude, leave out, leaving out, but leave out, ignoring, ignore, not counting, everything except, everything but, everyone but, everybody but, anyone but, anybody but, anything but, all but, everyone except, everybody except, all except, other than, outside, outside of, apart from, not from, not in, not on, besides, not via, not with, except for, not include",
  again:
    "more than once, at least twice, repeatedly, multiple times, several times, more than one time, more then once, again, two times or more, twice or more, two or more times, more often than once, a second time",
  times: "time, times",
  twice: "twice",
  once: "once, exactly once, only once, one time, just once",
  different: "different, distinct, unique, various",
  activity:
    "activity, doing, be doing, have be doing, history, everything, action, recent activity, event history, do, did",
  all_events: "event, all events, any event, anything, something, all event",
  last_seen:
    "last seen, last time, last active, last visit, last activity, most recently, most recent, last online, last",
  first_seen:
    "first seen, first time, first active, first visit, first activity, initially, earliest, first",
  why: "why, reasons why, reason why, for what reason, for which reason, what for",
  when: "when, what time be, what date, on what date, what day do",
  weekday:
    "day of the week, weekday, which weekday, week day, day of week, which day of the week, days of the week, on which weekday, on which day of the week, weekdays",
  hour: "hour of the day, hour of day, time of day, time of the day, which hour, what hour, what time, hour, what hour of the day, which hour of the day, at which hour of the day, at what hour of the day, at what hour, at what time, at what time of day, hours of the day, at which hour, what time of day, which time of day",
  date: "which day, what day, which date, on which day, on what day, which days, day",
  which_week: "which week, what week, in which week",
  which_month: "which month, what month, in which month",
  channel:
    "channel, channel type, marketing channel, acquisition channel, traffic channel, kind of channel, type of channel",
  event_name: "event name, name of event, event type, type of event",
  first_touch:
    "first touch, initial, original, originally, first click, acquisition, first come, first found, first known",
  last_touch: "last touch, last click",
  more: "over, above, more than, more then, heavier than, greater than, exceeding, higher than, longer than, bigger than, larger than, worth more than, worth over, >, exceed, of more than, costing more than, beyond, after being open more than, older than, better than",
  at_least:
    "at least, but no less than, but not less than, but at least, minimum, at minimum, >=, no less than, minimum of, of at least, not less than",
  less: "under, below, less than, fewer than, lighter than, cheaper than, smaller than, <, shorter than, lower than, worth less than, worse than",
  at_most:
    "at most, but no more than, but not more than, but at most, <=, up to, no more than, maximum of, not more than",
  or_more: "or more, or higher, or better, or longer, and more, and above, or above, or over",
  or_less: "or less, or fewer, or lower, and below, or below, or under, or shorter",
  exactly: "exactly, equal to, =, precisely",
  only: "only, just, merely, solely, exclusively, nothing but",
  differs: "!=, be not, not equal to, other than, be not equal to",
  between: "between",
  and: "and, but, as well as, plus, &, and also, both",
  versus: "vs, versus, compared to, compared with, as opposed to, in comparison to",
  or: "or",
  to: "to, end up, turn into, turned into, become, became, until, till, then, and then, >, ->, -->, followed by, into, and finally, finally, and after that, >>",
  money: "euro, eur, €, dollar, usd, $, pound, gbp, £, buck, chf",
  seconds: "second, sec, s, secs",
  minutes: "minute, min, mins",
  hours: "hours, hrs",
  millis: "ms, millisecond, milliseconds",
  days: "days, day",
  weeks: "weeks, week",
  percent: "%, percent",
  within: "within, in less than, in under",
  revenue:
    "revenue, rev, total takings, sales in euro, sales in eur, sales in dollar, sales in usd, turnover, money, sales volume, sales revenue, sales amount, gross revenue, total sales, earnings, take in, bring in, sales value, proceeds, money do we make, money make, sales figure, money come in, income, how much do we earn, how much do we make, earn",
  spend: "spend, money spend, amount spend",
  order_value:
    "order value, basket value, basket size, purchase value, aov, order size, cart value, ticket size, worth of an order, revenue per order, revenue per purchase, value of an order, value per order, value of order, value of purchase, order total, amount of an order, amount per order",
  lifetime: "lifetime value, ltv, customer value, customer lifetime value",
  done: "sent, placed, submitted, written, filed, recorded, tracked, performed, counted, raised, raise, posted, occurred, issued, issue, place, submit, made, make, took place, get, started, opened, logged, captured, began, begin, triggered, trigger, handed in, hand in, turned in, come to the site, come to our site, come to the website, come to our website",
  who: "who, whom, whoever",
  which: "which, what, wich",
  list: "list, emails of, email of, email addresses of, email address of, names of",
  set_any:
    "with a, with any, with an, end up with, end up with a, end up with an, ending up with a, that had a, that had an, use a, use any, used a, used an, with some, that have a, that have an, have a, have an",
  contains: "contains, containing, contain, include, mention, mentioning",
  starts:
    "starts with, start with, starting with, begin with, beginning with, that begin with, that start with, under",
  ends: "ends with, end with, ending with, ending in, that end with",
  is_set: "is set, is known, be set, be known, exist",
  is_unset:
    "is not set, is unknown, is missing, be not set, be unknown, be missing, is empty, be empty, be unset",
  compare:
    "compare, comparison of, comparison between, comparison, which give more, which be more, which be higher, which one be higher, which one give more",
  cumulative: "cumulative, cumulated, running total of, running total, cumulatively",
  smoothed: "moving average of, moving average, rolling average of, rolling average",
} as const;

/** A key of CONCEPTS. */
export type Concept = keyof typeof CONCEPTS;

/**
 * Filler words. A question means the same without them. The list is complete: any other word must be in the query, or the
 * question is refused.
 */
export const FILLER: ReadonlySet<string> = new Set(
  `someone somebody anyone anybody a an the our credit split we us my i me your you their its it this that these those there here of for in on at
  with be is are was were been being have has had do does did get got gets getting give show tell
  hit lasted lasting because please can could would gave want like know see let need wanna how many much what who's whose where
  via using through from to as into onto upon across hey hi hello hoglet thanks thank pls plz
  thx chart graph figure data stats statistics report overview also really roughly now currently
  right some all any exactly well they them he she his her him one ones make made makes happen
  happened occur occurred receive received come came comes coming go goes went bring brought take took
  find found use used uses place look looked say said mean display plot draw up out about own ask
  question answer exact whole full actual actually kind sort type types during over , ? ! : ; ( ) .
  while so too ok okay hm um uh website site shop store app web online platform service
  lot lots bit included involve involved belong belongs related
  regarding concerning among amongst somebody everyone everybody someone's whats single smth very live lives living based located attached separately - – — … ... · etc there's what's how's let's i'd we've`
    .split(/\s+/)
    .filter((word) => word !== ""),
);
