import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createBackgroundRun } from './background-run.ts';

const warn = vi.fn();
const create = (run: () => Promise<void>) => createBackgroundRun({ run, log: { warn }, failure: 'failed' });

beforeEach(() => {
  vi.useFakeTimers();
  warn.mockClear();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a background run', () => {
  it('runs once more for all requests that arrive during a run', async () => {
    const first = Promise.withResolvers<undefined>();
    const run = vi.fn<() => Promise<void>>().mockReturnValueOnce(first.promise).mockResolvedValue(undefined);
    const background = create(run);
    background.start();
    background.start();
    background.start();
    expect(run).toHaveBeenCalledTimes(1);
    first.resolve(undefined);
    await vi.advanceTimersByTimeAsync(0);
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('is repeated a minute after an error', async () => {
    const run = vi.fn<() => Promise<void>>().mockRejectedValueOnce(new Error('full')).mockResolvedValue(undefined);
    const background = create(run);
    background.start();
    await vi.advanceTimersByTimeAsync(59_000);
    background.start();
    expect(run).toHaveBeenCalledTimes(1);
    expect(warn).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('waits for the current run when it is closed, and then never runs again', async () => {
    const first = Promise.withResolvers<undefined>();
    const run = vi.fn<() => Promise<void>>().mockReturnValue(first.promise);
    const background = create(run);
    background.start();
    background.start();
    const onClose = vi.fn();
    const closing = background.close().then(onClose);
    await vi.advanceTimersByTimeAsync(0);
    expect([background.isClosed(), onClose.mock.calls.length]).toEqual([true, 0]);
    first.resolve(undefined);
    await closing;
    background.start();
    expect(run).toHaveBeenCalledTimes(1);
  });
});
