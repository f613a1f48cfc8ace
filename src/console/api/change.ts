import { useState } from "preact/hooks";
import { asProblem, type Problem } from "./problem.ts";

/** A change that the user asks for: whether it is under way, and the problem that the last one had. */
export type Change = {
  isRunning: boolean;
  problem: Problem | undefined;
  /** Makes the change, unless another one is under way. Its problem is kept, and not thrown. */
  run(change: () => Promise<unknown>): Promise<void>;
};

/** Makes one change after the other. */
export function useChange(): Change {
  const [state, setState] = useState<Pick<Change, "isRunning" | "problem">>({
    isRunning: false,
    problem: undefined,
  });
  return {
    ...state,
    async run(change) {
      if (state.isRunning) return;
      setState({ isRunning: true, problem: undefined });
      try {
        await change();
        setState({ isRunning: false, problem: undefined });
      } catch (error) {
        setState({ isRunning: false, problem: asProblem(error) });
      }
    },
  };
}
