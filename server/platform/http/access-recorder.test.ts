import { afterEach, describe, expect, it } from 'vitest';
import { Agent } from 'node:http';
import { z } from 'zod';
import { send, type Reply } from '../../../tests/support/http.ts';
import type { AccessEvent } from './access-recorder.ts';
import { Failure } from '../failure.ts';
import { createHttpApplication, type HttpServer } from './application.ts';
import { silentLog } from '../log.ts';
import { publicAccess, anyToken, ANONYMOUS, type Principal } from '../auth/principal.ts';
import { json, route, type RouteResponse, type Route } from './route.ts';
import { readRecorderOf } from '../auth/access-trace.ts';
import { MAX_CONCURRENT_RESPONSES_PER_NETWORK } from '../../wire/limits.ts';

const OWNER: Principal = { kind: 'owner', userId: 'u', sessionId: 's' };
const CONTRACT: Principal = { kind: 'contract', contract: 'c', scopes: new Set() };

const readingRoute = (path: string, respond: () => RouteResponse | Promise<RouteResponse>): Route =>
  route({
    method: 'GET',
    path,
    tag: 'Test',
    summary: path,
    access: path === '/open' ? publicAccess : anyToken,
    responses: { 200: { description: 'Data' } },
    handler: ({ caller }) => {
      readRecorderOf(caller)?.('a/b', [1, 2, 3]);
      return respond();
    },
  });

let server: HttpServer | undefined;
const agent = new Agent({ keepAlive: false });
afterEach(async () => {
  await server?.close();
  server = undefined;
});

type RecordedEvent = AccessEvent & { sequenceNumbers: number[] };

const startServer = async (record: (access: AccessEvent) => Promise<void> = () => Promise.resolve()) => {
  const recordedEvents: RecordedEvent[] = [];
  async function* chunks(): AsyncGenerator<string> {
    yield '[1,';
    yield '2]';
  }
  const streamsReleased = Promise.withResolvers<void>();
  async function* heldChunks(): AsyncGenerator<string> {
    yield '[1,';
    await streamsReleased.promise;
    yield '2]';
  }
  const reportedBytes: number[] = [];
  server = createHttpApplication({
    routes: [
      readingRoute('/data', () => json(200, { secret: true })),
      readingRoute('/streamed', () => ({ status: 200, stream: chunks() })),
      readingRoute('/held', () => ({ status: 200, stream: heldChunks() })),
      readingRoute('/open', () => json(200, {})),
      readingRoute('/broken', () => {
        throw new Error('a defect');
      }),
      readingRoute('/full', () => {
        throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      }),
      route({
        method: 'GET',
        path: '/decision/:step',
        tag: 'Test',
        summary: 'A decision that fails before or after it is stored',
        access: anyToken,
        params: z.object({ step: z.string() }),
        responses: { 200: { description: 'Data' } },
        ownerDecision: true,
        handler: ({ params, caller }) => {
          caller.trace.isDecisionStored = params.step === 'stored';
          throw new Failure('not_found', 'Nothing here.');
        },
      }),
      readingRoute('/refused', () => {
        throw new Failure('not_found', 'Nothing here.');
      }),
    ],
    log: silentLog(),
    authenticate: (token) => ({
      principal: token === 'owner' ? OWNER : token === 'contract' ? CONTRACT : ANONYMOUS,
      renewToken: () => undefined,
    }),
    isOwnHost: () => true,
    isSetUp: () => true,
    recordAccess: async (access) => {
      recordedEvents.push({ ...access, sequenceNumbers: [...access.caller.trace.records.values()].flat() });
      await record(access);
      return (bytes) => reportedBytes.push(bytes);
    },
  });
  const { port } = await server.listen({ port: 0, host: '127.0.0.1' });
  const call = (path: string, token?: string, headers: Record<string, string> = {}): Promise<Reply> =>
    send(port, agent, 'GET', path, { headers, token });
  return { call, recordedEvents, reportedBytes, releaseStreams: streamsReleased.resolve };
};

