import { describe, expect, it } from 'vitest';
import { createPathQueue, createSemaphore } from './path-queue.ts';
import type { ReconcileOutcome } from './reconciler.ts';

const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const startQueue = (reconcile: (path: string) => Promise<ReconcileOutcome>) => {
  const calls = { folders: [] as string[], noFolders: [] as string[], errors: [] as unknown[], overflows: 0 };
  let now = 0;
  const queue = createPathQueue({
    reconcile,
    onFolder: (path) => void calls.folders.push(path),
    onNoFolder: (path) => void calls.noFolders.push(path),
    onError: (error) => void calls.errors.push(error),
    onOverflow: () => (calls.overflows += 1),
    diskClock: { now: () => now },
    tickMs: 1,
  });
  return { queue, calls, advance: (ms: number) => (now += ms) };
};

describe('queued paths', () => {
  it('are reconciled once for several additions, and again if they are added during reconciliation', async () => {
    const reconciledPaths: string[] = [];
    let resume = (): void => undefined;
    const { queue } = startQueue(async (path) => {
      reconciledPaths.push(path);
      if (reconciledPaths.length === 1) await new Promise<void>((resolve) => (resume = resolve));
      return { kind: 'done' };
    });
    for (let n = 0; n < 10; n += 1) queue.add('a', false);
    await yieldToEventLoop();
    await yieldToEventLoop();
    expect(reconciledPaths).toEqual(['a']);
    for (let n = 0; n < 10; n += 1) queue.add('a', false);
    resume();
    await queue.waitUntilDrained();
    expect(reconciledPaths).toEqual(['a', 'a']);
    expect(queue.isQuiet()).toBe(true);
    await queue.close();
  });

  it('are reconciled again only when their postponement ends, even if they are added earlier', async () => {
    let runs = 0;
    const { queue, advance } = startQueue(() => {
      runs += 1;
      return Promise.resolve(runs === 1 ? { kind: 'later', ms: 1000 } : { kind: 'done' });
    });
    queue.add('a', false);
    await queue.waitUntilDrained();
    queue.add('a', false);
    advance(999);
    await yieldToEventLoop();
    await yieldToEventLoop();
    expect(runs).toBe(1);
    expect(queue.isQuiet()).toBe(false);
    advance(1);
    while (!queue.isQuiet()) await yieldToEventLoop();
    expect(runs).toBe(2);
    await queue.close();
  });

  it('are dropped beyond 50,000, and the overflow is reported', async () => {
    let runs = 0;
    const { queue, calls } = startQueue(() => {
      runs += 1;
      return Promise.resolve({ kind: 'done' });
    });
    for (let n = 0; n < 60_000; n += 1) queue.add(`path ${n}`, false);
    expect(calls.overflows).toBe(10_000);
    await queue.waitUntilDrained();
    expect(runs).toBe(50_000);
    await queue.close();
  });

  it('are dropped on close, which waits for paths in progress', async () => {
    let startCount = 0;
    let completedCount = 0;
    let isClosed = false;
    const { promise: permission, resolve: permit } = Promise.withResolvers<void>();
    const { queue } = startQueue(async () => {
      startCount += 1;
      await permission;
      completedCount += 1;
      return { kind: 'later', ms: 0 };
    });
    for (let n = 0; n < 1000; n += 1) queue.add(`path ${n}`, false);
    while (startCount === 0) await yieldToEventLoop();
    const closePromise = queue.close().then(() => (isClosed = true));
    await yieldToEventLoop();
    await yieldToEventLoop();
    expect(isClosed).toBe(false);
    permit();
    await closePromise;
    const doneAtClose = completedCount;
    expect(doneAtClose).toBe(startCount);
    expect(doneAtClose).toBeLessThan(1000);
    await yieldToEventLoop();
    await yieldToEventLoop();
    expect(completedCount).toBe(doneAtClose);
    expect(queue.isQuiet()).toBe(true);
  });

  it('do not delay others if their reconciliation fails, and the error is reported', async () => {
    const failure = new Error('no');
    const { queue, calls } = startQueue((path) =>
      path === 'a' ? Promise.reject(failure) : Promise.resolve({ kind: 'nothing' }),
    );
    queue.add('a', false);
    queue.add('b', false);
    await queue.waitUntilDrained();
    expect(calls).toMatchObject({ errors: [failure], noFolders: ['b'] });
    await queue.close();
  });
});

describe('a semaphore', () => {
  it('bounds concurrent work and eventually runs all of it', async () => {
    const semaphore = createSemaphore(2);
    let busyCount = 0;
    let maxBusyCount = 0;
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) =>
        semaphore(async () => {
          busyCount += 1;
          maxBusyCount = Math.max(maxBusyCount, busyCount);
          await yieldToEventLoop();
          busyCount -= 1;
          if (n % 5 === 0) throw new Error('no');
          return n;
        }),
      ),
    );
    expect(maxBusyCount).toBe(2);
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(16);
  });
});
