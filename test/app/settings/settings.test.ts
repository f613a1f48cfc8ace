import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigError, readConfig } from "../../../src/app/settings/settings.ts";
import { temporaryDirectory } from "../../support/start/app.ts";

describe("settings", () => {
  test("flag beats environment beats file beats default, and each says where it is from", () => {
    using directory = temporaryDirectory();
    const file = join(directory.path, "own.toml");
    writeFileSync(
      file,
      'port = 1\nhost = "10.0.0.1"\nthreads = 3\nallowed_hosts = ["a.b", "c.d"]\n',
    );

    const { settings, shown } = readConfig(
      { "--config": file, "--port": "3" },
      { HOGLET_PORT: "2", HOGLET_HOST: "10.0.0.2", PATH: "/bin" },
    );

    expect(settings).toMatchObject({
      port: 3,
      host: "10.0.0.2",
      threads: 3,
      allowed_hosts: ["a.b", "c.d"],
      dedup_window: 48,
    });
    const sources = Object.fromEntries(shown.map(({ name, source }) => [name, source]));
    expect(sources).toMatchObject({
      port: "flag",
      host: "environment",
      threads: "file",
      dedup_window: "default",
    });
  });

  test("allowed hosts are as links have them", () => {
    const { settings } = readConfig({ "--allowed-hosts": "BÜCHER.example, a.b,[::1]" }, {});
    expect(settings.allowed_hosts).toEqual(["xn--bcher-kva.example", "a.b", "[::1]"]);
  });

  test("a secret is not shown, and may come from a file that a variable names", () => {
    using directory = temporaryDirectory();
    const file = join(directory.path, "key");
    writeFileSync(file, "phx_0123456789abcdefghij\n");

    const { settings, shown } = readConfig({}, { HOGLET_PERSONAL_KEY_FILE: file });

    expect(settings.personal_key).toBe("phx_0123456789abcdefghij");
    expect(shown.find(({ name }) => name === "personal_key")?.value).toBe("(secret)");
  });

  test.each<[string, Record<string, string>, Record<string, string>, RegExp]>([
    ["an unknown variable", {}, { HOGLET_PROT: "1" }, /HOGLET_PROT is no setting/],
    [
      "a file for what is no secret",
      {},
      { HOGLET_PORT_FILE: "/x" },
      /HOGLET_PORT_FILE is no setting/,
    ],
    ["a port that is a word", { "--port": "http" }, {}, /--port must be a whole number/],
    ["a port that is too large", {}, { HOGLET_PORT: "65536" }, /HOGLET_PORT must be/],
    ["a log format of its own", { "--log-format": "xml" }, {}, /one of auto, human, json/],
    ["a preference of its own", {}, { HOGLET_PREFER: "all" }, /one of minimal, representation/],
    ["an allowed host with a port", { "--allowed-hosts": "a.b:8443" }, {}, /without a port/],
    ["an allowed host with a path", { "--allowed-hosts": "a.b/c" }, {}, /names of hosts/],
    [
      "a public address with a query",
      { "--public-url": "https://a.b/c?d" },
      {},
      /must be an address/,
    ],
    ["a certificate without its key", { "--tls-cert": "a.pem" }, {}, /belong together/],
    ["a file that is not there", { "--config": "/no/such.toml" }, {}, /cannot be read/],
  ])("%s is an error that says so", (_case, flags, env, sentence) => {
    expect(() => readConfig(flags, env)).toThrow(ConfigError);
    expect(() => readConfig(flags, env)).toThrow(sentence);
  });

  test.each([
    ["prot = 1", /prot is no setting/],
    ["port = [", /not valid TOML/],
  ])("the file %p is an error that says so", (text, sentence) => {
    using directory = temporaryDirectory();
    const file = join(directory.path, "own.toml");
    writeFileSync(file, text);
    expect(() => readConfig({ "--config": file }, {})).toThrow(sentence);
  });
});