describe('the access log entry of a request', () => {
  it('is written for routes that need a token, except for the owner', async () => {
    const { call, recordedEvents } = await startServer();
    await call('/data', 'owner');
    await call('/streamed', 'owner');
    await call('/broken', 'owner');
    await call('/open');
    await call('/open', 'contract');
    expect(recordedEvents).toStrictEqual([]);
    await call('/data', 'contract');
    await call('/data');
    expect(recordedEvents).toMatchObject([
      { status: 200, error: null, bytes: 15, sequenceNumbers: [1, 2, 3] },
      { status: 401, error: 'not_authenticated', bytes: null, sequenceNumbers: [] },
    ]);
  });

  it('is written before the response is sent', async () => {
    const recordWritten = Promise.withResolvers<void>();
    const { call, recordedEvents } = await startServer(() => recordWritten.promise);
    let hasResponse = false;
    const reply = call('/data', 'contract').then((response) => {
      hasResponse = true;
      return response;
    });
    await expect.poll(() => recordedEvents.length).toBe(1);
    // The second response is sent while the entry of the first request is not yet on disk.
    await call('/open');
    expect(hasResponse).toBe(false);
    recordWritten.resolve();
    expect((await reply).json).toStrictEqual({ secret: true });
  });

  it('is required: the response is withheld if the entry cannot be written', async () => {
    const { call } = await startServer(() => Promise.reject(new Failure('out_of_disk', 'The disk is full.')));
    for (const path of ['/data', '/streamed']) {
      const reply = await call(path, 'contract');
      expect(reply.status).toBe(507);
      expect(reply.text).not.toContain('secret');
    }
  });

  it('states only the refusal if too many large responses of the network are in flight', async () => {
    const { call, recordedEvents, reportedBytes, releaseStreams } = await startServer();
    const callFromOutside = (path: string) => call(path, 'contract', { host: 'pda.example' });
    const heldReplies = Array.from({ length: MAX_CONCURRENT_RESPONSES_PER_NETWORK }, () => callFromOutside('/held'));
    await expect.poll(() => recordedEvents.length).toBe(MAX_CONCURRENT_RESPONSES_PER_NETWORK);
    expect((await callFromOutside('/streamed')).status).toBe(429);
    expect(recordedEvents.slice(MAX_CONCURRENT_RESPONSES_PER_NETWORK)).toMatchObject([
      { status: 429, error: 'rate_limited', bytes: null },
    ]);
    releaseStreams();
    for (const reply of await Promise.all(heldReplies)) expect(reply.text).toBe('[1,2]');
    expect(reportedBytes).toHaveLength(MAX_CONCURRENT_RESPONSES_PER_NETWORK);
  });

  it('is completed at the end of a streamed response', async () => {
    const { call, recordedEvents, reportedBytes } = await startServer();
    expect((await call('/streamed', 'contract')).text).toBe('[1,2]');
    expect(recordedEvents).toMatchObject([{ status: 200, bytes: null }]);
    expect(reportedBytes).toStrictEqual([5]);
  });

  it('is written for a decision of the owner that is stored, even if the response fails', async () => {
    const { call, recordedEvents } = await startServer();
    expect((await call('/decision/refused', 'owner')).status).toBe(404);
    expect(recordedEvents).toStrictEqual([]);
    expect((await call('/decision/stored', 'owner')).status).toBe(404);
    expect((await call('/decision/stored', 'contract')).status).toBe(404);
    expect(recordedEvents).toMatchObject([
      { status: 200, error: null, bytes: 0 },
      { status: 404, error: 'not_found' },
    ]);
  });

  it('is also written for refusals and internal errors', async () => {
    const { call, recordedEvents } = await startServer();
    expect((await call('/refused', 'contract')).status).toBe(404);
    expect((await call('/broken', 'contract')).status).toBe(500);
    expect((await call('/full', 'contract')).status).toBe(507);
    expect(recordedEvents).toMatchObject([
      { status: 404, error: 'not_found' },
      { status: 500, error: 'internal_error' },
      { status: 507, error: 'out_of_disk' },
    ]);
  });
});
