import { describe, expect, it } from 'vitest';
import { Failure } from '../../../platform/failure.ts';
import type { Caller, RouteResponse } from '../../../platform/http/route.ts';
import { MAX_LONG_READS } from '../../../wire/limits.ts';
import type { PublicRead } from '../../sharing/access-log/index.ts';
import type { GrantedView } from '../../sharing/shared-views/index.ts';
import type { Guest } from './account.ts';
import type { GuestPages } from './page-response.ts';
import { createViewReads, type ViewRequest } from './view-reads.ts';

// Tests rights, limits and access log entries of reads of shared tables and charts.

const caller = { address: '192.0.2.1' } as Caller;

const createReads = () => {
  const state = { isCurrent: true, isAlive: true, entries: [] as PublicRead[], onRecord: () => undefined as void };
  const view: GrantedView = {
    sharedViewId: 'v',
    userId: 'grace',
    name: 'Walks',
    endpoint: 'walks/days',
    definition: { kind: 'chart', chart: { kind: 'values', field: 'n' } },
    isCurrent: () => state.isCurrent,
  };
  const guest = { userId: 'grace', name: 'Grace', sessionId: 's' } as Guest;
  const preview = { contentUrl: () => '' };
  const pages = {
    frameOf: () => ({ host: 'pda.example', language: 'en' }),
    respond: (status: number): RouteResponse => ({ status, text: '' }),
  } as unknown as GuestPages;
  const { respond } = createViewReads({
    sharedViews: { find: (userId, id) => (userId === 'grace' && id === 'v' && state.isCurrent ? view : undefined) },
    isSessionAlive: () => state.isAlive,
    publicReads: {
      record: async (read) => {
        state.entries.push(read);
        state.onRecord();
      },
    },
    pages,
  });
  const read = (
    work: (request: ViewRequest<GrantedView>) => Promise<RouteResponse>,
    sharedViewId = 'v',
    reader = guest,
  ): Promise<RouteResponse> =>
    respond(
      sharedViewId,
      { guest: reader, headers: {}, caller },
      (granted): granted is GrantedView => granted === view,
      work,
    );
  return { state, read, previewGuest: { ...guest, preview } };
};

const send =
  (onRead = () => undefined as void) =>
  async ({ record, respondMissing }: ViewRequest<GrantedView>): Promise<RouteResponse> => {
    onRead();
    return (await record('GET /guest/tables/:sharedViewId', [1, 2], ['n']))
      ? { status: 200, text: 'data' }
      : respondMissing();
  };

describe('a read of a shared view', () => {
  it('is recorded with the guest, the records and the fields', async () => {
    const { state, read } = createReads();
    expect((await read(send())).status).toBe(200);
    expect(state.entries).toMatchObject([
      { who: { kind: 'user', name: 'grace' }, records: new Map([['walks/days', [1, 2]]]), fields: ['n'] },
    ]);
  });

  it('is not recorded if the owner previews it, and needs no session of the guest', async () => {
    const { state, read, previewGuest } = createReads();
    state.isAlive = false;
    expect((await read(send(), 'v', previewGuest)).status).toBe(200);
    expect(state.entries).toEqual([]);
    state.isCurrent = false;
    expect((await read(send(), 'v', previewGuest)).status).toBe(404);
  });

  it('sends nothing if sharing stops while the records are read', async () => {
    const { state, read } = createReads();
    const response = await read(
      send(() => {
        state.isCurrent = false;
      }),
    );
    expect([response.status, state.entries]).toEqual([404, []]);
  });

  it.each([
    ['sharing', 'isCurrent'],
    ['the session', 'isAlive'],
  ] as const)('sends nothing if %s ends while the access log entry is written', async (_, name) => {
    const { state, read } = createReads();
    state.onRecord = () => {
      state[name] = false;
    };
    expect((await read(send())).status).toBe(404);
    expect(state.entries).toHaveLength(1);
  });

  it('is refused for an unknown view before any records are read', async () => {
    const { read } = createReads();
    expect((await read(() => Promise.reject(new Error('read')), 'other')).status).toBe(404);
  });

  it.each([
    ['query_limit_exceeded', 400],
    ['not_found', 404],
  ] as const)('responds to the error %s with a page that has the status %i', async (code, status) => {
    const { read } = createReads();
    expect((await read(() => Promise.reject(new Failure(code, 'no')))).status).toBe(status);
  });

  it('is refused once the guest has the maximum number of concurrent reads, unless the owner previews it', async () => {
    const { read, previewGuest } = createReads();
    const blocker = Promise.withResolvers<RouteResponse>();
    const runningReads = Array.from({ length: MAX_LONG_READS }, () => read(() => blocker.promise));
    expect((await read(send())).status).toBe(429);
    expect((await read(send(), 'v', previewGuest)).status).toBe(200);
    blocker.resolve({ status: 200, text: '' });
    await Promise.all(runningReads);
    expect((await read(send())).status).toBe(200);
  });
});
