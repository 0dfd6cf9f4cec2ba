import { createServer as createSocketServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serve, type ThirdPartyServer } from '../../../../tests/support/http.ts';
import { until } from '../../../../tests/support/server-process.ts';
import type { SafeFetch, SafeFetchRequest, SafeFetchResult } from '../../../platform/outbound/safe-fetch.ts';
import {
  respondWith,
  closeAll,
  DAY_MS,
  HOUR_MS,
  openOutbox,
  openReceiver,
  waitForSenderPass,
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

describe('a response', () => {
  let slowServer: ThirdPartyServer | undefined;
  afterEach(async () => {
    await slowServer?.close();
    slowServer = undefined;
  });

  it.each([
    [200, 'delivers the webhook'],
    [500, 'causes a retry'],
  ])('of a gigabyte is cut off, and its status %i %s', async (status) => {
    let bytesSent = 0;
    slowServer = await serve((_, response) => {
      response.writeHead(status, { 'content-length': 1_000_000_000 });
      const sendMore = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) bytesSent += 65_536;
      };
      response.on('drain', sendMore);
      sendMore();
    });
    await outbox.enqueue({ url: slowServer.url });
    await (status === 200 ? until(outbox.isEmpty, 'the webhook is delivered') : outbox.waitForAttempts(1));
    const isCutOff = (): Promise<boolean> =>
      new Promise((resolve) => slowServer?.server.getConnections((_, count) => resolve(count === 0)));
    await until(isCutOff, 'the response is cut off');
    expect(bytesSent).toBeLessThan(50_000_000);
  });

  it('is evaluated by its status if its body never ends', async () => {
    slowServer = await serve((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'), 10);
      response.on('close', () => clearInterval(timer));
    });
    await outbox.enqueue({ url: slowServer.url });
    await until(outbox.isEmpty, 'the webhook is delivered');
  });

  it('is evaluated by its status even if the request is aborted', async () => {
    let requests = 0;
    // The status arrives at the moment of the abort.
    const safeFetch: SafeFetch = Object.assign(
      (_: string, request?: SafeFetchRequest) =>
        new Promise<SafeFetchResult>((resolve) => {
          requests += 1;
          const response = { ok: true, status: 200, headers: {}, body: Buffer.alloc(0) } as const;
          request?.signal?.addEventListener('abort', () => resolve(response));
        }),
      { close: () => Promise.resolve() },
    );
    const abortedOutbox = await openOutbox({ safeFetch });
    await abortedOutbox.enqueue({ url: receiver.url });
    await until(() => requests === 1, 'the webhook is sent');
    await abortedOutbox.restart();
    expect([requests, abortedOutbox.isEmpty()]).toStrictEqual([1, true]);
  });

  it('that arrives too slowly is aborted and does not delay other webhooks', async () => {
    const impatientOutbox = await openOutbox({ timeoutMs: 300 });
    const sockets: Socket[] = [];
    const slowReceiver = createSocketServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.write('HTTP/1.1 200 OK\r\nx-a: ');
      const timer = setInterval(() => socket.write('x'), 10);
      socket.on('close', () => clearInterval(timer));
    });
    await new Promise<void>((resolve) => slowReceiver.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(slowReceiver.address() as AddressInfo).port}/`;
      await outbox.enqueue({ url, orderingKey: 'slow' });
      await outbox.enqueue({ url: receiver.url, orderingKey: 'sound' });
      await until(() => outbox.service.list().length === 1, 'the other webhook is delivered');
      expect(outbox.service.list()[0]).toMatchObject({ orderingKey: 'slow', attempts: 0 });
      await impatientOutbox.enqueue({ url, orderingKey: 'slow' });
      await until(() => impatientOutbox.service.list()[0]?.attempts === 1, 'the attempt is over');
    } finally {
      for (const socket of sockets) socket.destroy();
      slowReceiver.close();
    }
  });

  it('is not followed if it is a redirect', async () => {
    const redirectTarget = await openReceiver();
    for (const status of [301, 302, 303, 307, 308]) {
      receiver.respond = respondWith(status, { location: redirectTarget.url });
      const id = await outbox.enqueue({ url: receiver.url, orderingKey: `${status}` });
      await outbox.waitForAttempts(1, id);
    }
    expect(redirectTarget.received).toStrictEqual([]);
    expect(outbox.service.list()[0]?.lastProblem).toBe(
      'The address redirects to another one. Redirects are not followed.',
    );
  });

  it('delays the next attempt with Retry-After', async () => {
    receiver.respond = respondWith(503, { 'retry-after': '3600' });
    await outbox.enqueue({ url: receiver.url });
    await outbox.waitForAttempts(1);
    const expectedTime = new Date(outbox.clock.now() + HOUR_MS).toISOString();
    expect(outbox.service.list()[0]?.nextAttempt).toBe(expectedTime);
    outbox.advance(HOUR_MS - 1);
    await waitForSenderPass(outbox);
    expect(receiver.received).toHaveLength(1);
    outbox.advance(1);
    await receiver.waitFor(2);
  });
});

describe('a webhook that is never accepted', () => {
  const tryUntilDead = async (id: string): Promise<void> => {
    for (let attempts = 1; outbox.store.find(id)?.died === null; attempts += 1) {
      await until(() => {
        const row = outbox.store.find(id);
        return row !== undefined && (row.attempts >= attempts || row.died !== null);
      }, 'the attempt is over');
      outbox.advance(8 * HOUR_MS);
    }
  };

  it('becomes a dead letter after three days and no longer blocks the next one', async () => {
    receiver.respond = (message, response) => void response.writeHead(message.event === 'a' ? 500 : 204).end();
    const startTime = outbox.clock.now();
    const id = await outbox.enqueue({ url: receiver.url, event: 'a' });
    await outbox.enqueue({ url: receiver.url, event: 'b' });
    await tryUntilDead(id);
    expect(outbox.clock.now() - startTime).toBeGreaterThanOrEqual(3 * DAY_MS);
    await until(() => receiver.events().includes('b'), 'the next webhook is sent');
    await until(() => outbox.service.list().length === 1, 'only the dead letter is left');
    expect(outbox.service.list()[0]).toMatchObject({
      id,
      orderingKey: 'key-1',
      event: 'a',
      to: new URL(receiver.url).host,
      state: 'dead',
      nextAttempt: null,
      lastProblem: 'The receiver answered 500.',
    });
    const { length } = receiver.received;
    outbox.advance(DAY_MS);
    await waitForSenderPass(outbox);
    expect(receiver.received).toHaveLength(length);
  });

  it('becomes a dead letter immediately after 410 Gone', async () => {
    receiver.respond = respondWith(410);
    await outbox.enqueue({ url: receiver.url });
    await until(() => outbox.service.list()[0]?.state === 'dead', 'the webhook is dead');
    expect(receiver.received).toHaveLength(1);
  });

  it('is pending for another three days after a retry by the owner', async () => {
    receiver.respond = respondWith(410);
    const id = await outbox.enqueue({ url: receiver.url });
    await until(() => outbox.service.list()[0]?.state === 'dead', 'the webhook is dead');
    outbox.clock.advance(10 * DAY_MS);
    receiver.respond = respondWith(500);
    expect(await outbox.service.retry(id)).toMatchObject({ id, state: 'waiting', attempts: 0 });
    await outbox.waitForAttempts(1);
    expect(outbox.service.list()[0]?.state).toBe('waiting');
    expect(outbox.store.find(id)?.expires).toBe(outbox.clock.now() + 3 * DAY_MS);
    receiver.respond = respondWith(204);
    // A retry also makes a pending webhook due immediately.
    await outbox.service.retry(id);
    await until(outbox.isEmpty, 'the webhook is delivered');
    expect(new Set(receiver.received.map((message) => message.id))).toStrictEqual(new Set([id]));
  });

  it('can be discarded by the owner while it is in flight, and the next one is sent', async () => {
    receiver.respond = (message, response) => {
      if (message.event === 'b') response.writeHead(204).end();
    };
    const id = await outbox.enqueue({ url: receiver.url, event: 'a' });
    await outbox.enqueue({ url: receiver.url, event: 'b' });
    await receiver.waitFor(1);
    await outbox.service.drop(id);
    await until(outbox.isEmpty, 'the next webhook is delivered before the first one times out');
    expect(receiver.events()).toStrictEqual(['a', 'b']);
    await expect(outbox.service.drop(id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(outbox.service.retry(id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('can be discarded by the owner before its retry is due, and the next one is sent immediately', async () => {
    receiver.respond = (message, response) => void response.writeHead(message.event === 'a' ? 500 : 204).end();
    const id = await outbox.enqueue({ url: receiver.url, event: 'a' });
    await outbox.enqueue({ url: receiver.url, event: 'b' });
    await outbox.waitForAttempts(1);
    await outbox.service.drop(id);
    await until(outbox.isEmpty, 'the next webhook is delivered');
  });

  it('is listed before pending webhooks when it is a dead letter', async () => {
    receiver.respond = (message, response) => void response.writeHead(message.event === 'b' ? 410 : 500).end();
    await outbox.enqueue({ url: receiver.url, event: 'a', orderingKey: 'a' });
    await outbox.waitForAttempts(1);
    await outbox.enqueue({ url: receiver.url, event: 'b', orderingKey: 'b' });
    const states = () => outbox.service.list().map(({ event, state }) => `${event} ${state}`);
    await until(() => states().some((state) => state.endsWith('dead')), 'one webhook is dead');
    expect(states()).toStrictEqual(['b dead', 'a waiting']);
  });

  it('is deleted a month later, when another webhook becomes a dead letter', async () => {
    receiver.respond = respondWith(410);
    await outbox.enqueue({ url: receiver.url });
    await until(() => outbox.service.list()[0]?.state === 'dead', 'the webhook is dead');
    outbox.advance(31 * DAY_MS);
    const id = await outbox.enqueue({ url: receiver.url });
    await until(() => outbox.store.find(id)?.died !== null, 'the second webhook is dead');
    expect(outbox.service.list().map((row) => row.id)).toStrictEqual([id]);
  });

  it('becomes a dead letter, which the owner sees, if its URL is invalid', async () => {
    await outbox.enqueue({ url: 'ftp://example.com/' });
    await outbox.enqueue({ url: 'not a URL' });
    await until(() => outbox.service.list().every((row) => row.state === 'dead'), 'both are dead');
    expect(
      outbox.service
        .list()
        .map((row) => row.to)
        .toSorted(),
    ).toStrictEqual(['', 'example.com']);
  });
});
