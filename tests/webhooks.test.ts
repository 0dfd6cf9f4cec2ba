import Sqlite from 'better-sqlite3';
import { createPublicKey, verify } from 'node:crypto';
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  respondWith,
  closeAll,
  openReceiver,
  type ReceivedWebhook,
  type Receiver,
} from '../server/pda/sharing/webhooks/harness.test-support.ts';
import { outboxMessageSchema } from '../server/wire/ledger.ts';
import { IS_THOROUGH_RUN, testTimeout } from './support/long-run.ts';
import type { Reply } from './support/http.ts';
import { closeHomes, openHome } from './support/open-home.ts';
import { killProcesses, newHome, removeFolders, startServer, until } from './support/server-process.ts';
import { errorOf, startTestPda, type TestPda, type RunningPda } from './support/test-pda.ts';

// Events of a Data Debit reach the requester's callback URL despite failures on either side.

const HOUR_MS = 3_600_000;
const KILL_ROUNDS = Number(process.env['PDA_KILLS'] ?? 1);

const createProposal = (key: string, url: string, fields: object = {}): object => ({
  dataDebitKey: key,
  bundle: { name: `${key}-bundle`, bundle: { steps: { endpoints: [{ endpoint: 'fitness/steps' }] } } },
  start: '2026-01-15T12:00:00.000Z',
  period: 30_000_000,
  purpose: 'To count steps',
  cancelAtPeriodEnd: false,
  termsUrl: 'https://example.com/terms',
  requestClientName: 'Steps Inc',
  requestClientUrl: 'https://example.com/',
  requestClientLogoUrl: 'https://example.com/logo.png',
  requestClientCallbackUrl: url,
  ...fields,
});

let receiver: Receiver;
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(closeAll);

const eventsOf = (key: string): string[] =>
  receiver.received.filter(({ json }) => json['dataDebitKey'] === key).map(({ event }) => event);

const callOk = async (pda: Pick<TestPda, 'call'>, method: string, path: string, json?: unknown): Promise<Reply> => {
  const reply = await pda.call(method, `/api/v2.6/data-debit/${path}`, json === undefined ? {} : { json });
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
  return reply;
};

