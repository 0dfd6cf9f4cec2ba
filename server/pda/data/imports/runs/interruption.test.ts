import { describe, expect, it, vi } from 'vitest';
import { Failure } from '../../../../platform/failure.ts';
import { interruptionOf } from './interruption.ts';

const cancel = vi.fn(() => Promise.resolve());
const signal = new AbortController().signal;

describe('an error of an import', () => {
  it.each(['out_of_disk', 'unavailable'] as const)('with the code %s is rethrown', async (code) => {
    const failure = new Failure(code, 'Not now.');
    await expect(interruptionOf(failure, signal, cancel)).rejects.toBe(failure);
  });

  it('of another kind is not an interruption', async () => {
    const failure = new Failure('query_limit_exceeded', 'Too large.');
    expect(await interruptionOf(failure, signal, cancel)).toBeUndefined();
    expect(await interruptionOf(new Error('broken'), signal, cancel)).toBeUndefined();
  });

  it('is an interruption once the import is cancelled or the server stops', async () => {
    const failure = new Failure('unavailable', 'Not now.');
    expect(await interruptionOf(failure, AbortSignal.abort('stopping'), cancel)).toBe('stopped');
    expect(cancel).not.toHaveBeenCalled();
    expect(await interruptionOf(failure, AbortSignal.abort('cancelled'), cancel)).toBe('cancelled');
    expect(cancel).toHaveBeenCalledTimes(1);
  });
});
