import type { Timers } from '../../../../platform/tunnel/timers.ts';

export const createReadiness = (timers: Pick<Timers, 'schedule'>, isSettled: () => boolean) => {
  const checks = new Set<() => void>();
  return {
    /** Resolves once `isSettled` returns true, or after the timeout. */
    wait: (timeoutMs: number): Promise<void> =>
      new Promise((resolve) => {
        const finish = (): void => {
          cancelTimeout();
          checks.delete(check);
          resolve();
        };
        const check = (): void => {
          if (isSettled()) finish();
        };
        const cancelTimeout = timers.schedule(timeoutMs, finish);
        checks.add(check);
        check();
      }),
    /** Ends all waits if `isSettled` returns true. Must be called after each change that may affect it. */
    check(): void {
      for (const check of checks) check();
    },
  };
};
