import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/values/json.ts";
import { propertiesOf } from "../../support/data/admitted.ts";

const B = 'b:nth-child="0"nth-of-type="0"';

describe("the chain of elements", () => {
  test.each<[JsonObject[], string]>([
    [
      [
        {
          tag_name: "button",
          $el_text: "Buy",
          attr__href: null,
          nth_child: 1,
          nth_of_type: 2,
          order: 0,
        },
        { tag_name: "form", order: 1 },
      ],
      'button:nth-child="1"nth-of-type="2"text="Buy";form:nth-child="0"nth-of-type="0"',
    ],
    [
      [
        {
          ...{
            tag_name: "a",
            attr__class: "small btn",
            attr__id: "go",
            nth_child: 3,
            nth_of_type: 1,
          },
          ...{ attr__href: "/x", "attr__data-n": 5, $el_text: 'say "hi"; now', other: "" },
        },
      ],
      'a.btn.small:attr__class="small btn"attr__data-n="5"attr__href="/x"attr__id="go"attr_id="go"href="/x"nth-child="3"nth-of-type="1"text="say \\"hi\\"; now"',
    ],
    [
      [{ tag_name: "p", attr__class: ["b", 'a"'], $el_text: "x".repeat(400) }],
      `p.a.b:attr__class="b,a\\""nth-child="0"nth-of-type="0"text="${"x".repeat(400)}"`,
    ],
  ])("of %j is as PostHog writes it", (elements, chain) => {
    const made = propertiesOf("$autocapture", { $event_type: "click", $elements: elements });
    expect(made).toEqual({ $event_type: "click", $elements_chain: chain });
  });

  test.each<[JsonObject, JsonObject]>([
    [{ $elements_chain: "", $elements: [{ tag_name: "b" }] }, { $elements_chain: B }],
    [{ $elements_chain: B, $elements: [{ tag_name: "b", order: 0 }] }, { $elements_chain: B }],
    [{ $elements: [] }, { $elements: [] }],
    [{ $elements: "a" }, { $elements: "a" }],
    [{ $elements: ["a"] }, { $elements: ["a"] }],
    [
      { $elements: [{ tag_name: "b", classes: ["x"], attr__class: "x" }] },
      { $elements_chain: 'b.x:attr__class="x"nth-child="0"nth-of-type="0"' },
    ],
  ])("of %j makes %j", (sent, stored) => {
    expect(propertiesOf("clicked", sent)).toEqual(stored);
  });

  test.each<[JsonObject, string]>([
    [{ $elements: [{ tag_name: "b", mine: 1 }] }, B],
    [{ $elements: [{ tag_name: "b", classes: ["x"] }] }, B],
    [{ $elements: [{ tag_name: "b" }, "c", null] }, B],
    [{ $elements: [{ tag_name: "b" }], $elements_chain: "a" }, "a"],
    [{ $elements: [{ $el_text: "x".repeat(401) }] }, `:${B.slice(2)}text="${"x".repeat(400)}"`],
    [
      { $elements: [{ attr__href: "/".repeat(2049) }] },
      `:attr__href="${"/".repeat(2049)}"href="${"/".repeat(2048)}"${B.slice(2)}`,
    ],
  ])("leaves the list %j, which has more", (sent, chain) => {
    expect(propertiesOf("clicked", sent)).toEqual({ ...sent, $elements_chain: chain });
  });
});
