import { describe, expect, it, vi } from 'vitest';
import { createKeyedMutex } from './mutex.ts';

const doNothing = async (): Promise<void> => undefined;

describe('a mutex per key', () => {
  it('runs work with the same key one at a time, in call order', async () => {
    const mutex = createKeyedMutex();
    const firstWork = Promise.withResolvers<void>();
    const events: string[] = [];
    const runs = [
      mutex.run('a', async () => {
        events.push('first begins');
        await firstWork.promise;
        events.push('first ends');
      }),
      mutex.run('a', async () => {
        events.push('second');
      }),
      mutex.run('a', async () => {
        events.push('third');
      }),
    ];
    await mutex.run('b', doNothing);
    expect(events).toEqual(['first begins']);
    firstWork.resolve();
    await Promise.all(runs);
    expect(events).toEqual(['first begins', 'first ends', 'second', 'third']);
  });

  it('begins work synchronously if no other work has its key', async () => {
    const mutex = createKeyedMutex();
    const work = vi.fn(doNothing);
    const run = mutex.run('a', work);
    expect(work).toHaveBeenCalledTimes(1);
    await run;
    void mutex.run('a', work);
    expect(work).toHaveBeenCalledTimes(2);
  });

  it('does not delay work with a different key', async () => {
    const mutex = createKeyedMutex();
    const firstWork = Promise.withResolvers<string>();
    const run = mutex.run('a', () => firstWork.promise);
    expect(await mutex.run('b', async () => 'other')).toBe('other');
    firstWork.resolve('first');
    expect(await run).toBe('first');
  });

  it('rejects with the error of its work, and runs the work behind it', async () => {
    const mutex = createKeyedMutex();
    const failedRun = mutex.run('a', () => Promise.reject(new Error('failed')));
    const nextRun = mutex.run('a', async () => 'next');
    await expect(failedRun).rejects.toThrow('failed');
    expect(await nextRun).toBe('next');
    expect(mutex.isInUse('a')).toBe(false);
  });

  it('is in use while work with its key runs or waits', async () => {
    const mutex = createKeyedMutex();
    const firstWork = Promise.withResolvers<void>();
    const secondWork = Promise.withResolvers<void>();
    expect(mutex.isInUse('a')).toBe(false);
    const firstRun = mutex.run('a', () => firstWork.promise);
    const secondRun = mutex.run('a', () => secondWork.promise);
    expect([mutex.isInUse('a'), mutex.isInUse('b')]).toEqual([true, false]);
    firstWork.resolve();
    await firstRun;
    expect(mutex.isInUse('a')).toBe(true);
    secondWork.resolve();
    await secondRun;
    expect(mutex.isInUse('a')).toBe(false);
  });
});
