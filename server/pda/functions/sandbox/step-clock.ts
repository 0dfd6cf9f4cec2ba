/** Limits the total time that the function spends on the steps of a session, excluding the start of its process. */
export const createStepClock = (budgetMs: number, onExceeded: () => void) => {
  let remainingMs = budgetMs;
  let startedAt: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  return {
    start(): void {
      if (startedAt !== undefined) return;
      startedAt = performance.now();
      timer = setTimeout(onExceeded, Math.max(0, remainingMs));
    },
    stop(): void {
      if (startedAt === undefined) return;
      remainingMs -= performance.now() - startedAt;
      startedAt = undefined;
      clearTimeout(timer);
    },
    close: (): void => clearTimeout(timer),
  };
};
