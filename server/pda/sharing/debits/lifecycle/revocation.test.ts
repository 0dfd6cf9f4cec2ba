import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anApplication, setUpApplication } from '../../../../../tests/support/applications.ts';
import { until } from '../../../../../tests/support/server-process.ts';
import { dataAt, type TestPda } from '../../../../../tests/support/test-pda.ts';
import { closeAll, openReceiver } from '../../webhooks/harness.test-support.ts';
import { aBundle, aProposal, createDebitCalls, startDebits, store, type DebitCalls } from '../harness.test-support.ts';
import { IS_THOROUGH_RUN } from '../../../../../tests/support/long-run.ts';

const REQUESTER = anApplication({
  id: 'requester',
  roles: [{ role: 'datadebit' }, { role: 'namespaceread', detail: 'many' }, { role: 'namespacewrite', detail: 'many' }],
});
const CURIOUS = anApplication({
  id: 'curious',
  roles: [
    { role: 'datadebit', detail: 'lunch' },
    { role: 'datadebit', detail: 'own' },
  ],
});

let pda: TestPda;
let owner: DebitCalls;
let requester: DebitCalls;
let token: string;
beforeEach(async () => {
  // Not strict: response validation would buffer the response.
  ({ pda, owner, requester, token } = await startDebits([REQUESTER, CURIOUS], {
    strict: false,
    network: { allowLoopback: true },
  }));
});
afterEach(async () => {
  await pda.close();
  await closeAll();
});

const startRequest = (method: string, path: string, headers: Record<string, string> = {}) => {
  let outgoing: ClientRequest | undefined;
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing = request(
      { host: '127.0.0.1', port: pda.port, method, path, headers: { 'x-auth-token': token, ...headers } },
      resolve,
    );
    outgoing.on('error', reject);
  });
  return { outgoing, response };
};

describe('an application that was disabled', () => {
  it('does not receive the rest of a streamed response', async () => {
    const pad = 'x'.repeat(6000);
    for (let batch = 0; batch < 3; batch += 1)
      await store(
        pda,
        'many/things',
        Array.from({ length: 1000 }, (_, n) => ({ n, pad })),
      );
    const { outgoing, response } = startRequest('GET', '/api/v2.6/data/many/things?take=100000');
    outgoing?.end();
    const incoming = await response;
    await new Promise((resolve) => incoming.once('readable', resolve));
    expect((await owner.call('GET', 'applications/requester/disable')).status).toBe(200);
    let bytes = 0;
    const reading = (async () => {
      for await (const chunk of incoming) bytes += (chunk as Buffer).length;
    })();
    await expect(reading).rejects.toThrow('aborted');
    expect(bytes).toBeLessThan(12_000_000);
  });

  it('cannot store data with a request whose last byte arrives afterwards', async () => {
    const { outgoing, response } = startRequest('POST', '/api/v2.6/data/many/late', {
      'content-type': 'application/json',
      'content-length': '7',
      expect: '100-continue',
    });
    outgoing?.flushHeaders();
    // `100 Continue` shows that the server has authenticated the request before the application is disabled.
    await new Promise((resolve) => outgoing?.once('continue', resolve));
    outgoing?.write('{"a":');
    expect((await requester.call('GET', 'data/many/late')).status).toBe(200);
    expect((await owner.call('GET', 'applications/requester/disable')).status).toBe(200);
    outgoing?.end('1}');
    const { statusCode } = await response;
    expect(statusCode).toBe(401);
    expect(await dataAt(pda, 'many/late')).toStrictEqual([]);
  });
});