describe('the requester of a Data Debit', () => {
  let pda: TestPda;
  beforeEach(async () => {
    pda = await startTestPda({ network: { allowLoopback: true } });
  });
  afterEach(() => pda.close());

  const readOutbox = async () =>
    outboxMessageSchema.array().parse((await pda.call('GET', '/api/v2.6/owner/outbox')).json);
  const waitUntilDelivered = (): Promise<boolean> =>
    until(async () => (await readOutbox()).length === 0, 'all webhooks are delivered');

  it('receives all webhooks in order after an outage, each with a unique id', async () => {
    await receiver.stop();
    await callOk(pda, 'POST', 'a', createProposal('a', receiver.url));
    await callOk(pda, 'POST', 'b', createProposal('b', receiver.url));
    await callOk(pda, 'GET', 'a/enable');
    await callOk(pda, 'GET', 'a/disable');
    await callOk(pda, 'POST', 'b/reject');
    await callOk(pda, 'DELETE', 'a');
    await until(
      async () => (await readOutbox()).filter((row) => row.attempts > 0).length === 2,
      'a webhook with each ordering key was tried',
    );
    const waitingRows = await readOutbox();
    expect(waitingRows.filter((row) => row.orderingKey === 'a').map((row) => row.event)).toStrictEqual([
      'created',
      'enabled',
      'disabled',
      'removed',
    ]);
    expect(new Set(waitingRows.map((row) => `${row.state} to ${row.to}`))).toStrictEqual(
      new Set([`waiting to ${new URL(receiver.url).host}`]),
    );
    await receiver.start();
    pda.clock.advance(HOUR_MS);
    pda.pda.outbox.wake();
    await waitUntilDelivered();
    expect(eventsOf('a')).toStrictEqual(['created', 'enabled', 'disabled', 'removed']);
    expect(eventsOf('b')).toStrictEqual(['created', 'rejected']);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(6);
    for (const { json } of receiver.received) {
      expect(Object.keys(json)).toStrictEqual(['id', 'event', 'dataDebitKey', 'pda', 'time']);
      expect(json['time']).toBe('2026-01-15T12:00:00.000Z');
    }
  });

  it('can verify signatures with the published key, before and after a key rotation', async () => {
    /** Verifies the signature of a webhook. @returns the id of the key that signed it */
    const verifySignature = async ({ headers, bytes }: ReceivedWebhook): Promise<string> => {
      const [header, , signature] = String(headers['x-pda-signature']).split('.');
      const jwks = (await pda.call('GET', '/.well-known/jwks.json', { token: null })).json as JSONWebKeySet;
      const jws = `${header}.${bytes.toString('base64url')}.${signature}`;
      const { protectedHeader, payload } = await compactVerify(jws, createLocalJWKSet(jwks));
      expect(Buffer.from(payload)).toStrictEqual(bytes);
      return protectedHeader.kid ?? '';
    };
    await callOk(pda, 'POST', 'a', createProposal('a', receiver.url));
    await receiver.waitFor(1);
    const [firstWebhook] = receiver.received;
    if (firstWebhook === undefined) throw new Error('no webhook was received');
    const oldKid = await verifySignature(firstWebhook);

    // Verifies with only the public key and without a JWT library.
    const pem = (await pda.call('GET', '/publickey', { token: null })).text;
    const [header, , signature = ''] = String(firstWebhook.headers['x-pda-signature']).split('.');
    const signedContent = Buffer.from(`${header}.${firstWebhook.bytes.toString('base64url')}`);
    expect(verify('sha256', signedContent, createPublicKey(pem), Buffer.from(signature, 'base64url'))).toBe(true);

    await pda.pda.owner.rotateKey();
    await callOk(pda, 'GET', 'a/enable');
    await receiver.waitFor(2);
    const secondWebhook = receiver.received[1];
    if (secondWebhook === undefined) throw new Error('no webhook was received');
    expect(await verifySignature(secondWebhook)).not.toBe(oldKid);
    expect(await verifySignature(firstWebhook)).toBe(oldKid);
  });

  it('receives nothing about refused requests', async () => {
    await callOk(pda, 'POST', 'a', createProposal('a', receiver.url));
    expect((await pda.call('POST', '/api/v2.6/data-debit/a', { json: createProposal('a', receiver.url) })).status).toBe(
      400,
    );
    await waitUntilDelivered();
    expect(receiver.events()).toStrictEqual(['created']);
  });
});

describe('the owner', () => {
  let pda: TestPda;
  beforeAll(async () => {
    pda = await startTestPda({ network: { allowLoopback: true } });
  });
  afterAll(() => pda.close());

  it('sees undelivered webhooks, and can retry or discard them', async () => {
    receiver.respond = respondWith(410);
    for (const key of ['a', 'b']) await callOk(pda, 'POST', key, createProposal(key, receiver.url));
    const listMessages = async () =>
      outboxMessageSchema.array().parse((await pda.call('GET', '/api/v2.6/owner/outbox')).json);
    await until(
      async () => (await listMessages()).every((row) => row.state === 'dead'),
      'both webhooks are dead letters',
    );
    const [secondMessage, firstMessage] = (await listMessages()).toSorted((x, y) =>
      y.orderingKey.localeCompare(x.orderingKey),
    );
    expect(firstMessage).toMatchObject({ orderingKey: 'a', event: 'created', attempts: 1, nextAttempt: null });
    expect(firstMessage?.lastProblem).toMatch(/410/u);

    receiver.respond = respondWith(204);
    const path = (id = ''): string => `/api/v2.6/owner/outbox/${id}`;
    expect((await pda.call('POST', `${path(firstMessage?.id)}/retry`)).json).toMatchObject({
      state: 'waiting',
      attempts: 0,
    });
    expect((await pda.call('DELETE', path(secondMessage?.id))).json).toStrictEqual({ message: 'Discarded.' });
    await until(async () => (await listMessages()).length === 0, 'the outbox is empty');
    expect(eventsOf('a')).toStrictEqual(['created', 'created']);
    expect(eventsOf('b')).toStrictEqual(['created']);

    for (const reply of [
      await pda.call('DELETE', path(secondMessage?.id)),
      await pda.call('POST', `${path(secondMessage?.id)}/retry`),
    ])
      expect([reply.status, errorOf(reply).error]).toStrictEqual([404, 'not_found']);
    expect((await pda.call('DELETE', path('x'))).status).toBe(400);
  });
});

