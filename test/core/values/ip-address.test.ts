import { expect, test } from "bun:test";
import { addressNumber } from "../../../src/core/values/ip-address.ts";

test.each<[string, number | bigint | undefined]>([
  ["0.0.0.0", 0],
  ["1.2.3.4", 0x1_02_03_04],
  ["255.255.255.255", 2 ** 32 - 1],
  ["256.0.0.1", undefined],
  ["1.2.3", undefined],
  ["1.2.3.4:80", undefined],
  ["::ffff:1.2.3.4", 0x1_02_03_04],
  ["0:0:0:0:0:FFFF:102:304", 0x1_02_03_04],
  ["2001:db8::1", 0x2001_0db8_0000_0000n],
  ["2001:DB8:1:2:3:4:5:6", 0x2001_0db8_0001_0002n],
  ["2001:db8:0:7::/64", 0x2001_0db8_0000_0007n],
  ["2001:db8::/64", undefined],
  ["::", 0n],
  ["fe80::1%eth0", undefined],
  ["1::2::3", undefined],
  ["x]@host:80/[", undefined],
  ["localhost", undefined],
  ["", undefined],
])("the address %p is the number %p", (text, number) => {
  expect(addressNumber(text)).toBe(number);
});
