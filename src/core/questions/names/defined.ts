/** Events defined by PostHog, its SDKs and public e-commerce specifications, with synonyms. */
export const DEFINED_EVENTS: readonly string[] = [
  "$pageview; page view, pageview, view, look at, page hit, hit, page impression, page visit, visited page, ~impression, page load, viewed page, pages viewed, ~visit, ~see, ~open, view page, look at page, ~read",
  "$screen; screen view, screen, screen viewed, ~view, open screen",
  "$pageleave; page leave",
  "$autocapture; autocapture, click, autocaptured event, autocaptured click",
  "$rageclick; rage click",
  "$exception; exception, ~error, crash",
  "$identify; identify, identification",
  "$groupidentify; group identify",
  "$web_vitals; web vital",
  "$feature_flag_called; feature flag called, feature flag call",
  "survey sent; survey response, survey answer, answered survey, answer survey",
  "survey shown; survey view, survey impression",
  "survey dismissed; survey dismissal",
  "Application Installed; install, app install, installation, download app",
  "Application Opened; app open, open app, app launch, launch",
  "Application Updated; app update, update app",
  "Application Backgrounded; background app",
  "purchase|order completed|order placed|checkout completed|purchase completed|purchased|order; purchase, order, sale, buy, transaction, placed order, order placed, order completed, completed order, sell, make a purchase, place an order, complete a purchase",
  "sign up|signup|signed up|user signed up|account created|user created|customer created|user registered|customer registered|account registered|registered|registration|registration completed|sign up completed|signup completed|account opened|profile created; sign up, signup, sign_up, registration, register, create an account, new account, join, newly registered, open an account, account created, created account, make an account, made an account, open account",
  "newsletter subscribed|newsletter signup|newsletter signed up|newsletter subscription; newsletter sign up, newsletter signup, newsletter registration",
  "login|logged in|user logged in|signed in; log in, sign in, logon, log_in, sign_in",
  "add to cart|product added|added to cart; add to cart, cart addition, add to basket, put in the cart, put into the cart, put in the basket, added to cart, product added, add product to cart, product added to cart, add in the cart, cart add, put into the basket, put cart, put basket, put something in the basket, put one in the basket, put it in the basket, ~basket, adding to cart",
  "checkout started|begin checkout|initiated checkout; begin checkout, checkout, start checkout, initiate checkout, go to checkout, reach checkout, enter checkout, checkout start, get to checkout",
  "product viewed|view item|viewed product; product view, view product, look at product, product page view, see product, product page",
  "search|products searched|search performed|searched; search, look for, site search",
];

/** Properties defined by PostHog and its SDKs, with synonyms. The first name that the project has is used. */
export const DEFINED_PROPERTIES: readonly string[] = [
  "$pathname; page, path, url path, pathname, url, subpage, web page, site page",
  "$current_url; full url, current url, full address",
  "$host; host, hostname, domain",
  "title; page title",
  "$referring_domain; referrer, referer, referring domain, referring site, referring website, referral source, referring page, website, external site, linking site, where visitors come from, where do visitors come from, where do person come from, where traffic come from, traffic origin, origin of traffic, websites send us visitors, websites send us, sites send us, sites send, sites do our visitors come from, sites do visitors come from, sites visitors come from, where do our visitors come from, where do user come from",
  "utm_source; utm source, source, traffic source, marketing source, acquisition source",
  "utm_medium; utm medium, medium, marketing medium",
  "utm_campaign; utm campaign, campaign, marketing campaign, ad campaign",
  "utm_content; utm content",
  "utm_term; utm term, keyword",
  "$browser; browser, web browser",
  "$browser_version; browser version",
  "$browser_language; browser language",
  "$os; os, operating system, system, o",
  "$os_version; os version, system version",
  "$os_name; platform",
  "$device_type; device type, device, kind of device, type of device, device category, device kind",
  "$device_model; device model, phone model",
  "$device_manufacturer; device manufacturer, manufacturer",
  "$app_version; app version, version, release",
  "$geoip_country_name; country, land, nation, country name, where in the world",
  "$geoip_country_code; country code, country",
  "$geoip_city_name; city, town",
  "$screen_name; screen, screen name",
  "$lib; library, sdk",
  "$survey_id; survey",
  "$el_text; button text, element text",
  "$exception_types; exception type, error type, crash type, type, kind, type of exception, type of error, kind of exception, kind of error",
  "$exception_values; exception message, error message, crash message, message",
  "$exception_sources; exception source, error source, source file, file",
  "$exception_functions; function",
  "query|search_query|search_term|term|keyword; search term, search query, search phrase, searched term, search word, term",
  "product|product_name; product, article, item, goods",
  "payment|payment_method|payment_type; payment method, way of paying, way to pay, means of payment",
  "quantity|qty; units, pieces, unit",
  "rating|stars|score; rating, score, star, star rating",
  "coupon|coupon_code; coupon code, voucher, discount code, promo code",
];

/** The names of SDKs in a list of definitions. */
const sdkNames = (definitions: readonly string[]) =>
  definitions
    .map((definition) => definition.slice(0, definition.indexOf(";")))
    .filter((name) => /^\$|^utm_|^survey |^Application /.test(name));

const SDK_PROPERTIES = sdkNames(DEFINED_PROPERTIES).map((name) => {
  return { name, type: "text" as const, count: 0 };
});

/** The events of SDKs, which a question can name before the project has any, with the properties that they can have. */
export const SDK_EVENTS = sdkNames(DEFINED_EVENTS).map((name) => {
  return { name, count: 0, properties: SDK_PROPERTIES };
});

/** The name in {@link DEFINED_EVENTS} for the event with orders. */
export const ORDER_WORDS = "purchase";

/** The name for the event that adds to the cart. */
export const CART_WORDS = "add to cart";

/** Synonyms of values, in lower case. */
export const VALUE_WORDS: ReadonlyMap<string, readonly string[]> = new Map(
  `phone=mobile; smartphone=mobile; mobile phone=mobile; mobile device=mobile; cellphone=mobile; handset=mobile
  computer=desktop; pc=desktop; desktop computer=desktop; laptop=desktop; ipad=tablet; edge=microsoft edge; mac=mac os x; macos=mac os x
  iphone=ios; uk=united kingdom,gb; britain=united kingdom,gb; great britain=united kingdom,gb; england=united kingdom,gb; british=united kingdom,gb
  usa=united states,us; us=united states,us; america=united states,us; american=united states,us; united states of america=united states,us
  german=germany,de; french=france,fr; austrian=austria,at; swiss=switzerland,ch; dutch=netherlands,nl; holland=netherlands,nl
  spanish=spain,es; polish=poland,pl; swedish=sweden,se; italian=italy,it; danish=denmark,dk; norwegian=norway,no
  canadian=canada,ca; australian=australia,au; indian=india,in; japanese=japan,jp; chinese=china,cn; belgian=belgium,be
  portuguese=portugal,pt; brazilian=brazil,br; irish=ireland,ie; finnish=finland,fi; mexican=mexico,mx
  homepage=/; home page=/; front page=/; start page=/; facebook=www.facebook.com; google=www.google.com; bing=www.bing.com
  chatgpt=chatgpt.com; duckduckgo=duckduckgo.com; linkedin=www.linkedin.com; direct=$direct; true=true; false=false`
    .split(/[;\n]/)
    .map((pair) => pair.trim().split("=") as [string, string])
    .filter(([word]) => word !== "")
    .map(([word, values]): [string, string[]] => [word, values.split(",")]),
);
