/**
 * Counts the time in which the guest has something to do, over all steps of a session. Monotonic: a clock that is set
 * and a machine that sleeps do not touch it.
 */
export type GuestClock = { start(): void; stop(): void; close(): void };

export const createGuestClock = (budgetMs: number, onOver: () => void): GuestClock => {
  let left = budgetMs;
  let since: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  return {
    start() {
      if (since !== undefined) return;
      since = performance.now();
      timer = setTimeout(onOver, Math.max(0, left));
    },
    stop() {
      if (since === undefined) return;
      left -= performance.now() - since;
      since = undefined;
      clearTimeout(timer);
    },
    close() {
      clearTimeout(timer);
    },
  };
};
