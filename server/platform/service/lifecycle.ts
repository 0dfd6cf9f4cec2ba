import type { Log } from '../log.ts';
import { endsWithin } from '../async/deadline.ts';

/**
 * What was opened, to be closed in the reverse order. Each step has half of what is left of the deadline: one that hangs cannot
 * keep the ones below it (the database last) from closing, and the first, which waits for running requests, has the most.
 */
export type Lifecycle = {
  onClose(name: string, close: () => Promise<void> | void): void;
  /** Runs once; later calls wait for the same end. */
  close(): Promise<void>;
};

export const STOP_DEADLINE_MS = 8000;
const MIN_SHARE_MS = 250;

export const createLifecycle = (log: Log, deadlineMs = STOP_DEADLINE_MS): Lifecycle => {
  const steps: { name: string; close: () => Promise<void> | void }[] = [];
  let closing: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    const deadline = performance.now() + deadlineMs;
    for (const step of steps.toReversed()) {
      const share = Math.max(MIN_SHARE_MS, (deadline - performance.now()) / 2);
      try {
        const isClosed = await endsWithin(share, Promise.resolve(step.close()));
        if (!isClosed) log.warn({ step: step.name }, 'closing took too long, going on');
      } catch (error) {
        log.error({ step: step.name, err: error }, 'closing failed, going on');
      }
    }
  };

  return {
    onClose(name, close) {
      steps.push({ name, close });
    },
    close() {
      closing ??= run();
      return closing;
    },
  };
};
