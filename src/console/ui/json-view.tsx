import { CopyButton } from "./button.tsx";

/** JSON as text, in colours, with a button that copies it. */
export function JsonView({ value, label = "JSON" }: { value: unknown; label?: string }) {
  const text = JSON.stringify(value, null, 2) ?? "null";
  return (
    <div class="code-frame">
      <CopyButton text={text} label="Copy JSON" />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keys. */}
      <section tabIndex={0} aria-label={label}>
        <pre class="code">{coloured(text)}</pre>
      </section>
    </div>
  );
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

function kindOf(quoted: string | undefined, colon: string | undefined): string {
  if (quoted === undefined) return "value";
  return colon === undefined ? "string" : "name";
}

/** Longest text that is coloured; each token is an element. */
const COLOURED_CHARS_MAX = 20_000;

/** The text as elements: names, texts and other values have a class each. */
function coloured(text: string) {
  if (text.length > COLOURED_CHARS_MAX) return text;
  const parts: (string | preact.JSX.Element)[] = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, quoted, colon] = match;
    parts.push(text.slice(at, match.index));
    const kind = kindOf(quoted, colon);
    parts.push(
      <span key={match.index} class={`code-${kind}`}>
        {quoted ?? whole}
      </span>,
    );
    if (colon !== undefined) parts.push(colon);
    at = match.index + whole.length;
  }
  return [...parts, text.slice(at)];
}
