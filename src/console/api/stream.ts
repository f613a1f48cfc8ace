/** The parts of an answer that comes little by little, each ended by `end`, as they come. */
export async function* partsOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  end: string,
): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value = "" } = await reader.read();
    if (done) return;
    const parts = (rest + value).split(end);
    rest = parts.pop() ?? "";
    yield* parts;
  }
}
