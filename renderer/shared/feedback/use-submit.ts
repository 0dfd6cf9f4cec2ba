import { useState } from 'react';
import { toProblem } from '../api/problem.ts';

/**
 * Something that a click does: whether it is under way, and what went wrong the last time. It stays busy when it is done, because what was
 * clicked goes away then; a second click before that would do it twice.
 */
export function useSubmit() {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  /** `conflict` is run when what was looked at is not what it is any more (409): nothing was done then. */
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
