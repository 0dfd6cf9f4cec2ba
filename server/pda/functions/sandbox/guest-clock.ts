/** Limits the total time that the guest spends on the steps of a session, excluding the start of its process. */
export type GuestClock = { start(): void; stop(): void; close(): void };

export const createGuestClock = (budgetMs: number, onExceeded: () => void): GuestClock => {
  let remainingMs = budgetMs;
  let startedAt: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  return {
    start() {
      if (startedAt !== undefined) return;
      startedAt = performance.now();
      timer = setTimeout(onExceeded, Math.max(0, remainingMs));
    },
    stop() {
      if (startedAt === undefined) return;
      remainingMs -= performance.now() - startedAt;
      startedAt = undefined;
      clearTimeout(timer);
    },
    close() {
      clearTimeout(timer);
    },
  };
};
