import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { valueText } from "../state/format.ts";
import { CopyButton } from "./button.tsx";

const isAddress = (value: unknown): value is string =>
  typeof value === "string" && /^https?:\/\/\S+$/.test(value);

/** A value of a property: addresses of the web lead there, in a tab that learns nothing about this one. */
export function Value({ value }: { value: unknown }) {
  if (isAddress(value)) {
    return (
      <a href={value} target="_blank" rel="noopener noreferrer">
        {value}
      </a>
    );
  }
  if (value === null || value === undefined) return <span class="faint">–</span>;
  return <span class={typeof value === "string" ? undefined : "mono"}>{valueText(value)}</span>;
}

/** A name with its value, in a list of them. */
export function Fact({ name, children }: { name: ComponentChildren; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <div>{children}</div>
      </dd>
    </div>
  );
}

/** Names and values, the project's own names first. A field narrows them down. */
export function Properties(props: {
  properties: Record<string, unknown>;
  /** The sentence for there being none. */
  none?: string;
  /** Buttons for one of them. */
  actions?: (name: string, value: unknown) => ComponentChildren;
}) {
  const { none = "No properties." } = props;
  const [search, setSearch] = useState("");
  const entries = Object.entries(props.properties).sort(([a], [b]) => {
    const order = Number(a.startsWith("$")) - Number(b.startsWith("$"));
    return order || a.localeCompare(b);
  });
  const wanted = search.toLowerCase();
  const shown = entries.filter(([name, value]) =>
    `${name} ${valueText(value)}`.toLowerCase().includes(wanted),
  );
  return (
    <div class="properties">
      {entries.length > 12 && (
        <input
          type="search"
          class="narrow-down"
          placeholder={`Search ${entries.length} properties`}
          aria-label="Search properties"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <dl>
        {shown.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Value value={value} />
              <span class="row-actions">{props.actions?.(name, value)}</span>
            </dd>
          </div>
        ))}
      </dl>
      {shown.length === 0 && (
        <p class="caption">{entries.length === 0 ? none : "No property matches."}</p>
      )}
    </div>
  );
}

/** A line of code with a button that copies it. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div class="code-frame">
      <CopyButton text={text} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keys. */}
      <section tabIndex={0} aria-label={label}>
        <pre class="code">{text}</pre>
      </section>
    </div>
  );
}
