import { readSync } from 'node:fs';
import { serveRequests } from '../../../platform/workers/idle-thread.ts';
import { NO_DETAILS, type PictureDetails } from './rules.ts';
import type { PictureRequest } from './thread.ts';

/** Stand-in for `thread.ts` that fails as a fault of the parser would, depending on the content of the file. */

const FAULTS: Readonly<Record<string, () => void>> = {
  hang: () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
  grow: () => {
    for (const items: number[][] = []; ;) items.push(Array.from({ length: 10_000 }, (_, index) => index));
  },
  throw: () => {
    throw new Error('unexpected');
  },
};

serveRequests(({ fd }: PictureRequest): PictureDetails => {
  const content = Buffer.alloc(20);
  const text = content.toString('latin1', 0, readSync(fd, content, 0, content.length, 0));
  FAULTS[text]?.();
  return { ...NO_DETAILS, camera: text };
});
