import { describe, expect, it } from 'vitest';
import { createFolderQueue, createGate } from './path-queue.ts';
import type { Outcome } from './reconciler.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const start = (settle: (path: string) => Promise<Outcome>) => {
  const heard = { folders: [] as string[], noFolders: [] as string[], errors: [] as unknown[], overflows: 0 };
  let now = 0;
  const queue = createFolderQueue({
    settle,
    onFolder: (path) => void heard.folders.push(path),
    onNoFolder: (path) => void heard.noFolders.push(path),
    onError: (error) => void heard.errors.push(error),
    onOverflow: () => (heard.overflows += 1),
    diskClock: { now: () => now },
    tickMs: 1,
  });
  return { queue, heard, pass: (ms: number) => (now += ms) };
};

describe('paths that are to be looked at', () => {
  it('are looked at once however often they are named, and again when they are named meanwhile', async () => {
    const seen: string[] = [];
    let goOn = (): void => undefined;
    const { queue } = start(async (path) => {
      seen.push(path);
      if (seen.length === 1) await new Promise<void>((resolve) => (goOn = resolve));
      return { kind: 'done' };
    });
    for (let n = 0; n < 10; n += 1) queue.add('a', false);
    await turn();
    await turn();
    expect(seen).toEqual(['a']);
    for (let n = 0; n < 10; n += 1) queue.add('a', false);
    goOn();
    await queue.drained();
    expect(seen).toEqual(['a', 'a']);
    expect(queue.isQuiet()).toBe(true);
    await queue.close();
  });

  it('wait for their time', async () => {
    let looks = 0;
    const { queue, pass } = start(() => {
      looks += 1;
      return Promise.resolve(looks === 1 ? { kind: 'later', ms: 1000 } : { kind: 'done' });
    });
    queue.add('a', false);
    await queue.drained();
    queue.add('a', false);
    pass(999);
    await turn();
    await turn();
    expect(looks).toBe(1);
    expect(queue.isQuiet()).toBe(false);
    pass(1);
    while (!queue.isQuiet()) await turn();
    expect(looks).toBe(2);
    await queue.close();
  });

  it('drops paths beyond 50,000 and reports the overflow', async () => {
    let looks = 0;
    const { queue, heard } = start(() => {
      looks += 1;
      return Promise.resolve({ kind: 'done' });
    });
    for (let n = 0; n < 60_000; n += 1) queue.add(`path ${n}`, false);
    expect(heard.overflows).toBe(10_000);
    await queue.drained();
    expect(looks).toBe(50_000);
    await queue.close();
  });

  it('are dropped at the end; what is being done is waited for', async () => {
    let done = 0;
    const { queue } = start(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      done += 1;
      return { kind: 'later', ms: 0 };
    });
    for (let n = 0; n < 1000; n += 1) queue.add(`path ${n}`, false);
    await turn();
    await turn();
    await queue.close();
    const atTheEnd = done;
    expect(atTheEnd).toBeGreaterThan(0);
    expect(atTheEnd).toBeLessThan(1000);
    await turn();
    await turn();
    expect(done).toBe(atTheEnd);
    expect(queue.isQuiet()).toBe(true);
  });

  it('reports failed paths without delaying others', async () => {
    const failure = new Error('no');
    const { queue, heard } = start((path) =>
      path === 'a' ? Promise.reject(failure) : Promise.resolve({ kind: 'nothing' }),
    );
    queue.add('a', false);
    queue.add('b', false);
    await queue.drained();
    expect(heard).toMatchObject({ errors: [failure], noFolders: ['b'] });
    await queue.close();
  });
});

describe('a gate', () => {
  it('bounds concurrent work and eventually runs all of it', async () => {
    const gate = createGate(2);
    let busy = 0;
    let most = 0;
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) =>
        gate(async () => {
          busy += 1;
          most = Math.max(most, busy);
          await turn();
          busy -= 1;
          if (n % 5 === 0) throw new Error('no');
          return n;
        }),
      ),
    );
    expect(most).toBe(2);
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(16);
  });
});
