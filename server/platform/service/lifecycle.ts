import type { Log } from '../log.ts';
import { endsWithin } from '../async/deadline.ts';

/**
 * Closes resources in reverse order of opening. Each step gets half of the remaining time, so that a step that hangs
 * cannot prevent the next steps from running.
 */
export type Lifecycle = {
  onClose(name: string, close: () => Promise<void> | void): void;
  /** Runs the steps once; later calls wait for the same result. */
  close(): Promise<void>;
};

const STOP_DEADLINE_MS = 8000;
/** Minimum time for each step, even after the deadline. */
const MIN_SHARE_MS = 250;

export const createLifecycle = (log: Log, deadlineMs = STOP_DEADLINE_MS): Lifecycle => {
  const steps: { name: string; close: () => Promise<void> | void }[] = [];
  let closing: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    const deadline = performance.now() + deadlineMs;
    for (const step of steps.toReversed()) {
      const shareMs = Math.max(MIN_SHARE_MS, (deadline - performance.now()) / 2);
      try {
        const isClosed = await endsWithin(shareMs, Promise.resolve(step.close()));
        if (!isClosed) log.warn({ step: step.name }, 'closing timed out, continuing');
      } catch (error) {
        log.error({ step: step.name, err: error }, 'closing failed, continuing');
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
