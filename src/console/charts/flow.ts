/** A way from a place to the next one: how many paths went it, and how many came to its ends. */
export type Way = {
  /** Places with the number of their step, such as `1_/pricing`. */
  source: string;
  target: string;
  value: number;
  sourcePaths: number;
  sourceEnds: number;
  targetPaths: number;
};

/** A place at a step. `ends` is how many paths ended there; undefined where it is not known. */
export type Place = {
  id: string;
  step: number;
  /** Undefined for all rarer places and ways together. */
  name: string | undefined;
  value: number;
  ends: number | undefined;
  top: number;
  height: number;
};

/** Paths between two places, and where they begin and arrive, from the top. */
export type Stream = { from: Place; to: Place; value: number; top: number; end: number };

/** Most steps that are drawn, and most places of one, besides the others. */
export const [STEPS_SHOWN, PLACES_SHOWN] = [5, 8];

/** Pixels above each place, for its name. */
export const NAME_HEIGHT = 22;

const stepOf = (place: string) => Number.parseInt(place, 10) || 1;

/** A place without the number of its step. */
export const nameOfPlace = (place: string): string => place.replace(/^\d+_/, "");

const sumOf = (streams: readonly Stream[]) => streams.reduce((sum, { value }) => sum + value, 0);

/** The places of ways by their ids. All rarer ones of a step are one place, whose number follows from its streams. */
function placesOf(ways: readonly Way[]) {
  const numbers = new Map<string, { value: number; ends?: number }>();
  for (const { target, targetPaths } of ways) numbers.set(target, { value: targetPaths });
  for (const { source, sourcePaths, sourceEnds } of ways) {
    numbers.set(source, { value: sourcePaths, ends: sourceEnds });
  }
  const others = new Map<number, Place>();
  const otherAt = (step: number): Place => {
    const place = others.get(step) ?? placed(`${step}_`, { value: 0 }, undefined);
    others.set(step, place);
    return place;
  };
  const placed = (
    id: string,
    { value, ends }: { value: number; ends?: number },
    name?: string,
  ) => ({
    ...{ id, step: stepOf(id), name, value, ends, top: 0, height: 0 },
  });
  const places = new Map<string, Place>();
  for (const ids of Map.groupBy(numbers.keys(), stepOf).values()) {
    const numberOf = (id: string) => numbers.get(id)?.value ?? 0;
    for (const [at, id] of ids.toSorted((a, b) => numberOf(b) - numberOf(a)).entries()) {
      const isRare = at >= PLACES_SHOWN;
      const own = placed(id, numbers.get(id) ?? { value: 0 }, nameOfPlace(id));
      places.set(id, isRare ? otherAt(stepOf(id)) : own);
    }
  }
  return { places, otherAt };
}

/**
 * Ways as a flow in a height in pixels. Paths that leave a place by ways that are not among these go to the rarer places
 * of the next step, so that all that leaves a place and all that ends there is all that came to it.
 */
export function flowOf(
  all: readonly Way[],
  height: number,
): { places: Place[]; streams: Stream[] } {
  const ways = all.filter(({ source }) => stepOf(source) < STEPS_SHOWN);
  const { places, otherAt } = placesOf(ways);
  const found = new Map<string, Stream>();
  const add = (from: Place | undefined, to: Place, value: number) => {
    if (from === undefined || value <= 0) return;
    const key = `${from.id}\n${to.id}`;
    const sum = value + (found.get(key)?.value ?? 0);
    found.set(key, { from, to, value: sum, top: 0, end: 0 });
  };
  for (const [source, own] of Map.groupBy(ways, (way) => way.source)) {
    let left = (own[0]?.sourcePaths ?? 0) - (own[0]?.sourceEnds ?? 0);
    for (const { target, value } of own) {
      left -= value;
      add(places.get(source), places.get(target) ?? otherAt(stepOf(target)), value);
    }
    if (left > 0) add(places.get(source), otherAt(stepOf(source) + 1), left);
  }
  const streams = [...found.values()];
  const shown = new Set([...places.values(), ...streams.flatMap(({ from, to }) => [from, to])]);
  return { places: laidOut([...shown], streams, height), streams };
}

/** Gives places and streams their tops and heights: the greatest first, the rarer ones last. */
function laidOut(places: Place[], streams: Stream[], height: number): Place[] {
  for (const place of places) {
    if (place.name !== undefined) continue;
    const [came, left] = [
      streams.filter(({ to }) => to === place),
      streams.filter(({ from }) => from === place),
    ];
    place.value = Math.max(sumOf(came), sumOf(left));
  }
  const steps = [...Map.groupBy(places, ({ step }) => step).values()];
  const scale = Math.min(
    ...steps.map(
      (some) =>
        (height - some.length * NAME_HEIGHT) / some.reduce((sum, { value }) => sum + value, 0),
    ),
  );
  const isRare = ({ name }: Place) => Number(name === undefined);
  for (const some of steps) {
    let top = 0;
    for (const place of some.toSorted((a, b) => isRare(a) - isRare(b) || b.value - a.value)) {
      place.top = top + NAME_HEIGHT;
      place.height = place.value * scale;
      top = place.top + place.height;
    }
  }
  const ends = new Map<Place, { out: number; in: number }>(
    places.map((one) => [one, { out: 0, in: 0 }]),
  );
  for (const stream of streams.sort((a, b) => a.from.top - b.from.top || a.to.top - b.to.top)) {
    const { from, to, value } = stream;
    const [left, came] = [ends.get(from), ends.get(to)];
    if (!left || !came) continue;
    stream.top = from.top + left.out * scale;
    stream.end = to.top + came.in * scale;
    left.out += value;
    came.in += value;
  }
  return places.toSorted((a, b) => a.step - b.step || a.top - b.top);
}
