import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import type { SafeFetch } from '../../../platform/outbound/safe-fetch.ts';
import type { SigningKey } from '../../../platform/auth/tokens.ts';
import { OUTBOX_ANSWER_MS, DEAD_LETTER_RETENTION_MS } from '../../../wire/limits.ts';
import type { EventService } from '../../core/events/service.ts';
import type { Writer } from '../../storage/index.ts';
import { isDue, judge, nextToSend, type DeliveryOutcome } from './rules.ts';
import type { LaneName, MessageRow, OutboxStore } from './store.ts';
import { CompactSign } from 'jose';

/**
 * Returns a detached JWS (RFC 7515, appendix F): `header..signature` over the bytes of the body. The receiver inserts the
 * base64url of the body between the dots and verifies with the key of that `kid` in `/.well-known/jwks.json`.
 */
const detachedSignature = async (body: Buffer, key: SigningKey): Promise<string> => {
  const jws = await new CompactSign(body).setProtectedHeader({ alg: 'RS256', kid: key.kid }).sign(key.privateKey);
  const [header, , signature] = jws.split('.');
  return `${header}..${signature}`;
};

/**
 * Milliseconds after which the clock is looked at again while something waits, however far off its time is: a machine that slept, or whose
 * clock was set, finds out by that.
 */
const LONGEST_SLEEP_MS = 60_000;

type Lane = LaneName & { id: string; due: number; attempts: number; served: number };
type Flight = { id: string; receiver: string; doubtful: boolean; controller: AbortController; done: Promise<void> };

export type Sender = {
  /** Something came into this lane or left it. */
  changed(name: LaneName): void;
  /** When the message has its next turn; undefined when others are before it. */
  dueOf(row: MessageRow): number | undefined;
  isUnderWay(id: string): boolean;
  /** Breaks off the try of a message that is not wanted any more. */
  abandon(id: string): void;
  start(): void;
  wake(): void;
  close(): Promise<void>;
};

const keyOf = ({ receiver, lane }: LaneName): string => `${receiver} ${lane}`;

export type SenderParts = {
  store: OutboxStore;
  writer: Writer;
  events: EventService;
  safeFetch: SafeFetch;
  /** The PDA's keys: the one that is not retired signs. */
  keys: () => readonly SigningKey[];
  clock: Clock;
  log: Log;
  /** From 0 to 1. */
  random: () => number;
};

