/** Returns a function that runs each work once all earlier work has ended, also after a failure. */
export function inTurn(): <T>(work: () => Promise<T> | T) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}

/** The same for each key by itself. */
export function inTurnByKey(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const turns = new Map<string, { run: ReturnType<typeof inTurn>; waiting: number }>();
  return async (key, work) => {
    const turn = turns.get(key) ?? { run: inTurn(), waiting: 0 };
    turns.set(key, turn);
    turn.waiting++;
    try {
      return await turn.run(work);
    } finally {
      turn.waiting--;
      if (turn.waiting === 0) turns.delete(key);
    }
  };
}
