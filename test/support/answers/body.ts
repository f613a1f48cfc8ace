/** Whether an answer is a stream of events, which may never end. */
export function isStream({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") === true;
}

/** Reads a body whole; of a stream of events the first part alone. */
export async function bodyText(response: Response): Promise<string> {
  if (!isStream(response) || response.body === null) return response.text();
  const reader = response.body.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value);
}
