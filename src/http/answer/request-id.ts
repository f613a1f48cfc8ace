/**
 * Ids by which an answer is found in the log: a part that differs from start to start, taken
 * from `seed`, and a count. A request keeps its id.
 */
export function requestIds(seed: string): (request: Request) => string {
  const start = seed.slice(-6);
  const ids = new WeakMap<Request, string>();
  let count = 0;
  return (request) => {
    const known = ids.get(request);
    if (known !== undefined) return known;
    count += 1;
    const id = `${start}-${count.toString(36)}`;
    ids.set(request, id);
    return id;
  };
}
