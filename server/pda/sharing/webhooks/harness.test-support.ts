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
import { newKey, toSigningKey } from '../../../platform/auth/signing-keys.ts';
import { migrate } from '../../storage/migrations/migrator.ts';
import { createWriter, type Writer } from '../../storage/writer.ts';
import { until } from '../../../../tests/support/server-process.ts';
import { createTestClock, type TestClock } from '../../../../tests/support/test-pda.ts';
import { createOutboxService, type OutboxDraft, type OutboxService } from './service.ts';
import { createOutboxStore, type OutboxStore } from './store.ts';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** What a test opened: senders are closed before those that they send to. */
const opened: { close(): Promise<unknown> }[] = [];
export const closeAll = async (): Promise<void> => {
  for (const one of opened.splice(0)) await one.close();
};

/** A message as it came over the wire. */
export type Heard = {
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
  /** Everything that arrived whole, answered or not. */
  readonly heard: Heard[];
  events(): string[];
  /** Waits until `count` messages have arrived. */
  hears(count: number): Promise<unknown>;
  /** How it answers from now on. Without an answer it hangs. */
  answer: (message: Heard, response: ServerResponse) => void;
  /** Closes the port. */
  stop(): Promise<void>;
  /** At the same port as before. */
  start(): Promise<void>;
};

export const answerWith =
  (status: number, headers: Record<string, string> = {}) =>
  (_: Heard, response: ServerResponse): void =>
    void response.writeHead(status, headers).end();

/** A webhook receiver over real HTTP. */
export const openReceiver = async (): Promise<Receiver> => {
  const heard: Heard[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const bytes = Buffer.concat(parts);
      const json = JSON.parse(bytes.toString()) as Record<string, unknown>;
      const { method = '', url = '', headers } = request;
      const message = { method, path: url, headers, bytes, json, id: String(json['id']), event: String(json['event']) };
      heard.push(message);
      self.answer(message, response);
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
    heard,
    events: () => heard.map((message) => message.event),
    hears: (count) => until(() => heard.length >= count, `${count} messages are heard`),
    answer: answerWith(204),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    start: () => listen(port),
  };
  opened.push({ close: self.stop });
  return self;
};

export type TestOutbox = {
  readonly service: OutboxService;
  readonly store: OutboxStore;
  readonly writer: Writer;
  readonly db: Database;
  readonly clock: TestClock;
  readonly topics: Topic[];
  readonly key: SigningKey;
  rotate(): Promise<void>;
  enqueue(draft: Partial<OutboxDraft> & { url: string }): Promise<string>;
  isEmpty(): boolean;
  /** Waits until a message (this one, if it is given) was tried so often. */
  attempted(attempts: number, id?: string): Promise<unknown>;
  /** Moves the clock and looks. */
  advance(ms: number): void;
  /** As after the end of the process and a new start. */
  restart(): Promise<void>;
  close(): Promise<void>;
};

/** A safe-fetch with a shorter timeout. */
const hurried = (safeFetch: SafeFetch, timeoutMs: number | undefined): SafeFetch =>
  timeoutMs === undefined
    ? safeFetch
    : Object.assign((url: string, request?: SafeFetchRequest) => safeFetch(url, { ...request, timeoutMs }), {
        close: () => safeFetch.close(),
      });

/** The first key of all outboxes of a test file: making one costs more than most tests. */
let firstKey: Promise<SigningKey> | undefined;
const makeKey = async (): Promise<SigningKey> => toSigningKey({ ...(await newKey(0)), retired: null });

export type OutboxOptions = { random?: () => number; answerMs?: number; ownClock?: Clock; network?: SafeFetch };

export const openOutbox = async (options: OutboxOptions = {}): Promise<TestOutbox> => {
  const folder = mkdtempSync(join(tmpdir(), 'pda-outbox-'));
  const clock = createTestClock();
  let keys = [await (firstKey ??= makeKey())];

  const open = () => {
    const db = new Sqlite(join(folder, 'test.sqlite'));
    db.pragma('journal_mode = WAL');
    migrate(db);
    const writer = createWriter(db);
    const store = createOutboxStore(db);
    const events = createEventService({ store: createEventStore(db), clock });
    const topics: Topic[] = [];
    events.onTopic((topic) => topics.push(topic));
    const safeFetch = options.network ?? hurried(createSafeFetch({ allowLoopback: true }), options.answerMs);
    const service = createOutboxService({
      store,
      writer,
      events,
      safeFetch,
      keys: () => keys,
      clock: options.ownClock ?? clock,
      log: silentLog(),
      random: options.random ?? (() => 0.5),
    });
    service.start();
    return { db, writer, store, topics, safeFetch, service };
  };

  const shut = async (): Promise<void> => {
    await running.service.close();
    await running.safeFetch.close();
    await running.writer.close();
    running.db.close();
  };

  let running = open();
  const self: TestOutbox = {
    get service() {
      return running.service;
    },
    get store() {
      return running.store;
    },
    get writer() {
      return running.writer;
    },
    get db() {
      return running.db;
    },
    get topics() {
      return running.topics;
    },
    get key() {
      const key = keys.find((candidate) => !candidate.retired);
      if (key === undefined) throw new Error('no key');
      return key;
    },
    clock,
    async rotate() {
      keys = [await makeKey(), ...keys.map((key) => ({ ...key, retired: true }))];
    },
    enqueue: ({ lane = 'key-1', event = 'created', body = { dataDebitKey: 'key-1' }, ...rest }) =>
      running.writer.write((tx) => running.service.enqueue(tx, { lane, event, body, ...rest })),
    isEmpty: () => running.service.list().length === 0,
    attempted: (attempts, id) =>
      until(
        () => running.service.list().some((row) => row.attempts === attempts && (id === undefined || row.id === id)),
        `there were ${attempts} attempts`,
      ),
    advance(ms) {
      clock.advance(ms);
      running.service.wake();
    },
    async restart() {
      await shut();
      running = open();
    },
    async close() {
      await shut();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  opened.unshift(self);
  return self;
};

/** Sends a message to another receiver and waits until it has arrived: everything that was due before has been sent too. */
export const sentWhatIsDue = async (outbox: TestOutbox): Promise<void> => {
  const other = await openReceiver();
  await outbox.enqueue({ url: other.url, lane: other.url });
  await other.hears(1);
};
