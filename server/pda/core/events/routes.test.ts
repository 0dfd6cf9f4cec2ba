import { get } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { recordsOf, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';

let pda: TestPda;
beforeEach(async () => {
  pda = await startTestPda();
});
afterEach(() => pda.close());

type Stream = {
  waitUntil(condition: (text: string) => boolean): Promise<string>;
  ended: Promise<void>;
  isComplete(): boolean;
  disconnect(): void;
};

const listen = async (): Promise<Stream> => {
  let text = '';
  let check: () => void = () => undefined;
  const request = get({
    port: pda.port,
    host: '127.0.0.1',
    path: '/api/v2.6/owner/events',
    headers: { 'x-auth-token': pda.token },
    agent: false,
  });
  const ended = new Promise<void>((resolve) => request.once('close', resolve));
  let isComplete = false;
  request.on('error', () => undefined);
  request.on('response', (response) => {
    expect(response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    response.on('error', () => undefined);
    response.on('end', () => (isComplete = response.complete));
    response.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      check();
    });
  });
  const waitUntil = (condition: (text: string) => boolean): Promise<string> =>
    new Promise((resolve) => {
      check = () => {
        if (condition(text)) resolve(text);
      };
      check();
    });
  await waitUntil((received) => received.includes(': connected'));
  return { waitUntil, ended, isComplete: () => isComplete, disconnect: () => request.destroy() };
};

const eventSchema = z.strictObject({ endpoint: z.string(), created: z.int(), updated: z.int(), deleted: z.int() });
type Event = z.infer<typeof eventSchema>;

/** Sums the events per endpoint: timing determines which changes are merged into one event. */
const eventsIn = (text: string): Event[] => {
  const sums = new Map<string, Event>();
  for (const [, data] of text.matchAll(/event: records\ndata: (.*)\n\n/gu)) {
    const event = eventSchema.parse(JSON.parse(data ?? ''));
    const sum = sums.get(event.endpoint) ?? { ...event, created: 0, updated: 0, deleted: 0 };
    for (const kind of ['created', 'updated', 'deleted'] as const) sum[kind] += event[kind];
    sums.set(event.endpoint, sum);
  }
  return [...sums.values()];
};

describe('live events', () => {
  it('report created, updated and deleted records per endpoint', async () => {
    const stream = await listen();
    const createReply = await pda.call('POST', '/api/v2.6/data/live/one', { json: [1, 2, 3] });
    const [firstRecord, secondRecord] = recordsOf(createReply);
    await pda.call('PUT', '/api/v2.6/data', { json: [{ ...firstRecord, data: 4 }] });
    await pda.call('DELETE', `/api/v2.6/data?records=${secondRecord?.recordId}`);
    await pda.call('POST', '/api/v2.6/data/live/two', { json: 1 });
    const text = await stream.waitUntil((received) => received.includes('live/two'));
    expect(eventsIn(text)).toStrictEqual([
      { endpoint: 'live/one', created: 3, updated: 1, deleted: 1 },
      { endpoint: 'live/two', created: 1, updated: 0, deleted: 0 },
    ]);
    stream.disconnect();
  });

  it('name an endpoint that was deleted as a whole', async () => {
    await pda.call('POST', '/api/v2.6/data/live/one', { json: [1, 2, 3] });
    const stream = await listen();
    await pda.call('DELETE', '/api/v2.6/data/live/one');
    const text = await stream.waitUntil((received) => received.includes('event: records'));
    expect(eventsIn(text)).toStrictEqual([{ endpoint: 'live/one', created: 0, updated: 0, deleted: 3 }]);
    stream.disconnect();
  });

  it('do not report changes that were rolled back', async () => {
    const stream = await listen();
    const [record] = recordsOf(await pda.call('POST', '/api/v2.6/data/live/one', { json: [1] }));
    const unknownRecord = { ...record, recordId: '019bc186-de00-7000-8937-015a1f841fa9' };
    expect((await pda.call('PUT', '/api/v2.6/data', { json: [record, unknownRecord] })).status).toBe(400);
    const text = await stream.waitUntil((received) => received.includes('event: records'));
    expect(eventsIn(text)).toStrictEqual([{ endpoint: 'live/one', created: 1, updated: 0, deleted: 0 }]);
    stream.disconnect();
  });

  it('end with the session: a signed-out listener receives no further events', async () => {
    const stream = await listen();
    const otherToken = await pda.signIn();
    await pda.call('POST', '/api/v2.6/owner/sign-out');
    await stream.ended;
    pda.token = otherToken;
    await pda.call('POST', '/api/v2.6/data/live/one', { json: 1 });
    expect(eventsIn(await stream.waitUntil(() => true))).toStrictEqual([]);
  });

  it('end with a complete response when the server stops', async () => {
    const stream = await listen();
    await pda.restart();
    await stream.ended;
    expect(stream.isComplete()).toBe(true);
  });

  it('reach the remaining listeners after another one disconnects', async () => {
    const [disconnectedStream, remainingStream] = [await listen(), await listen()];
    disconnectedStream.disconnect();
    await disconnectedStream.ended;
    await pda.call('POST', '/api/v2.6/data/live/one', { json: 1 });
    expect(eventsIn(await remainingStream.waitUntil((received) => received.includes('event: records')))).toHaveLength(
      1,
    );
    remainingStream.disconnect();
  });
});
