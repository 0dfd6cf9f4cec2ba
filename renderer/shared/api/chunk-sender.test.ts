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

/** Sends ten bytes in chunks of four to a PDA that returns the given responses and is then unreachable. */
async function sendTenBytes(chunkResponses: Responses, offsetResponses: Responses) {
  const sentOffsets: number[] = [];
  const receivedOffsets: number[] = [];
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
      sentOffsets.push(offset);
      return respond(chunkResponses);
    },
    fetchOffset() {
      offsetRequests += 1;
      return respond(offsetResponses);
    },
    onReceived: (offset) => void receivedOffsets.push(offset),
    signal: new AbortController().signal,
  }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  await vi.runAllTimersAsync();
  return { error: await error, sentOffsets, receivedOffsets, offsetRequests };
}

describe('sendInChunks', () => {
  it('resumes at the PDA’s offset after several failed requests', async () => {
    expect(await sendTenBytes([4, UNREACHABLE, 10], [UNREACHABLE, UNREACHABLE, 6])).toEqual({
      error: undefined,
      sentOffsets: [0, 4, 6],
      receivedOffsets: [4, 6, 10],
      offsetRequests: 3,
    });
  });

  it('gives up after six consecutive failures', async () => {
    const { error, sentOffsets, offsetRequests } = await sendTenBytes([4], []);
    expect(error).toBe(UNREACHABLE);
    expect(sentOffsets).toEqual([0, 4]);
    expect(offsetRequests).toBe(5);
  });

  it('does not retry a refused chunk', async () => {
    const refusal = new Problem('too_large', 413, '');
    expect(await sendTenBytes([refusal], [])).toMatchObject({ error: refusal, sentOffsets: [0], offsetRequests: 0 });
  });
});