describe('a Data Debit that was disabled', () => {
  it('stays disabled when the clock is set back', async () => {
    await store(pda, 'a/b', { n: 1 });
    pda.clock.advance(3_600_000);
    await requester.propose('lunch', { bundle: aBundle('all', 'a/b'), cancelAtPeriodEnd: false });
    await owner.enable('lunch');
    await requester.update('lunch', { bundle: aBundle('all', 'a/b'), start: new Date(pda.clock.now()).toISOString() });
    await owner.enable('lunch');
    await owner.disable('lunch');
    for (const setBackMs of [1000, 1_800_000, 7_200_000]) {
      pda.clock.advance(-setBackMs);
      expect(await requester.expectRefusal('GET', 'data-debit/lunch/values')).toStrictEqual([
        400,
        'data_debit_not_enabled',
      ]);
      expect(await owner.find('lunch')).toMatchObject({ active: false, state: 'disabled' });
      pda.clock.advance(setBackMs);
    }
  });

  it('cannot restart while a request is pending; later restarts its last approved permission', async () => {
    await requester.propose('lunch');
    await owner.enable('lunch');
    await owner.disable('lunch');
    await requester.update('lunch', { bundle: aBundle('everything', 'a/b') });
    expect(await owner.expectRefusal('GET', 'data-debit/lunch/enable?approve=false')).toStrictEqual([
      409,
      'wrong_state',
    ]);
    expect((await owner.findAsOwner('lunch')).waiting).not.toBeNull();
    await owner.reject('lunch');
    expect((await owner.call('GET', 'data-debit/lunch/enable?approve=false')).status).toBe(200);
    expect((await owner.find('lunch')).permissionsActive?.bundle.name).toBe('lunch-bundle');
  });
});

describe('the Data Debit of an application', () => {
  it('can be neither read nor changed by another application whose rights name the key', async () => {
    await store(pda, 'a/b', { n: 1 });
    const curious = createDebitCalls(pda, await setUpApplication(pda, 'curious'));
    await requester.propose('lunch', { bundle: aBundle('all', 'a/b') });
    await owner.enable('lunch');
    for (const path of ['data-debit/lunch', 'data-debit/lunch/values'])
      expect(await curious.expectRefusal('GET', path)).toStrictEqual([404, 'not_found']);
    expect(await curious.expectRefusal('PUT', 'data-debit/lunch', aProposal('lunch'))).toStrictEqual([
      404,
      'not_found',
    ]);
    await curious.propose('own', { bundle: aBundle('own', 'a/b') });
    await owner.enable('own');
    expect(await curious.values('own')).toStrictEqual({ own: [{ n: 1 }] });
  });
});

describe('a webhook about new values', () => {
  it('is sent to the approved callback URL, not to a pending URL', async () => {
    const approvedReceiver = await openReceiver();
    const pendingReceiver = await openReceiver();
    const bundle = aBundle('days', 'a/days');
    await requester.propose('lunch', {
      bundle,
      cancelAtPeriodEnd: false,
      requestClientCallbackUrl: approvedReceiver.url,
    });
    await owner.enable('lunch');
    await requester.update('lunch', { bundle, requestClientCallbackUrl: pendingReceiver.url });
    await store(pda, 'a/days', { n: 1 });
    await pda.pda.debitNotifier.flushDue();
    await until(
      () => approvedReceiver.received.some(({ event }) => event === 'values-available'),
      'the webhook `values-available` is received',
    );
    expect(pendingReceiver.received.map(({ event }) => event)).not.toContain('values-available');
  });
});

describe('a record that no longer matches', () => {
  it.skipIf(!IS_THOROUGH_RUN)('is not sent in a response that started before the change', async () => {
    const pad = 'x'.repeat(6000);
    for (let batch = 0; batch < 3; batch += 1)
      await store(
        pda,
        'many/things',
        Array.from({ length: 1000 }, (_, n) => ({ n, pad, open: true })),
      );
    const filters = [{ field: 'open', operator: { operator: 'in' as const, value: true } }];
    const bundle = { name: 'b', bundle: { things: { endpoints: [{ endpoint: 'many/things', filters }] } } };
    await requester.propose('lunch', { bundle });
    await owner.enable('lunch');
    pda.clock.advance(1000);
    const { outgoing, response } = startRequest('GET', '/api/v2.6/data-debit/lunch/values');
    outgoing?.end();
    const incoming = await response;
    await new Promise((resolve) => incoming.once('readable', resolve));
    const newestReply = await owner.call('GET', 'data/many/things?ordering=descending&take=2');
    const [secretRecord, openRecord] = newestReply.json as { recordId: string }[];
    const changes = [
      { endpoint: 'many/things', recordId: secretRecord?.recordId, data: { open: false, text: 'a secret' } },
      { endpoint: 'many/things', recordId: openRecord?.recordId, data: { open: true, text: 'still open' } },
    ];
    expect((await owner.call('PUT', 'data', changes)).status).toBe(201);
    let text = '';
    for await (const chunk of incoming) text += String(chunk);
    expect(text).toContain('still open');
    expect(text).not.toContain('a secret');
  });
});
