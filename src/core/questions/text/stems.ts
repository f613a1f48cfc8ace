/** Irregular forms that the rules of {@link stemOf} do not cover, and their base words. */
const IRREGULAR: ReadonlyMap<string, string> = new Map(
  `bought:buy paid:pay ran:run run:run running:run sold:sell sent:send saw:see seen:see came:come went:go gone:go
  goes:go made:make did:do does:do done:do doing:do left:leave spent:spend brought:bring found:find took:take taken:take
  ppl:person peoples:person folks:person uses:use used:use using:use people:person read:read
  bounced:bounce bounces:bounce began:begin begun:begin got:get has:have had:have having:have is:be are:be was:be were:be been:be being:be
  sessions:session news:news address:address won:win lost:lose wrote:write written:write gave:give given:give put:put kept:keep
  built:build held:hold shown:show showed:show chose:choose chosen:choose broke:break broken:break forgot:forget
  met:meet drawn:draw flown:fly grew:grow grown:grow heard:hear known:know led:lead lent:lend rode:ride
  said:say slept:sleep spoke:speak spoken:speak told:tell thrown:throw understood:understand woke:wake worn:wear
  tried:try children:child men:man women:woman most:most less:less its:its this:this status:status plus:plus
  previous:previous various:various days:day day:day views:view bed:bed need:need feed:feed speed:speed seed:seed
  churned:churn churn:churn signup:sign_up signups:sign_up signin:sign_in login:log_in logins:log_in logged:log
  dose:dose doses:dose course:course courses:course
  analysis:analysis bus:bus gas:gas sms:sms css:css js:js ios:ios os:os ms:ms us:us was_:be`
    .split(/\s+/)
    .map((pair) => pair.split(":") as [string, string]),
);

/** Nouns and their verbs that the rules do not cover. */
const NOUNS: ReadonlyMap<string, string> = new Map(
  "rental:rent referral:refer payment:pay payer:pay runner:run subscription:subscribe registration:register conversion:convert user:user buyer:buy seller:sell purchaser:purchase booking:book playback:play donor:donate signature:sign meeting:meet rating:rate"
    .split(" ")
    .map((pair) => pair.split(":") as [string, string]),
);

/** Suffixes, the longest first, with their replacement and the minimum number of letters before them. */
const ENDS: readonly [end: RegExp, put: string, left: number][] = [
  [/ification$/, "if", 3],
  [/ication$/, "", 4],
  [/ation$/, "", 5],
  [/ition$/, "", 5],
  [/ancy$|ency$/, "", 5],
  [/icants?$/, "", 4],
  [/ance$|ence$/, "", 5],
  [/ful$/, "", 4],
  [/ment$/, "", 4],
  [/ion$/, "", 4],
  [/ate?$/, "", 5],
  [/ing$/, "", 3],
  [/ed$/, "", 3],
  [/ers?$|ors?$/, "", 4],
  [/al$/, "", 5],
];

/** Returns the stem of a lower-case word. It is the same for cancel, cancels, cancelled, cancelling and cancellation. */
export function stemOf(word: string): string {
  const one = singular(word);
  const verb = one.replace(/(?<=er)y$/, "");
  let stem = NOUNS.get(one) ?? IRREGULAR.get(word) ?? IRREGULAR.get(one) ?? verb;
  for (let before = ""; before !== stem; ) {
    before = stem;
    stem = withoutEnd(stem);
  }
  return rooted(stem);
}

function withoutEnd(word: string): string {
  for (const [end, put, left] of ENDS) {
    const cut = word.replace(end, put);
    if (cut !== word && cut.length >= left + put.length && /[aeiouy]/.test(cut)) return cut;
  }
  return word;
}

/** Returns the part that inflected forms share. It is the same for visit, visits, visited and visiting, not visitor. */
export function formOf(word: string): string {
  const one = singular(word);
  const known = IRREGULAR.get(word) ?? IRREGULAR.get(one);
  return rooted(known ?? one.replace(/(?<=\w{3})(?:ing|ed)$/, ""));
}

/** Returns a word without its plural or third-person ending. */
export function singular(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (/zzes$/.test(word)) return word.slice(0, -3);
  if (/(?:ss|sh|ch|x)es$/.test(word)) return word.slice(0, -2);
  if (word.length > 2 && /[^suai]s$/.test(word)) return word.slice(0, -1);
  return word;
}

/** Removes a doubled letter, an e, an i or a y at the end of a stem, as they differ between forms of a word. */
function rooted(stem: string): string {
  const bare = stem.length < 4 ? stem : stem.replace(/([bdgklmnprtv])\1$/, "$1");
  const short = bare.length >= 4 ? bare.replace(/(?:ie|[eiy])$/, "") : bare;
  return short.length >= 3 ? short.replace(/([bdgklmnprtv])\1$/, "$1") : bare;
}

/** Normalizes a text for comparison: lower case, plain quotes, single spaces. */
export function folded(text: string): string {
  // Most words are plain ASCII, of which nothing else is to be changed.
  if (/^[!-~]*$/.test(text)) return text.toLowerCase();
  return text
    .normalize("NFC")
    .replace(/[‘’]/g, "'")
    .replace(/[“”„«»]/g, '"')
    .toLowerCase()
    .replace(/\s+/g, " ")
    .trim();
}

/** Returns the words of a name in lower case. They are the same for `signed_up`, `SignedUp` and `$signed-up`. */
export function nameWords(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .split(/[\s_\-./:$~]+/)
    .map(folded)
    .filter((part) => part !== "");
}

/** Returns the stems of a name. */
export const nameStems = (name: string): string[] => nameWords(name).map(stemOf);

/** Whether two texts differ by at most `most` letters. Two swapped neighbors count as one. */
export function isSpelledLike(a: string, b: string, most: number): boolean {
  if (Math.abs(a.length - b.length) > most) return false;
  const counts = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  const at = (i: number, j: number) => counts[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i += 1) {
    counts[i] = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isTurned = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const changes = [at(i - 1, j) + 1, at(i, j - 1) + 1];
      changes.push(at(i - 1, j - 1) + Number(a[i - 1] !== b[j - 1]));
      if (isTurned) changes.push(at(i - 2, j - 2) + 1);
      (counts[i] as number[])[j] = Math.min(...changes);
    }
  }
  return at(a.length, b.length) <= most;
}
