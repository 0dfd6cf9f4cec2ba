import { describe, expect, it, vi } from 'vitest';
import { createKeyedMutex } from './mutex.ts';

const doNothing = async (): Promise<void> => undefined;

describe('a mutex per key', () => {
  it('runs work with the same key one at a time, in call order', async () => {
    const mutex = createKeyedMutex();
    const first = Promise.withResolvers<void>();
    const events: string[] = [];
    const runs = [
      mutex.run('a', async () => {
        events.push('first begins');
        await first.promise;
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
    first.resolve();
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

  it('does not delay work with another key', async () => {
    const mutex = createKeyedMutex();
    const first = Promise.withResolvers<string>();
    const run = mutex.run('a', () => first.promise);
    expect(await mutex.run('b', async () => 'other')).toBe('other');
    first.resolve('first');
    expect(await run).toBe('first');
  });

  it('rejects with the error of its work, and runs the work behind it', async () => {
    const mutex = createKeyedMutex();
    const failed = mutex.run('a', () => Promise.reject(new Error('failed')));
    const next = mutex.run('a', async () => 'next');
    await expect(failed).rejects.toThrow('failed');
    expect(await next).toBe('next');
    expect(mutex.isInUse('a')).toBe(false);
  });

  it('is in use while work with its key runs or waits', async () => {
    const mutex = createKeyedMutex();
    const first = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    expect(mutex.isInUse('a')).toBe(false);
    const firstRun = mutex.run('a', () => first.promise);
    const secondRun = mutex.run('a', () => second.promise);
    expect([mutex.isInUse('a'), mutex.isInUse('b')]).toEqual([true, false]);
    first.resolve();
    await firstRun;
    expect(mutex.isInUse('a')).toBe(true);
    second.resolve();
    await secondRun;
    expect(mutex.isInUse('a')).toBe(false);
  });
});
