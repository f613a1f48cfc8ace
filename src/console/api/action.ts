import { useState } from "preact/hooks";
import { asProblem, type Problem } from "./problem.ts";

/** A step that the user takes: whether it runs, and why the last attempt failed. */
export type Action = {
  isRunning: boolean;
  problem: Problem | undefined;
  /** Takes a step, and resolves to whether it succeeded. A second one does not begin while one runs. */
  run(act: () => Promise<unknown>): Promise<boolean>;
};

/** Runs the steps of a form or a dialog one at a time, and keeps the problem of the last one. */
export function useAction(): Action {
  const [state, setState] = useState<Omit<Action, "run">>({ isRunning: false, problem: undefined });
  return {
    ...state,
    async run(act) {
      if (state.isRunning) return false;
      setState({ isRunning: true, problem: undefined });
      try {
        await act();
        setState({ isRunning: false, problem: undefined });
        return true;
      } catch (error) {
        setState({ isRunning: false, problem: asProblem(error) });
        return false;
      }
    },
  };
}
