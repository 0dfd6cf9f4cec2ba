import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../log.ts';

/** Background work that runs on request, one run at a time. */
type BackgroundRun = {
  /** Requests a run. A request during a run causes one more run. After a failed run, requests wait for its retry. */
  start(): void;
  isClosed(): boolean;
  /** Prevents further runs immediately, and waits for the current run. */
  close(): Promise<void>;
};

/** Delay before a failed run is repeated. A full disk, for example, makes runs fail. */
const RUN_RETRY_MS = 60_000;
const IDLE_PROBE_MS = 2;
const IDLE_MAX_UTILIZATION = 0.5;
const IDLE_MAX_PROBES = 50;

/**
 * Waits until the event loop is mostly idle, but at most for IDLE_MAX_PROBES probes. Requests thus take precedence over
 * background work.
 */
export const waitForIdle = async (): Promise<void> => {
  for (let probes = 0; probes < IDLE_MAX_PROBES; probes += 1) {
    const startUtilization = performance.eventLoopUtilization();
    await pause(IDLE_PROBE_MS);
    if (performance.eventLoopUtilization(startUtilization).utilization < IDLE_MAX_UTILIZATION) return;
  }
};

/**
 * @param parts.run does all pending work; it should return early once `isClosed` returns true
 * @param parts.failure message of the log entry for a failed run
 */
export const createBackgroundRun = (parts: {
  run: () => Promise<void>;
  log: Pick<Log, 'warn'>;
  failure: string;
}): BackgroundRun => {
  const { log, failure } = parts;
  let isClosed = false;
  let isRequested = false;
  let currentRun: Promise<void> | undefined;
  let retryTimer: NodeJS.Timeout | undefined;

  const runRequested = async (): Promise<void> => {
    while (isRequested && !isClosed) {
      isRequested = false;
      await parts.run();
    }
  };

  const start = (): void => {
    isRequested = true;
    if (isClosed || currentRun !== undefined || retryTimer !== undefined) return;
    currentRun = runRequested()
      .catch((error: unknown) => {
        if (isClosed) return;
        log.warn({ err: error }, failure);
        retryTimer = setTimeout(() => {
          retryTimer = undefined;
          start();
        }, RUN_RETRY_MS).unref();
      })
      .finally(() => {
        currentRun = undefined;
        // A request may have arrived after the loop ended.
        if (isRequested) start();
      });
  };

  return {
    start,
    isClosed: () => isClosed,
    async close() {
      isClosed = true;
      clearTimeout(retryTimer);
      await currentRun;
    },
  };
};
