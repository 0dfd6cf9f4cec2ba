import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sendInChunks } from './chunk-sender.ts';
import { Problem } from './problem.ts';

const UNREACHABLE = new Problem('unreachable', 0, '');

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.stubGlobal('addEventListener', () => undefined);
  vi.stubGlobal('removeEventListener', () => undefined);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

type Responses = (number | Problem)[];

/** The PDA responds with these offsets or problems, and then no longer responds. Sends ten bytes in chunks of four. */
async function sendTenBytes(chunkResponses: Responses, offsetResponses: Responses) {
  const sentFrom: number[] = [];
  const received: number[] = [];
  let offsetRequests = 0;
  const respond = (responses: Responses): Promise<number> => {
    const response = responses.shift() ?? UNREACHABLE;
    return response instanceof Problem ? Promise.reject(response) : Promise.resolve(response);
  };
  const error = sendInChunks({
    content: new Blob(['0123456789']),
    offset: 0,
    chunkSize: 4,
    send(_chunk, offset) {
      sentFrom.push(offset);
      return respond(chunkResponses);
    },
    fetchOffset() {
      offsetRequests += 1;
      return respond(offsetResponses);
    },
    onReceived: (offset) => void received.push(offset),
    signal: new AbortController().signal,
  }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  await vi.runAllTimersAsync();
  return { error: await error, sentFrom, received, offsetRequests };
}

describe('sendInChunks', () => {
  it('resumes at the PDA’s offset after several failed requests', async () => {
    expect(await sendTenBytes([4, UNREACHABLE, 10], [UNREACHABLE, UNREACHABLE, 6])).toEqual({
      error: undefined,
      sentFrom: [0, 4, 6],
      received: [4, 6, 10],
      offsetRequests: 3,
    });
  });

  it('gives up after six consecutive failures', async () => {
    const { error, sentFrom, offsetRequests } = await sendTenBytes([4], []);
    expect(error).toBe(UNREACHABLE);
    expect(sentFrom).toEqual([0, 4]);
    expect(offsetRequests).toBe(5);
  });

  it('does not retry a refused chunk', async () => {
    const refusal = new Problem('too_large', 413, '');
    expect(await sendTenBytes([refusal], [])).toMatchObject({ error: refusal, sentFrom: [0], offsetRequests: 0 });
  });
});
