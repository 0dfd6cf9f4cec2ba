import { readSync } from 'node:fs';

/** Memory that the thread retains after each file with the content `leak`. */
export const LEAK_BYTES = 30_000_000;
const leaks: Uint8Array[] = [];

/** Ways in which reading can fail. */
const FAULTS: Readonly<Record<string, () => void>> = {
  hang: () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
  grow: () => {
    for (const items: number[][] = []; ;) items.push(Array.from({ length: 10_000 }, (_, index) => index));
  },
  // The busy loop limits the memory that is taken before the next check.
  buffers: () => {
    for (const items: Uint8Array[] = []; ;) {
      items.push(new Uint8Array(20_000_000).fill(1));
      for (const deadline = performance.now() + 20; performance.now() < deadline;) items.at(-1)?.fill(2);
    }
  },
  throw: () => {
    throw new Error('unexpected');
  },
  // Memory that is not freed with the file. The loop runs long enough for a memory check to happen.
  leak: () => {
    const leak = new Uint8Array(LEAK_BYTES).fill(1);
    leaks.push(leak);
    for (const deadline = performance.now() + 500; performance.now() < deadline;) leak.fill(2);
  },
  disk: () => {
    throw Object.assign(new Error('i/o error, read'), { code: 'EIO' });
  },
  kill: () => void process.kill(process.pid, 'SIGKILL'),
};

/** Simulates the fault that the content names, if any. Returns the first 20 bytes of the content. */
export const failAsNamed = (fd: number): string => {
  const content = Buffer.alloc(20);
  const text = content.toString('latin1', 0, readSync(fd, content, 0, content.length, 0));
  FAULTS[text]?.();
  return text;
};
