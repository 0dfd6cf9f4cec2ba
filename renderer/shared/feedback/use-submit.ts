import { useState } from 'react';
import { toProblem } from '../api/problem.ts';

/**
 * Runs the action of a control that disappears after success. The control stays busy until then, because a second click
 * would repeat the action.
 */
export function useSubmit() {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  /** @param onConflict called on 409, when the item has changed and nothing was done */
  const run = async (action: () => Promise<unknown>, onConflict?: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await action();
    } catch (error) {
      setProblem(error);
      try {
        if (onConflict !== undefined && toProblem(error).status === 409) await onConflict();
      } finally {
        setBusy(false);
      }
    }
  };
  return { busy, problem, run };
}

/** Runs the action of a form that stays open and can be submitted again. Busy only until the action ends. */
export function useRepeatableSubmit() {
  const [busy, setBusy] = useState(false);
  const { problem, run } = useSubmit();
  const runAgain = async (action: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    await run(action);
    setBusy(false);
  };
  return { busy, problem, run: runAgain };
}