describe('the server process', () => {
  let home: string;
  beforeEach(async () => {
    home = await newHome();
    writeFileSync(join(home, 'config.json'), JSON.stringify({ development: { allowLoopback: true } }));
  });
  afterEach(killProcesses);
  afterEach(closeHomes);
  afterAll(removeFolders);

  const countUnsent = async (server: RunningPda): Promise<number> =>
    outboxMessageSchema.array().parse((await server.call('GET', '/api/v2.6/owner/outbox')).json).length;

  /** Returns the number of undelivered webhooks in the home of a stopped server. */
  const countUnsentOnDisk = (): number => {
    const db = new Sqlite(join(home, 'pda.sqlite'));
    const count = db.prepare<[], number>('SELECT count(*) FROM outbox').pluck().get() ?? 0;
    db.close();
    return count;
  };

  it(
    'delivers every webhook of an acknowledged request, however often it is killed',
    async () => {
      // The responses are slow, so that each kill interrupts a delivery.
      receiver.respond = (_, response) => void setTimeout(() => response.writeHead(204).end(), 20);
      const acknowledgedEvents: string[] = [];
      let unsentTotal = 0;
      for (let round = 0; round < KILL_ROUNDS; round += 1) {
        const server = await startServer(home);
        const work = Array.from({ length: 6 }, async (_, index) => {
          const key = `key-${round}-${index}`;
          await callOk(server, 'POST', key, createProposal(key, receiver.url));
          acknowledgedEvents.push(`${key} created`);
          await callOk(server, 'GET', `${key}/enable`);
          acknowledgedEvents.push(`${key} enabled`);
          await callOk(server, 'GET', `${key}/disable`);
          acknowledgedEvents.push(`${key} disabled`);
        });
        const workSettled = Promise.allSettled(work);
        // Some webhooks have arrived, others are in progress, and the owner continues to make changes.
        await receiver.waitFor(receiver.received.length + 5 + 2 * (round % 4));
        await server.kill();
        await workSettled;
        unsentTotal += countUnsentOnDisk();
      }
      const server = await openHome(home);
      await until(async () => (await countUnsent(server)) === 0, 'all webhooks are delivered');
      await server.close();

      const receivedEvents = new Set(
        receiver.received.map(({ json, event }) => `${String(json['dataDebitKey'])} ${event}`),
      );
      expect(unsentTotal).toBeGreaterThanOrEqual(KILL_ROUNDS);
      expect(acknowledgedEvents.length).toBeGreaterThan(3 * KILL_ROUNDS);
      expect(acknowledgedEvents.filter((event) => !receivedEvents.has(event))).toStrictEqual([]);
      // Retries keep the id and the bytes, and never arrive after later webhooks.
      const firstDeliveries = new Map<string, ReceivedWebhook>();
      for (const message of receiver.received) {
        const firstDelivery = firstDeliveries.get(message.id);
        if (firstDelivery === undefined) firstDeliveries.set(message.id, message);
        else expect(message.bytes).toStrictEqual(firstDelivery.bytes);
      }
      const order = ['created', 'enabled', 'disabled'];
      for (const key of new Set(receiver.received.map(({ json }) => String(json['dataDebitKey'])))) {
        const events = eventsOf(key);
        expect([key, events]).toStrictEqual([key, events.toSorted((a, b) => order.indexOf(a) - order.indexOf(b))]);
        const ids = receiver.received.filter(({ json }) => json['dataDebitKey'] === key).map(({ id }) => id);
        expect(new Set(ids).size).toBe(new Set(events).size);
      }
    },
    testTimeout(60_000 + KILL_ROUNDS * 15_000),
  );

  it.skipIf(!IS_THOROUGH_RUN)(
    'stops gracefully while a receiver hangs, and delivers after the next start',
    async () => {
      receiver.respond = () => undefined;
      const server = await startServer(home);
      await callOk(server, 'POST', 'a', createProposal('a', receiver.url));
      await receiver.waitFor(1);
      expect(await server.stop()).toStrictEqual({ code: 0, signal: null });
      receiver.respond = respondWith(204);
      const restartedServer = await openHome(home);
      await until(async () => (await countUnsent(restartedServer)) === 0, 'the webhook is delivered');
      expect(receiver.received.map(({ id }) => id)).toStrictEqual([receiver.received[0]?.id, receiver.received[0]?.id]);
      await restartedServer.close();
    },
  );
});
