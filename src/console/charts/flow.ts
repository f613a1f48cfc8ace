/** A way from a place to the next one, as an answer has it: how many paths went it, and how many came to its ends. */
export type Way = {
  /** Places with the number of their step, such as `1_/pricing`. */
  source: string;
  target: string;
  aggregated_value: number;
  source_paths: number;
  source_ends: number;
  target_paths: number;
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
const NAME_HEIGHT = 22;

const stepOf = (place: string) => Number.parseInt(place, 10) || 1;

/** A place without the number of its step. */
export const nameOfPlace = (place: string): string => place.replace(/^\d+_/, "");

const sumOf = (some: readonly { value: number }[]) =>
  some.reduce((sum, { value }) => sum + value, 0);

const placed = (id: string, value: number, ends?: number, name?: string): Place => ({
  ...{ id, step: stepOf(id), name, value, ends, top: 0, height: 0 },
});

/** The places of ways by their ids. All rarer ones of a step are one place, whose number follows from its streams. */
function placesOf(ways: readonly Way[]) {
  const all = new Map<string, Place>();
  const add = (id: string, value: number, ends?: number) =>
    all.set(id, placed(id, value, ends, nameOfPlace(id)));
  for (const { target, target_paths } of ways) add(target, target_paths);
  for (const { source, source_paths, source_ends } of ways) add(source, source_paths, source_ends);
  const others = new Map<number, Place>();
  const otherAt = (step: number): Place => {
    const place = others.get(step) ?? placed(`${step}_`, 0);
    others.set(step, place);
    return place;
  };
  for (const [step, some] of Map.groupBy([...all.values()], (place) => place.step)) {
    const rare = some.toSorted((a, b) => b.value - a.value).slice(PLACES_SHOWN);
    for (const { id } of rare) all.set(id, otherAt(step));
  }
  return { places: all, otherAt };
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
    let left = (own[0]?.source_paths ?? 0) - (own[0]?.source_ends ?? 0);
    for (const { target, aggregated_value } of own) {
      left -= aggregated_value;
      add(places.get(source), places.get(target) ?? otherAt(stepOf(target)), aggregated_value);
    }
    if (left > 0) add(places.get(source), otherAt(stepOf(source) + 1), left);
  }
  const streams = [...found.values()];
  const shown = new Set([...places.values(), ...streams.flatMap(({ from, to }) => [from, to])]);
  return { places: laidOut([...shown], streams, height), streams };
}

/** Gives places and streams their tops and heights: the greatest first, the rarer ones last. */
function laidOut(places: Place[], streams: Stream[], height: number): Place[] {
  for (const place of places.filter(({ name }) => name === undefined)) {
    const came = sumOf(streams.filter(({ to }) => to === place));
    place.value = Math.max(came, sumOf(streams.filter(({ from }) => from === place)));
  }
  const steps = [...Map.groupBy(places, ({ step }) => step).values()];
  const scale = Math.min(
    ...steps.map((some) => (height - some.length * NAME_HEIGHT) / sumOf(some)),
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
  const [left, came] = [new Map<Place, number>(), new Map<Place, number>()];
  for (const stream of streams.sort((a, b) => a.from.top - b.from.top || a.to.top - b.to.top)) {
    const { from, to, value } = stream;
    stream.top = left.get(from) ?? from.top;
    stream.end = came.get(to) ?? to.top;
    left.set(from, stream.top + value * scale);
    came.set(to, stream.end + value * scale);
  }
  return places.toSorted((a, b) => a.step - b.step || a.top - b.top);
}
