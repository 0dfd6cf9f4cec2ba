import { readLinuxMemory, readProcessMemory } from './process-memory.ts';

/** Milliseconds between two checks: where a check reads /proc, and where it starts a process. */
const LOOK_MS = 20;
const SLOW_LOOK_MS = 500;

export type Watchdog = {
  /** Bytes; undefined when the system never said. */
  peak(): number | undefined;
  /** One last look, while the process is still there, and no more. */
  close(): void;
};

/** Watches how much memory a process has, from outside: what is inside may be beyond saying. */
export const watchMemory = (pid: number, limitBytes: number, onExceeded: () => void): Watchdog => {
  let peak: number | undefined;
  let closed = false;
  const take = (bytes: number | undefined): void => {
    if (bytes === undefined) return;
    peak = Math.max(peak ?? 0, bytes);
    if (peak > limitBytes && !closed) onExceeded();
  };

  if (process.platform === 'linux') {
    const look = (): void => {
      take(readLinuxMemory(pid)?.peak);
    };
    const timer = setInterval(look, LOOK_MS);
    return {
      peak: () => peak,
      close() {
        clearInterval(timer);
        if (closed) return;
        closed = true;
        look();
      },
    };
  }

  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    void readProcessMemory(pid).then((memory) => {
      looking = false;
      if (!closed) take(memory?.peak);
    });
  }, SLOW_LOOK_MS);
  return {
    peak: () => peak,
    close() {
      clearInterval(timer);
      closed = true;
    },
  };
};
