import { createServer as createSocketServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serve, type ThirdPartyServer } from '../../../../tests/support/http.ts';
import { until } from '../../../../tests/support/server-process.ts';
import type { SafeFetch, SafeFetchRequest, SafeFetchResult } from '../../../platform/outbound/safe-fetch.ts';
import {
  answerWith,
  closeAll,
  DAY,
  HOUR,
  openOutbox,
  openReceiver,
  flushDueWebhooks,
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
  let far: ThirdPartyServer | undefined;
  afterEach(async () => {
    await far?.close();
    far = undefined;
  });

  it.each([
    [200, 'delivers'],
    [500, 'is tried again'],
  ])('is cut off if it has a gigabyte; status %i %s', async (status) => {
    let chunksSent = 0;
    far = await serve((_, response) => {
      response.writeHead(status, { 'content-length': 1_000_000_000 });
      const sendMore = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) chunksSent += 65_536;
      };
      response.on('drain', sendMore);
      sendMore();
    });
    await outbox.enqueue({ url: far.url });
    await (status === 200 ? until(outbox.isEmpty, 'it is delivered') : outbox.attempted(1));
    const isCutOff = (): Promise<boolean> =>
      new Promise((resolve) => far?.server.getConnections((_, count) => resolve(count === 0)));
    await until(isCutOff, 'it is cut off');
    expect(chunksSent).toBeLessThan(50_000_000);
  });

  it('counts by its status if its body never ends, and is not read completely', async () => {
    far = await serve((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'), 10);
      response.on('close', () => clearInterval(timer));
    });
    await outbox.enqueue({ url: far.url });
    await until(outbox.isEmpty, 'it is delivered', 3000);
  });

  it('counts by its status, also when the PDA closes before its end', async () => {
    let calls = 0;
    // A receiver whose status arrives at the moment of the abort.
    const network: SafeFetch = Object.assign(
      (_: string, request?: SafeFetchRequest) =>
        new Promise<SafeFetchResult>((resolve) => {
          calls += 1;
          const answered = { ok: true, status: 200, headers: {}, body: Buffer.alloc(0) } as const;
          request?.signal?.addEventListener('abort', () => resolve(answered));
        }),
      { close: () => Promise.resolve() },
    );
    const box = await openOutbox({ network });
    await box.enqueue({ url: receiver.url });
    await until(() => calls === 1, 'it is sent');
    await box.restart();
    expect([calls, box.isEmpty()]).toStrictEqual([1, true]);
  });

  it('cancels a response that arrives too slowly and does not delay other webhooks', async () => {
    const hasty = await openOutbox({ answerMs: 300 });
    const sockets: Socket[] = [];
    const slow = createSocketServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.write('HTTP/1.1 200 OK\r\nx-a: ');
      const timer = setInterval(() => socket.write('x'), 10);
      socket.on('close', () => clearInterval(timer));
    });
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = slow.address() as AddressInfo;
      await hasty.enqueue({ url: `http://127.0.0.1:${port}/`, lane: 'slow' });
      await hasty.enqueue({ url: receiver.url, lane: 'sound' });
      await receiver.waitFor(1);
      expect(hasty.service.list()[0]).toMatchObject({ lane: 'slow', attempts: 0 });
      await until(() => hasty.service.list()[0]?.attempts === 1, 'the try is over');
    } finally {
      for (const socket of sockets) socket.destroy();
      slow.close();
    }
  });

  it('is not followed if it is a redirect', async () => {
    const elsewhere = await openReceiver();
    for (const status of [301, 302, 303, 307, 308]) {
      receiver.respond = answerWith(status, { location: elsewhere.url });
      const id = await outbox.enqueue({ url: receiver.url, lane: `${status}` });
      await outbox.attempted(1, id);
    }
    expect(elsewhere.received).toStrictEqual([]);
    expect(outbox.service.list()[0]?.lastProblem).toBe('The address leads elsewhere.');
  });

  it('delays the next attempt with Retry-After', async () => {
    receiver.respond = answerWith(503, { 'retry-after': '3600' });
    await outbox.enqueue({ url: receiver.url });
    await outbox.attempted(1);
    const next = new Date(outbox.clock.now() + HOUR).toISOString();
    expect(outbox.service.list()[0]?.nextAttempt).toBe(next);
    outbox.advance(HOUR - 1);
    await flushDueWebhooks(outbox);
    expect(receiver.received).toHaveLength(1);
    outbox.advance(1);
    await receiver.waitFor(2);
  });
});

