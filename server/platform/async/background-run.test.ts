import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createBackgroundRun } from './background-run.ts';

const warn = vi.fn();
const createRun = (run: () => Promise<void>) => createBackgroundRun({ run, log: { warn }, failure: 'failed' });

beforeEach(() => {
  vi.useFakeTimers();
  warn.mockClear();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a background run', () => {
  it('runs once more for all requests that arrive during a run', async () => {
    const firstRun = Promise.withResolvers<undefined>();
    const run = vi.fn<() => Promise<void>>().mockReturnValueOnce(firstRun.promise).mockResolvedValue(undefined);
    const backgroundRun = createRun(run);
    backgroundRun.start();
    backgroundRun.start();
    backgroundRun.start();
    expect(run).toHaveBeenCalledTimes(1);
    firstRun.resolve(undefined);
    await vi.advanceTimersByTimeAsync(0);
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('is repeated a minute after an error', async () => {
    const run = vi.fn<() => Promise<void>>().mockRejectedValueOnce(new Error('full')).mockResolvedValue(undefined);
    const backgroundRun = createRun(run);
    backgroundRun.start();
    await vi.advanceTimersByTimeAsync(59_000);
    backgroundRun.start();
    expect(run).toHaveBeenCalledTimes(1);
    expect(warn).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('waits for the current run when it is closed, and then never runs again', async () => {
    const firstRun = Promise.withResolvers<undefined>();
    const run = vi.fn<() => Promise<void>>().mockReturnValue(firstRun.promise);
    const backgroundRun = createRun(run);
    backgroundRun.start();
    backgroundRun.start();
    const onClose = vi.fn();
    const closing = backgroundRun.close().then(onClose);
    await vi.advanceTimersByTimeAsync(0);
    expect([backgroundRun.isClosed(), onClose.mock.calls.length]).toEqual([true, 0]);
    firstRun.resolve(undefined);
    await closing;
    backgroundRun.start();
    expect(run).toHaveBeenCalledTimes(1);
  });
});
