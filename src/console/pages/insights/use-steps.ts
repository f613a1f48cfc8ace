import { useRef } from "preact/hooks";
import { useAddress } from "../../state/address.ts";

/** The changes of the query in the address. */
export type Steps = {
  /** Puts another query in the address, in place of the present one. Going back does not lead to it. */
  draft(q: string): void;
  /** Makes the draft a step of the history, so that going back leads to the query before it. */
  keep(): void;
};

/** The query in the address as a draft, as while one types, or as a step that going back leads to. */
export function useSteps(): Steps {
  const { query, set } = useAddress();
  const present = query["q"] ?? "";
  const step = useRef(present);
  const drafted = useRef<string | undefined>(undefined);
  if (present !== drafted.current) {
    step.current = present;
    drafted.current = undefined;
  }
  const draft = (q: string) => {
    // Words in the address are no step of their own: they become this query.
    if (query["ask"] !== undefined) step.current = q;
    drafted.current = q;
    set({ q, ask: "" });
  };
  const keep = () => {
    const q = drafted.current;
    if (q === undefined || q === step.current) return;
    set({ q: step.current });
    set({ q }, { push: true });
    step.current = q;
  };
  return { draft, keep };
}
