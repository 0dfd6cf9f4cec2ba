import { readLinuxMemory, readProcessMemory } from './process-memory.ts';

/** Milliseconds between two reads of /proc. */
const PROC_INTERVAL_MS = 20;
/** Milliseconds between two starts of a command that measures memory. */
const COMMAND_INTERVAL_MS = 500;

export type Watchdog = {
  /** Returns the peak in bytes; undefined if the system never reported it. */
  peak(): number | undefined;
  /** Stops the measurements. On Linux, takes a final one if the process still exists. */
  close(): void;
};

/**
 * Watches the memory of a process from outside, because a compromised process cannot be trusted to report it.
 * @param onExceeded called at each measurement once the peak exceeds the limit, until the watchdog is closed
 */
export const watchMemory = (pid: number, limitBytes: number, onExceeded: () => void): Watchdog => {
  let peak: number | undefined;
  let isClosed = false;
  const record = (bytes: number | undefined): void => {
    if (bytes === undefined) return;
    peak = Math.max(peak ?? 0, bytes);
    if (peak > limitBytes && !isClosed) onExceeded();
  };

  if (process.platform === 'linux') {
    const measure = (): void => {
      record(readLinuxMemory(pid)?.peak);
    };
    const timer = setInterval(measure, PROC_INTERVAL_MS);
    return {
      peak: () => peak,
      close() {
        clearInterval(timer);
        if (isClosed) return;
        isClosed = true;
        measure();
      },
    };
  }

  let isMeasuring = false;
  const timer = setInterval(() => {
    if (isMeasuring) return;
    isMeasuring = true;
    void readProcessMemory(pid).then((memory) => {
      isMeasuring = false;
      if (!isClosed) record(memory?.peak);
    });
  }, COMMAND_INTERVAL_MS);
  return {
    peak: () => peak,
    close() {
      clearInterval(timer);
      isClosed = true;
    },
  };
};
