import { named, refuse } from "../tree.ts";
import type { Token } from "./tokens.ts";

/** Words that begin statements of other kinds than SELECT. */
const WRITES =
  /^(?:alter|analyze|attach|begin|call|checkpoint|commit|copy|create|delete|describe|desc|detach|drop|exchange|execute|exists|explain|export|grant|import|insert|install|kill|load|merge|optimize|pragma|prepare|rename|replace|reset|revoke|rollback|set|show|summarize|system|truncate|undrop|update|use|vacuum|watch)$/;

/** Fails on a statement that is no SELECT, and on several statements, by their words; on any word where `isAny`. */
export function refuseOthers(tokens: readonly Token[], isAny = false): void {
  const end = tokens.findIndex(({ word }) => word === ";");
  const next = end < 0 ? undefined : tokens.slice(end).find(({ word }) => !/^;?$/.test(word));
  if (next !== undefined) {
    refuse(
      `One statement is taken, without ${named(next.text)} after the semicolon: send each alone.`,
    );
  }
  const word = isAny ? (tokens.find((one) => WRITES.test(one.word))?.word ?? "") : tokens[0]?.word;
  if (WRITES.test(word ?? "")) {
    refuse(`${word?.toUpperCase()} is not taken: SQL only reads here. Write one SELECT.`);
  }
  if (isAny) refuse("One SELECT is expected.");
}
