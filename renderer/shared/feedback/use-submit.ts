import { useState } from 'react';
import { toProblem } from '../api/problem.ts';

/**
 * State of an action: whether it is running, and its last error. Stays busy after success, because the clicked
 * element disappears then; a second click before that would repeat the action.
 */
export function useSubmit() {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  /** @param conflict called on 409, when the item has changed and nothing was done */
  const run = async (does: () => Promise<unknown>, conflict?: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await does();
    } catch (error) {
      if (conflict !== undefined && toProblem(error).status === 409) await conflict();
      setProblem(error);
      setBusy(false);
    }
  };
  return { busy, problem, run };
}
