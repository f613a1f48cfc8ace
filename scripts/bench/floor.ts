/**
 * The floor of the capture rows, a process of its own: a bare server that parses the body and
 * answers the same bytes. It checks nothing, stores nothing and forgets the events.
 */
const HEADERS = { headers: { "content-type": "application/json" } };

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  development: false,
  maxRequestBodySize: 64 * 1024 * 1024,
  async fetch(request) {
    JSON.parse(await request.text());
    return new Response('{"status":"Ok"}', HEADERS);
  },
});
console.log(server.port);

export {};
