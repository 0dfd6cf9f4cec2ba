import type { Timers } from '../../../../platform/tunnel/timers.ts';

export type Readiness = {
  wait(ms: number): Promise<void>;
  /** Must be called after each change that may fulfil the condition. */
  check(): void;
};

export const createReadiness = (timers: Pick<Timers, 'after'>, isSettled: () => boolean): Readiness => {
  const checks = new Set<() => void>();
  return {
    wait: (ms) =>
      new Promise((resolve) => {
        const finish = (): void => {
          cancelTimeout();
          checks.delete(check);
          resolve();
        };
        const check = (): void => {
          if (isSettled()) finish();
        };
        const cancelTimeout = timers.after(ms, finish);
        checks.add(check);
        check();
      }),
    check() {
      for (const check of checks) check();
    },
  };
};
