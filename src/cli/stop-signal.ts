/** Resolves at the first signal to stop; the second ends the process at once, which is safe. */
export function firstSignal(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let signalled = false;
  for (const [name, code] of [
    ["SIGTERM", 143],
    ["SIGINT", 130],
    ["SIGHUP", 129],
  ] as const) {
    process.on(name, () => {
      if (signalled) process.exit(code);
      signalled = true;
      resolve(name);
    });
  }
  return promise;
}
