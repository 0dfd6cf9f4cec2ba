import { flattenedVerify } from 'jose';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { until } from '../../../../tests/support/server-process.ts';
import { systemClock } from '../../../platform/clock.ts';
import type { SigningKey } from '../../../platform/auth/tokens.ts';
import {
  createSafeFetch,
  type SafeFetch,
  type SafeFetchRequest,
  type SafeFetchResult,
} from '../../../platform/outbound/safe-fetch.ts';
import {
  respondWith,
  closeAll,
  DAY_MS,
  HOUR_MS,
  openOutbox,
  openReceiver,
  waitForSenderPass,
  type ReceivedWebhook,
  type Receiver,
  type TestOutbox,
} from './harness.test-support.ts';

let receiver: Receiver;
let outbox: TestOutbox;
beforeEach(async () => {
  receiver = await openReceiver();
  outbox = await openOutbox();
});
afterEach(closeAll);

const verifySignature = async ({ headers, bytes }: ReceivedWebhook, key: SigningKey) => {
  const [header = '', payloadPart, signature = ''] = String(headers['x-pda-signature']).split('.');
  expect(payloadPart).toBe('');
  const payload = bytes.toString('base64url');
  return flattenedVerify({ protected: header, payload, signature }, key.publicKey, { algorithms: ['RS256'] });
};

