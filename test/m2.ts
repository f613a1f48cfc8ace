import { testApp } from "./support/start/app.ts";

const t = () => {
  const c = process.cpuUsage();
  return (c.user + c.system) / 1e3;
};
for (let i = 0; i < 8; i++) {
  let a = t();
  const w = performance.now();
  const app = await testApp();
  const o = t() - a;
  a = t();
  await app[Symbol.asyncDispose]();
  console.log(
    i,
    "open",
    o.toFixed(0),
    "close",
    (t() - a).toFixed(0),
    "wall",
    (performance.now() - w).toFixed(0),
  );
}