describe('a webhook that is never accepted', () => {
  const tryUntilDead = async (id: string): Promise<void> => {
    for (let tries = 1; outbox.store.find(id)?.died === null; tries += 1) {
      await until(() => {
        const row = outbox.store.find(id);
        return row !== undefined && (row.attempts >= tries || row.died !== null);
      }, 'the try is over');
      outbox.advance(8 * HOUR);
    }
  };

  it('becomes a dead letter after three days and no longer blocks the next one', async () => {
    receiver.respond = (message, response) => void response.writeHead(message.event === 'a' ? 500 : 204).end();
    const start = outbox.clock.now();
    const id = await outbox.enqueue({ url: receiver.url, event: 'a' });
    await outbox.enqueue({ url: receiver.url, event: 'b' });
    await tryUntilDead(id);
    expect(outbox.clock.now() - start).toBeGreaterThanOrEqual(3 * DAY);
    await until(() => receiver.events().includes('b'), 'the next one is sent');
    await until(() => outbox.service.list().length === 1, 'only the dead one is left');
    expect(outbox.service.list()[0]).toMatchObject({
      id,
      lane: 'key-1',
      event: 'a',
      to: new URL(receiver.url).host,
      state: 'dead',
      nextAttempt: null,
      lastProblem: 'The receiver answered 500.',
    });
    const { length } = receiver.received;
    outbox.advance(DAY);
    await flushDueWebhooks(outbox);
    expect(receiver.received).toHaveLength(length);
  });

  it('becomes a dead letter immediately after 410 Gone', async () => {
    receiver.respond = answerWith(410);
    await outbox.enqueue({ url: receiver.url });
    await until(() => outbox.service.list()[0]?.state === 'dead', 'it is dead');
    expect(receiver.received).toHaveLength(1);
  });

  it('is pending for another three days after a retry by the owner', async () => {
    receiver.respond = answerWith(410);
    const id = await outbox.enqueue({ url: receiver.url });
    await until(() => outbox.service.list()[0]?.state === 'dead', 'it is dead');
    outbox.clock.advance(10 * DAY);
    receiver.respond = answerWith(500);
    expect(await outbox.service.retry(id)).toMatchObject({ id, state: 'waiting', attempts: 0 });
    await outbox.attempted(1);
    expect(outbox.service.list()[0]?.state).toBe('waiting');
    expect(outbox.store.find(id)?.expires).toBe(outbox.clock.now() + 3 * DAY);
    receiver.respond = answerWith(204);
    // A retry also makes a pending webhook due immediately.
    await outbox.service.retry(id);
    await until(outbox.isEmpty, 'it is delivered');
    expect(new Set(receiver.received.map((message) => message.id))).toStrictEqual(new Set([id]));
  });

  it('is discarded by the owner, in flight or not, and the next one is sent', async () => {
    receiver.respond = (message, response) => {
      if (message.event === 'b') response.writeHead(204).end();
    };
    const id = await outbox.enqueue({ url: receiver.url, event: 'a' });
    await outbox.enqueue({ url: receiver.url, event: 'b' });
    await receiver.waitFor(1);
    await outbox.service.drop(id);
    await until(outbox.isEmpty, 'the next one is delivered, before the first could have been answered', 5000);
    expect(receiver.events()).toStrictEqual(['a', 'b']);
    await expect(outbox.service.drop(id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(outbox.service.retry(id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is discarded before it is due, and the next one is sent immediately', async () => {
    receiver.respond = (message, response) => void response.writeHead(message.event === 'a' ? 500 : 204).end();
    const id = await outbox.enqueue({ url: receiver.url, event: 'a' });
    await outbox.enqueue({ url: receiver.url, event: 'b' });
    await outbox.attempted(1);
    await outbox.service.drop(id);
    await until(outbox.isEmpty, 'the next one is delivered');
  });

  it('is listed before pending webhooks', async () => {
    receiver.respond = (message, response) => void response.writeHead(message.event === 'b' ? 410 : 500).end();
    await outbox.enqueue({ url: receiver.url, event: 'a', lane: 'a' });
    await outbox.attempted(1);
    await outbox.enqueue({ url: receiver.url, event: 'b', lane: 'b' });
    const states = () => outbox.service.list().map(({ event, state }) => `${event} ${state}`);
    await until(() => states().some((line) => line.endsWith('dead')), 'one is dead');
    expect(states()).toStrictEqual(['b dead', 'a waiting']);
  });

  it('is deleted a month later, when another webhook becomes a dead letter', async () => {
    receiver.respond = answerWith(410);
    await outbox.enqueue({ url: receiver.url });
    await until(() => outbox.service.list()[0]?.state === 'dead', 'it is dead');
    outbox.advance(31 * DAY);
    const id = await outbox.enqueue({ url: receiver.url });
    await until(() => outbox.store.find(id)?.died !== null, 'the second is dead');
    expect(outbox.service.list().map((row) => row.id)).toStrictEqual([id]);
  });

  it('becomes a dead letter that the owner sees if its URL is invalid', async () => {
    await outbox.enqueue({ url: 'ftp://example.com/' });
    await outbox.enqueue({ url: 'nonsense' });
    await until(() => outbox.service.list().every((row) => row.state === 'dead'), 'both are dead');
    expect(
      outbox.service
        .list()
        .map((row) => row.to)
        .toSorted(),
    ).toStrictEqual(['', 'example.com']);
  });
});