describe('a webhook', () => {
  it('arrives as JSON with id, event, content and the time of the event', async () => {
    const eventTime = new Date(outbox.clock.now()).toISOString();
    receiver.respond = respondWith(500);
    const body = { dataDebitKey: 'k', pda: 'me.example' };
    const id = await outbox.enqueue({ url: `${receiver.url}?a=b`, event: 'enabled', body });
    await outbox.waitForAttempts(1);
    receiver.respond = respondWith(200);
    outbox.advance(HOUR_MS);
    await until(outbox.isEmpty, 'the webhook is delivered');
    const [firstAttempt, secondAttempt] = receiver.received;
    expect(secondAttempt).toMatchObject({
      method: 'POST',
      path: '/hook?a=b',
      headers: { 'content-type': 'application/json' },
    });
    expect(secondAttempt?.bytes.toString()).toBe(
      JSON.stringify({ id, event: 'enabled', dataDebitKey: 'k', pda: 'me.example', time: eventTime }),
    );
    // Every attempt sends the same bytes, even an hour later.
    expect(secondAttempt?.bytes).toStrictEqual(firstAttempt?.bytes);
  });

  it('can state an event time before the time at which it was enqueued', async () => {
    const time = Date.UTC(2025, 5, 1);
    await outbox.enqueue({ url: receiver.url, time });
    await receiver.waitFor(1);
    expect(receiver.received[0]?.json['time']).toBe('2025-06-01T00:00:00.000Z');
  });

  it('cannot override id, event and time with members of its body', async () => {
    const id = await outbox.enqueue({ url: receiver.url, body: { id: 'x', event: 'y', time: 'z', dataDebitKey: 'k' } });
    await receiver.waitFor(1);
    expect(receiver.received[0]?.json).toMatchObject({ id, event: 'created', dataDebitKey: 'k' });
    expect(receiver.received[0]?.json['time']).not.toBe('z');
  });

  it('is signed with a detached JWS over its bytes, by the key that the kid names', async () => {
    await outbox.enqueue({ url: receiver.url, body: { dataDebitKey: 'ключ/é' } });
    await receiver.waitFor(1);
    const [message] = receiver.received;
    if (message === undefined) throw new Error('no webhook was received');
    const { protectedHeader } = await verifySignature(message, outbox.key);
    expect(protectedHeader).toStrictEqual({ alg: 'RS256', kid: outbox.key.kid });
    const forgedWebhook = { ...message, bytes: Buffer.from(message.bytes.toString().replace('created', 'removed')) };
    await expect(verifySignature(forgedWebhook, outbox.key)).rejects.toThrow('signature verification failed');
  });

  it('is signed with the key that is current when it is sent', async () => {
    receiver.respond = respondWith(500);
    await outbox.enqueue({ url: receiver.url });
    await outbox.waitForAttempts(1);
    await outbox.rotateKey();
    outbox.advance(HOUR_MS);
    await receiver.waitFor(2);
    const secondAttempt = receiver.received[1];
    if (secondAttempt === undefined) throw new Error('no second attempt was received');
    expect((await verifySignature(secondAttempt, outbox.key)).protectedHeader?.kid).toBe(outbox.key.kid);
  });

  it('is not stored when the transaction of its event fails', async () => {
    await expect(
      outbox.writer.write((tx) => {
        outbox.service.enqueue(tx, { orderingKey: 'k', event: 'rolled-back', url: receiver.url, body: {} });
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    await outbox.enqueue({ url: receiver.url, event: 'committed' });
    await until(outbox.isEmpty, 'all webhooks are delivered');
    expect(receiver.events()).toStrictEqual(['committed']);
  });

  it('is deleted after its acknowledgement, and each step is reported to the dashboard', async () => {
    await outbox.enqueue({ url: receiver.url });
    await until(outbox.isEmpty, 'the webhook is delivered');
    expect(outbox.db.prepare('SELECT count(*) FROM outbox').pluck().get()).toBe(0);
    expect(outbox.topics).toStrictEqual(['outbox', 'outbox']);
  });
});

describe('a queue of webhooks', () => {
  it('delivers every event once and in order after an outage of the receiver', async () => {
    await receiver.stop();
    const events = Array.from({ length: 30 }, (_, index) => `event-${index}`);
    for (const event of events) await outbox.enqueue({ url: receiver.url, event });
    await outbox.waitForAttempts(1);
    for (let attempts = 2; attempts <= 5; attempts += 1) {
      outbox.advance(HOUR_MS);
      await outbox.waitForAttempts(attempts);
    }
    // Only the head was attempted, so only the head has a next attempt.
    const pendingWebhooks = outbox.service.list();
    expect(pendingWebhooks.map((row) => row.attempts)).toStrictEqual([5, ...events.slice(1).map(() => 0)]);
    expect(pendingWebhooks.map((row) => row.nextAttempt !== null)).toStrictEqual([
      true,
      ...events.slice(1).map(() => false),
    ]);
    await receiver.start();
    outbox.advance(HOUR_MS);
    await until(outbox.isEmpty, 'all webhooks are delivered');
    expect(receiver.events()).toStrictEqual(events);
    expect(new Set(receiver.received.map((message) => message.id)).size).toBe(30);
  });

  it('sends no webhook before its predecessor is acknowledged', async () => {
    const responders: (() => void)[] = [];
    receiver.respond = (_, response) => responders.push(() => response.writeHead(204).end());
    for (const event of ['a', 'b', 'c']) await outbox.enqueue({ url: receiver.url, event });
    await receiver.waitFor(1);
    await waitForSenderPass(outbox);
    expect(receiver.events()).toStrictEqual(['a']);
    responders[0]?.();
    await receiver.waitFor(2);
    await waitForSenderPass(outbox);
    expect(receiver.events()).toStrictEqual(['a', 'b']);
    responders[1]?.();
    await receiver.waitFor(3);
    responders[2]?.();
    await until(outbox.isEmpty, 'all webhooks are delivered');
  });

  it('retries a failed webhook before it sends the next webhook', async () => {
    let remainingFailures = 3;
    receiver.respond = (message, response) => {
      const isFailure = message.event === 'b' && remainingFailures > 0;
      if (isFailure) remainingFailures -= 1;
      response.writeHead(isFailure ? 500 : 204).end();
    };
    for (const event of ['a', 'b', 'c']) await outbox.enqueue({ url: receiver.url, event });
    for (const attempts of [1, 2, 3]) {
      await outbox.waitForAttempts(attempts);
      outbox.advance(HOUR_MS);
    }
    await until(outbox.isEmpty, 'all webhooks are delivered');
    expect(receiver.events()).toStrictEqual(['a', 'b', 'b', 'b', 'b', 'c']);
    expect(new Set(receiver.received.filter(({ event }) => event === 'b').map(({ id }) => id)).size).toBe(1);
  });

  it('does not delay other queues of the same or another receiver when it hangs', async () => {
    const hangingReceiver = await openReceiver();
    hangingReceiver.respond = () => undefined;
    receiver.respond = (message, response) => {
      if (message.json['orderingKey'] !== 'hangs') response.writeHead(204).end();
    };
    await outbox.enqueue({ url: hangingReceiver.url, orderingKey: 'one' });
    await outbox.enqueue({ url: receiver.url, orderingKey: 'hangs', body: { orderingKey: 'hangs' } });
    for (let index = 0; index < 20; index += 1) await outbox.enqueue({ url: receiver.url, orderingKey: 'healthy' });
    await until(
      () => outbox.service.list().every((row) => row.orderingKey !== 'healthy'),
      'the healthy queue is empty',
    );
    expect(hangingReceiver.received).toHaveLength(1);
    expect(outbox.service.list().map((row) => row.orderingKey)).toStrictEqual(['one', 'hangs']);
  });

  it('alternates with other queues, regardless of its length', async () => {
    receiver.respond = (_, response) => void setTimeout(() => response.writeHead(204).end(), 2);
    await outbox.writer.write((tx) => {
      for (const orderingKey of ['a', 'b', 'c'])
        for (let index = 0; index < 100; index += 1)
          outbox.service.enqueue(tx, { orderingKey, event: orderingKey, url: receiver.url, body: {} });
      outbox.service.enqueue(tx, { orderingKey: 'last', event: 'last', url: receiver.url, body: {} });
    });
    await until(() => receiver.events().includes('last'), 'the last queue is served');
    expect(receiver.events().indexOf('last')).toBeLessThan(20);
  });

  it('shares one slot with the other queues of its receiver after a failure', async () => {
    /** Each function ends a request in flight with a timeout. */
    const timeouts = new Set<() => void>();
    let maxInFlight = 0;
    const safeFetch: SafeFetch = Object.assign(
      (_: string, request?: SafeFetchRequest) =>
        new Promise<SafeFetchResult>((resolve) => {
          const timeOut = (): void => {
            timeouts.delete(timeOut);
            resolve({ ok: false, failure: 'timeout', cause: 'No response in time.' });
          };
          timeouts.add(timeOut);
          request?.signal?.addEventListener('abort', timeOut);
          maxInFlight = Math.max(maxInFlight, timeouts.size);
        }),
      { close: () => Promise.resolve() },
    );
    const timedOutbox = await openOutbox({ safeFetch });
    const attemptAll = (attempts: number) =>
      until(() => {
        for (const timeOut of timeouts) timeOut();
        return timedOutbox.service.list().every((row) => row.attempts === attempts);
      }, `each webhook was attempted ${attempts} times`);
    for (const orderingKey of ['a', 'b', 'c']) await timedOutbox.enqueue({ url: receiver.url, orderingKey });
    await until(() => timeouts.size === 2, 'two webhooks are in flight');
    await attemptAll(1);
    expect(maxInFlight).toBe(2);
    maxInFlight = 0;
    timedOutbox.advance(HOUR_MS);
    await attemptAll(2);
    expect(maxInFlight).toBe(1);
  });

  it('retries a webhook after a timeout', async () => {
    let timeoutMs = 100;
    const loopbackFetch = createSafeFetch({ allowLoopback: true });
    const safeFetch: SafeFetch = Object.assign(
      (url: string, request?: SafeFetchRequest) => loopbackFetch(url, { ...request, timeoutMs }),
      { close: () => loopbackFetch.close() },
    );
    const impatientOutbox = await openOutbox({ safeFetch });
    receiver.respond = () => undefined;
    const id = await impatientOutbox.enqueue({ url: receiver.url });
    await until(() => impatientOutbox.service.list()[0]?.attempts === 1, 'the attempt is over');
    expect(impatientOutbox.service.list()[0]).toMatchObject({ state: 'waiting', lastProblem: 'No response in time.' });
    receiver.respond = respondWith(204);
    timeoutMs = 600_000;
    impatientOutbox.advance(HOUR_MS);
    await until(impatientOutbox.isEmpty, 'the webhook is delivered');
    // On a busy machine, the first attempt can time out before the receiver gets the request.
    expect(new Set(receiver.received.map((message) => message.id))).toStrictEqual(new Set([id]));
  });
});

describe('a restart', () => {
  it('sends webhooks in flight again with the same id, and all pending ones', async () => {
    receiver.respond = () => undefined;
    for (const event of ['a', 'b']) await outbox.enqueue({ url: receiver.url, event });
    await receiver.waitFor(1);
    await outbox.restart();
    // If the restart waited for the attempt, the attempt would count as failed.
    expect(outbox.service.list().map((row) => row.attempts)).toStrictEqual([0, 0]);
    await receiver.waitFor(2);
    receiver.respond = respondWith(204);
    await outbox.restart();
    await until(outbox.isEmpty, 'all webhooks are delivered');
    expect(receiver.events()).toStrictEqual(['a', 'a', 'a', 'b']);
    expect(new Set(receiver.received.map((message) => message.id)).size).toBe(2);
  });

  it('keeps the due time of pending webhooks', async () => {
    receiver.respond = respondWith(500);
    await outbox.enqueue({ url: receiver.url });
    await outbox.waitForAttempts(1);
    await outbox.restart();
    await waitForSenderPass(outbox);
    expect(receiver.received).toHaveLength(1);
    outbox.advance(HOUR_MS);
    await receiver.waitFor(2);
  });
});

describe('the clock', () => {
  it('triggers the retry of a webhook', async () => {
    const systemClockOutbox = await openOutbox({ serviceClock: systemClock, random: () => 0 });
    receiver.respond = (_, response) => {
      receiver.respond = respondWith(204);
      response.writeHead(500).end();
    };
    const startTime = performance.now();
    await systemClockOutbox.enqueue({ url: receiver.url });
    await until(
      () => systemClockOutbox.service.list().length === 0,
      'the webhook is delivered without a call to `wake`',
    );
    expect(performance.now() - startTime).toBeGreaterThan(2000);
  });

  it('does not delay webhooks after it is set back', async () => {
    outbox.clock.advance(300 * DAY_MS);
    receiver.respond = respondWith(500);
    await outbox.enqueue({ url: receiver.url });
    await outbox.waitForAttempts(1);
    receiver.respond = respondWith(204);
    outbox.advance(-300 * DAY_MS);
    await until(outbox.isEmpty, 'the webhook is delivered');
  });
});

describe('the outbox on a full disk', () => {
  it('does not send a delivered webhook endlessly', async () => {
    receiver.respond = (_, response) => {
      outbox.db.pragma('query_only = 1');
      response.writeHead(204).end();
    };
    const id = await outbox.enqueue({ url: receiver.url });
    const writeSpy = vi.spyOn(outbox.writer, 'write');
    await expect.poll(() => writeSpy.mock.settledResults.map(({ type }) => type)).toStrictEqual(['rejected']);
    writeSpy.mockRestore();
    receiver.respond = respondWith(204);
    outbox.db.pragma('query_only = 0');
    await waitForSenderPass(outbox);
    expect(receiver.received).toHaveLength(1);
    outbox.advance(61_000);
    await until(outbox.isEmpty, 'the delivery is stored');
    expect(receiver.received.map((message) => message.id)).toStrictEqual([id, id]);
  });

  it('does not merge a webhook into one that was sent without storing its outcome', async () => {
    receiver.respond = (_, response) => {
      outbox.db.pragma('query_only = 1');
      response.writeHead(204).end();
    };
    const announcement = { event: 'values-available', coalesce: true, url: receiver.url };
    const firstId = await outbox.enqueue(announcement);
    const writeSpy = vi.spyOn(outbox.writer, 'write');
    await expect.poll(() => writeSpy.mock.settledResults.map(({ type }) => type)).toStrictEqual(['rejected']);
    writeSpy.mockRestore();
    receiver.respond = respondWith(204);
    outbox.db.pragma('query_only = 0');
    expect(await outbox.enqueue(announcement)).not.toBe(firstId);
  });
});

describe('coalescing webhooks', () => {
  const announcement = { orderingKey: 'k', event: 'values-available', body: { dataDebitKey: 'k' }, coalesce: true };

  it('merges webhooks that were never attempted', async () => {
    receiver.respond = () => undefined;
    const firstId = await outbox.enqueue({ ...announcement, url: receiver.url });
    await receiver.waitFor(1);
    // The first webhook is in flight and may have been processed, so it does not cover this event.
    const secondId = await outbox.enqueue({ ...announcement, url: receiver.url });
    expect(secondId).not.toBe(firstId);
    for (let index = 0; index < 5; index += 1)
      expect(await outbox.enqueue({ ...announcement, url: receiver.url })).toBe(secondId);
    // A webhook to another URL is not merged.
    const idForAnotherUrl = await outbox.enqueue({ ...announcement, url: `${receiver.url}/2` });
    expect(idForAnotherUrl).not.toBe(secondId);
    await outbox.service.drop(idForAnotherUrl);
    // Other webhooks in between keep their order.
    await outbox.enqueue({ ...announcement, event: 'updated', coalesce: false, url: receiver.url });
    expect(await outbox.enqueue({ ...announcement, url: receiver.url })).not.toBe(secondId);
    expect(outbox.service.list().map((row) => row.event)).toStrictEqual([
      'values-available',
      'values-available',
      'updated',
      'values-available',
    ]);
  });

  it('keeps both webhooks if the first one was attempted, or may have been attempted before a restart', async () => {
    receiver.respond = respondWith(500);
    const firstId = await outbox.enqueue({ ...announcement, url: receiver.url });
    await outbox.waitForAttempts(1);
    const secondId = await outbox.enqueue({ ...announcement, url: receiver.url });
    expect(secondId).not.toBe(firstId);
    await outbox.restart();
    expect(await outbox.enqueue({ ...announcement, url: receiver.url })).not.toBe(secondId);
  });
});
