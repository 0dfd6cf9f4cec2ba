import Sqlite, { type Database } from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../platform/clock.ts';
import { silentLog } from '../../../platform/log.ts';
import { createSafeFetch, type SafeFetch, type SafeFetchRequest } from '../../../platform/outbound/safe-fetch.ts';
import type { SigningKey } from '../../../platform/auth/tokens.ts';
import { createEventService, type Topic } from '../../core/events/service.ts';
import { createEventStore } from '../../core/events/store.ts';
import { generateSigningKey, toSigningKey } from '../../../platform/auth/signing-keys.ts';
import { migrate } from '../../storage/migrations/migrator.ts';
import { createWriter, type Writer } from '../../storage/writer.ts';
import { until } from '../../../../tests/support/server-process.ts';
import { createTestClock } from '../../../../tests/support/test-pda.ts';
import { createOutboxService, type OutboxDraft, type OutboxService } from './service.ts';
import { createOutboxStore, type OutboxStore } from './store.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Closed in this order: outboxes before receivers. */
const resources: { close(): Promise<unknown> }[] = [];
export const closeAll = async (): Promise<void> => {
  for (const resource of resources.splice(0)) await resource.close();
};

export type ReceivedWebhook = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  id: string;
  event: string;
  json: Record<string, unknown>;
};

export type Receiver = {
  readonly url: string;
  /** Includes webhooks without a response. */
  readonly received: ReceivedWebhook[];
  events(): string[];
  /** Waits until `count` webhooks have been received in total. */
  waitFor(count: number): Promise<unknown>;
  /** Tests can replace this handler. A handler that sends nothing makes the request hang. */
  respond: (message: ReceivedWebhook, response: ServerResponse) => void;
  stop(): Promise<void>;
  /** Listens on the same port as before `stop`. */
  start(): Promise<void>;
};

export const respondWith =
  (status: number, headers: Record<string, string> = {}) =>
  (_: ReceivedWebhook, response: ServerResponse): void =>
    void response.writeHead(status, headers).end();

export const openReceiver = async (): Promise<Receiver> => {
  const received: ReceivedWebhook[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const bytes = Buffer.concat(chunks);
      const json = JSON.parse(bytes.toString()) as Record<string, unknown>;
      const { method = '', url = '', headers } = request;
      const message = { method, path: url, headers, bytes, json, id: String(json['id']), event: String(json['event']) };
      received.push(message);
      self.respond(message, response);
    });
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => resolve());
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const self: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    events: () => received.map((message) => message.event),
    waitFor: (count) => until(() => received.length >= count, `${count} webhooks are received`),
    respond: respondWith(204),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    start: () => listen(port),
  };
  resources.push({ close: self.stop });
  return self;
};

/** Timeout of requests that are expected to receive a response, however slow the machine is. */
const GENEROUS_TIMEOUT_MS = 600_000;

const withTimeout = (safeFetch: SafeFetch, timeoutMs: number): SafeFetch =>
  Object.assign((url: string, request?: SafeFetchRequest) => safeFetch(url, { ...request, timeoutMs }), {
    close: () => safeFetch.close(),
  });

/** Shared by all outboxes of a test file, because generating a key takes longer than most tests. */
let initialKey: Promise<SigningKey> | undefined;
const createKey = async (): Promise<SigningKey> => toSigningKey({ ...(await generateSigningKey(0)), retired: null });

type OutboxOptions = {
  random?: () => number;
  timeoutMs?: number;
  /** Default: the test clock. */
  serviceClock?: Clock;
  safeFetch?: SafeFetch;
};

export type TestOutbox = Awaited<ReturnType<typeof openOutbox>>;

export const openOutbox = async (options: OutboxOptions = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'pda-outbox-'));
  const clock = createTestClock();
  let keys = [await (initialKey ??= createKey())];

  const open = () => {
    const db = new Sqlite(join(folder, 'test.sqlite'));
    db.pragma('journal_mode = WAL');
    migrate(db);
    const writer = createWriter(db);
    const store = createOutboxStore(db);
    const events = createEventService({ store: createEventStore(db), clock });
    const topics: Topic[] = [];
    events.onTopic((topic) => topics.push(topic));
    const safeFetch =
      options.safeFetch ??
      withTimeout(createSafeFetch({ allowLoopback: true }), options.timeoutMs ?? GENEROUS_TIMEOUT_MS);
    const service = createOutboxService({
      store,
      writer,
      events,
      safeFetch,
      keys: () => keys,
      clock: options.serviceClock ?? clock,
      log: silentLog(),
      random: options.random ?? (() => 0.5),
    });
    service.start();
    return { db, writer, store, topics, safeFetch, service };
  };

  const closeParts = async (): Promise<void> => {
    await parts.service.close();
    await parts.safeFetch.close();
    await parts.writer.close();
    parts.db.close();
  };

  let parts = open();
  const self = {
    get service(): OutboxService {
      return parts.service;
    },
    get store(): OutboxStore {
      return parts.store;
    },
    get writer(): Writer {
      return parts.writer;
    },
    get db(): Database {
      return parts.db;
    },
    get topics(): Topic[] {
      return parts.topics;
    },
    get key(): SigningKey {
      const key = keys.find((candidate) => !candidate.retired);
      if (key === undefined) throw new Error('the outbox has no current key');
      return key;
    },
    clock,
    async rotateKey(): Promise<void> {
      keys = [await createKey(), ...keys.map((key) => ({ ...key, retired: true }))];
    },
    enqueue: ({
      orderingKey = 'key-1',
      event = 'created',
      body = { dataDebitKey: 'key-1' },
      ...draft
    }: Partial<OutboxDraft> & { url: string }): Promise<string> =>
      parts.writer.write((tx) => parts.service.enqueue(tx, { orderingKey, event, body, ...draft })),
    isEmpty: (): boolean => parts.service.list().length === 0,
    /** @param id webhook that must have had this number of attempts. Default: any webhook */
    waitForAttempts: (attempts: number, id?: string): Promise<unknown> =>
      until(
        () => parts.service.list().some((row) => row.attempts === attempts && (id === undefined || row.id === id)),
        `there were ${attempts} attempts`,
      ),
    advance(ms: number): void {
      clock.advance(ms);
      parts.service.wake();
    },
    async restart(): Promise<void> {
      await closeParts();
      parts = open();
    },
    async close(): Promise<void> {
      await closeParts();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  resources.unshift(self);
  return self;
};

/**
 * Waits until the sender has started all due deliveries that have a free slot: enqueues a webhook to a second receiver
 * and waits for its arrival.
 */
export const waitForSenderPass = async (outbox: TestOutbox): Promise<void> => {
  const secondReceiver = await openReceiver();
  await outbox.enqueue({ url: secondReceiver.url, orderingKey: secondReceiver.url });
  await secondReceiver.waitFor(1);
};