/** Sends what is at the heads of the lanes, a few at once, and knows when it has to look again. */
export const createSender = (parts: SenderParts): Sender => {
  const { store, writer, events, safeFetch, clock, log, random } = parts;
  /** Heads of all lanes in which something waits. The rows are the truth; this is what is looked at over and over. */
  const lanes = new Map<string, Lane>();
  const flights = new Map<string, Flight>();
  let turn = 0;
  let state: 'idle' | 'running' | 'closed' = 'idle';
  let timer: NodeJS.Timeout | undefined;

  const readHead = (name: LaneName): void => {
    const key = keyOf(name);
    const head = store.head(name);
    if (head === undefined) {
      lanes.delete(key);
      return;
    }
    const { id, lane, receiver, next_attempt: due, attempts } = head;
    lanes.set(key, { id, lane, receiver, due, attempts, served: lanes.get(key)?.served ?? 0 });
  };

  const idle = function* (): Generator<Lane> {
    for (const [key, lane] of lanes) if (!flights.has(key)) yield lane;
  };

  const pump = (): void => {
    clearTimeout(timer);
    if (state !== 'running') return;
    const now = clock.now();
    for (;;) {
      const lane = nextToSend(idle(), [...flights.values()], now);
      if (lane === undefined) break;
      launch(lane);
    }
    // Lanes that are due and have no place are looked at when a place is free: the end of a flight comes back here.
    let sleep = Infinity;
    for (const lane of idle()) if (!isDue(lane.due, now)) sleep = Math.min(sleep, lane.due - now, LONGEST_SLEEP_MS);
    if (sleep !== Infinity) timer = setTimeout(wake, sleep).unref();
  };

  const wake = (): void => {
    try {
      pump();
    } catch (error) {
      log.error({ err: error }, 'the outbox could not look for what is due');
    }
  };

  const launch = (lane: Lane): void => {
    const controller = new AbortController();
    const { id, receiver, attempts } = lane;
    lane.served = ++turn;
    const flight: Flight = { id, receiver, doubtful: attempts > 0, controller, done: Promise.resolve() };
    // Entered before it begins, so that its end, however early, finds it.
    flights.set(keyOf(lane), flight);
    flight.done = deliver(lane, controller.signal);
  };

  /** One try, to its end. Never rejects. */
  const deliver = async (lane: Lane, signal: AbortSignal): Promise<void> => {
    try {
      const row = store.find(lane.id);
      if (row !== undefined) await settle(row, await attempt(row, signal), signal);
      if (state === 'running') readHead(lane);
    } catch (error) {
      // Above all: the disk is full, and what was delivered cannot be taken away. Looked at again at once, it would be sent without end.
      log.error({ err: error, message: lane.id }, 'what came of a message could not be written down');
      lanes.set(keyOf(lane), { ...lane, due: clock.now() + LONGEST_SLEEP_MS });
    } finally {
      flights.delete(keyOf(lane));
      wake();
    }
  };

  const attempt = async (row: MessageRow, signal: AbortSignal): Promise<DeliveryOutcome> => {
    const key = parts.keys().find((candidate) => !candidate.retired);
    if (key === undefined) throw new Error('no signing key');
    const body = Buffer.from(row.body);
    const answer = await safeFetch(row.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'personal-data-account',
        // Signed at each try: a key that was rotated in three days is no reason to be refused.
        'x-pda-signature': await detachedSignature(body, key),
      },
      body,
      timeoutMs: OUTBOX_ANSWER_MS,
      // What the receiver says beyond the status is of no use, however long it talks.
      discardBody: true,
      signal,
    });
    return answer.ok
      ? { kind: 'answered', status: answer.status, retryAfter: answer.headers['retry-after'] }
      : { kind: 'not-answered', problem: answer.cause, hopeless: answer.failure === 'bad_address' };
  };

  const settle = async (row: MessageRow, outcome: DeliveryOutcome, signal: AbortSignal): Promise<void> => {
    const now = clock.now();
    const verdict = judge(outcome, row, now, random());
    // Broken off by us, so it says nothing of the receiver; what was answered before that is answered.
    if (signal.aborted && verdict.kind !== 'delivered') return;
    await writer.write((tx) => {
      if (verdict.kind === 'delivered') store.remove(tx, row.id);
      else if (verdict.kind === 'again') store.failed(tx, row.id, verdict.at, verdict.problem);
      else {
        store.died(tx, row.id, now, verdict.problem);
        store.dropDeadBefore(tx, now - DEAD_LETTER_RETENTION_MS);
      }
      events.tell(tx, 'outbox');
    });
    if (verdict.kind === 'dead') log.warn({ message: row.id, event: row.event }, 'a message was given up');
  };

  return {
    changed(name) {
      if (state !== 'running') return;
      readHead(name);
      pump();
    },
    dueOf(row) {
      const lane = lanes.get(keyOf(row));
      return lane?.id === row.id ? lane.due : undefined;
    },
    abandon(id) {
      for (const flight of flights.values()) if (flight.id === id) flight.controller.abort();
    },
    isUnderWay: (id) => flights.values().some((flight) => flight.id === id),
    start() {
      if (state !== 'idle') return;
      state = 'running';
      for (const name of store.lanes()) readHead(name);
      wake();
    },
    wake,
    async close() {
      state = 'closed';
      clearTimeout(timer);
      const ends = [...flights.values()].map((flight) => flight.done);
      for (const flight of flights.values()) flight.controller.abort();
      await Promise.all(ends);
    },
  };
};
