/** The sentences of an answer about names that nothing in the project has. */
export function Warnings({ of = [] }: { of: readonly string[] | undefined }) {
  if (of.length === 0) return null;
  return (
    <div class="note" role="status">
      <div class="note-text">
        {of.map((sentence) => (
          <p key={sentence}>
            <bdi>{sentence}</bdi>
          </p>
        ))}
      </div>
    </div>
  );
}
