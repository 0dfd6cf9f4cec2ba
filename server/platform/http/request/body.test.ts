import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readBody } from './body.ts';

const MAX_BYTES = 100;

/** Creates a request whose body the test pushes. */
const createRequest = (headers: Record<string, string> = {}): IncomingMessage =>
  Object.assign(new IncomingMessage(new Socket()), { headers });

describe('readBody', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('concatenates the chunks', async () => {
    const incoming = createRequest();
    const body = readBody(incoming, MAX_BYTES);
    for (const chunk of ['ab', 'c', 'def']) incoming.push(chunk);
    incoming.push(null);
    expect((await body).toString()).toBe('abcdef');
  });

  it('returns an empty buffer for an empty body', async () => {
    const incoming = createRequest();
    const body = readBody(incoming, MAX_BYTES);
    incoming.push(null);
    expect(await body).toHaveLength(0);
  });

  it('rejects a body that is not complete within a minute', async () => {
    const incoming = createRequest();
    const outcome = readBody(incoming, MAX_BYTES).catch((error: unknown) => error);
    for (let second = 0; second < 59; second += 1) {
      incoming.push('x');
      await vi.advanceTimersByTimeAsync(1000);
    }
    const earlyOutcome = await Promise.race([outcome, Promise.resolve('still waiting')]);
    expect(earlyOutcome).toBe('still waiting');
    await vi.advanceTimersByTimeAsync(1000);
    expect(await outcome).toMatchObject({ code: 'invalid_input', headers: { connection: 'close' } });
  });

  it('rejects a body at the first byte above the limit and leaves no listener or timer', async () => {
    const incoming = createRequest();
    const outcome = readBody(incoming, MAX_BYTES).catch((error: unknown) => error);
    incoming.push(Buffer.alloc(MAX_BYTES));
    incoming.push('x');
    expect(await outcome).toMatchObject({ code: 'too_large', headers: { connection: 'close' } });
    expect(vi.getTimerCount()).toBe(0);
    for (const event of ['data', 'error']) expect(incoming.listenerCount(event)).toBe(0);
  });

  it('accepts a body of exactly the maximum size', async () => {
    const incoming = createRequest({ 'content-length': String(MAX_BYTES) });
    const body = readBody(incoming, MAX_BYTES);
    incoming.push(Buffer.alloc(MAX_BYTES));
    incoming.push(null);
    expect(await body).toHaveLength(MAX_BYTES);
  });

  it('rejects when the client disconnects', async () => {
    const incoming = createRequest();
    const outcome = readBody(incoming, MAX_BYTES).catch((error: unknown) => error);
    incoming.push('x');
    incoming.destroy();
    expect(await outcome).toMatchObject({ code: 'invalid_input' });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not read a body whose declared length is too large', async () => {
    const incoming = createRequest({ 'content-length': String(MAX_BYTES + 1) });
    await expect(readBody(incoming, MAX_BYTES)).rejects.toMatchObject({ code: 'too_large' });
    expect(incoming.listenerCount('data')).toBe(0);
  });
});
