import { Fragment } from "preact";

/** Longest text that is cut into its parts; a longer one wraps anywhere. */
const CHARS_MAX = 200;

/** A name or an id. It wraps after its punctuation, and within a word only where that is not enough. */
export function Wrapping({ text }: { text: string }) {
  if (text.length > CHARS_MAX) return <bdi>{text}</bdi>;
  return (
    <bdi>
      {text.split(/(?<=[@._/-])/).map((part, at) => (
        <Fragment key={at}>
          {at > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </bdi>
  );
}
