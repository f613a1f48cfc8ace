import { ask, readQuestion, tableIn } from "../../api/ask.ts";
import { useLoad } from "../../api/load.ts";
import { unitOf } from "../../pages/insights/answer-table.ts";
import { withUnit } from "../../state/format.ts";
import { project } from "../../state/project.ts";

/** A question has several words; a single word is a search. */
const IS_QUESTION = /\S\s+\S/;

type Answered = { text: string; note: string | undefined };

/** Asks a text as a question; its note is the number if the answer is one, else how it was read. */
async function answered(text: string, signal: AbortSignal): Promise<Answered> {
  const { query } = await readQuestion({ words: text }, signal);
  // The question's own page explains a refusal and offers other questions.
  if (query === null) return { text, note: "Not understood" };
  const answer = await ask(query, signal);
  const [line, ...others] = tableIn(answer) ? [] : answer.results;
  const isNumber = line && others.length === 0 && line.aggregated_value !== undefined;
  const isOne = isNumber && answer.columns.length === 1;
  const note = isOne ? withUnit(line.aggregated_value, unitOf(line)) : answer.sentence;
  return { text, note: note ?? undefined };
}

/** A short answer to a question; undefined until it has come. */
export function useInlineAnswer(text: string): string | undefined {
  const key = IS_QUESTION.test(text) ? `answer ${project.value?.id} ${text}` : null;
  const { data } = useLoad(key, (signal) => answered(text, signal));
  return data?.text === text ? data.note : undefined;
}
