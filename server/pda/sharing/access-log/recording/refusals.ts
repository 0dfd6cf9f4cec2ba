import { addressGroup } from '../../../../platform/limits/address-group.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { Log } from '../../../../platform/log.ts';
import type { Transaction, Writer } from '../../../storage/index.ts';
import type { LedgerEntry, LedgerService, RefusedRow } from '../service.ts';

/**
 * Log of refused requests. Their number is unbounded, so repeated refusals of one caller share a row per hour, with a count
 * and the time of the last one. Known principals have a row per route, reason, consent, endpoint and address, which is
 * durable before the response. Anonymous callers have a row per address, which is buffered in memory for a moment, so that a
 * crash loses at most that moment. Each caller has a maximum number of rows per hour; further refusals are counted in rows
 * that name only route and reason.
 */

/** What was tried, and how it was refused. */
export type Try = { action: string; status: number; reason: string };

const HOUR_MS = 3_600_000;
/** Rows per caller and hour; all anonymous callers count as one. */
const MAX_ROWS = 100;
export const OTHERS = 'others';
const FLUSH_AFTER_MS = 2000;

type Refusal = Omit<RefusedRow, 'row' | 'time'>;
type Counted = Refusal & { hour: number; first: number; last: number; pending: number; row: number | undefined };

const callerOf = ({ who }: Refusal): string => JSON.stringify([who.kind, who.name]);
const keyOf = ({ who, action, reason, consent, endpoints, address }: Refusal): string =>
  JSON.stringify([who.kind, who.name, action, reason, consent, endpoints, address]);

export const createRefusals = (parts: {
  ledger: Pick<LedgerService, 'record' | 'addCount' | 'refusedSince'>;
  writer: Writer;
  clock: Clock;
  log: Log;
}) => {
  const { ledger, writer, clock, log } = parts;
  let counts = new Map<string, Counted>();
  /** Caller -> rows of this hour. */
  const rows = new Map<string, number>();
  let hour = -1;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const add = (key: string, entry: Counted): void => {
    counts.set(key, entry);
    rows.set(callerOf(entry), (rows.get(callerOf(entry)) ?? 0) + 1);
  };

  /** A new hour begins, or the first one after a start: then what it has already is in the ledger. */
  const turnTo = (now: number): void => {
    hour = now;
    const before = [...counts].filter(([, entry]) => entry.pending > 0);
    counts = new Map();
    rows.clear();
    for (const [key, entry] of before) add(entry.hour === now ? key : `${entry.hour}\n${key}`, entry);
    for (const found of ledger.refusedSince(now * HOUR_MS)) {
      const { row, time, ...refusal } = found;
      const counting = counts.get(keyOf(refusal));
      if (counting !== undefined) counting.row ??= row;
      else add(keyOf(refusal), { ...refusal, hour: now, first: time, last: time, pending: 0, row });
    }
  };

  const writeOne = (tx: Transaction, entry: Counted): void => {
    const { endpoints, hour: _, pending, first, last, row, ...refusal } = entry;
    let made = row;
    if (row !== undefined) ledger.addCount(tx, row, pending, last);
    else {
      const records = new Map(endpoints.map((endpoint) => [endpoint, []]));
      const counted = { time: first, last, count: pending };
      made = ledger.record(tx, { ...refusal, records, fields: null, bytes: 0, ...counted });
    }
    tx.afterCommit(() => {
      entry.row = made;
      entry.pending -= pending;
    });
  };

  const write = async (): Promise<void> => {
    const waiting = [...counts.values()].filter((entry) => entry.pending > 0);
    if (waiting.length === 0) return;
    await writer.write((tx) => {
      for (const entry of waiting) writeOne(tx, entry);
    });
  };

  /** One after the other, also after one that failed: a row that is being made must not be made twice. */
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write, write);
    return writing;
  };

  const flushLater = (): void => {
    timer ??= setTimeout(() => {
      flush().catch((error: unknown) => {
        log.warn({ err: error }, 'refused calls were not written down, it is tried again');
        flushLater();
      });
    }, FLUSH_AFTER_MS).unref();
  };

  const tally = (refusal: Refusal): void => {
    const time = clock.now();
    const now = Math.floor(time / HOUR_MS);
    if (now !== hour) turnTo(now);
    let counting = refusal;
    let known = counts.get(keyOf(counting));
    if (known === undefined && (rows.get(callerOf(refusal)) ?? 0) >= MAX_ROWS) {
      counting = { ...refusal, consent: null, endpoints: [], address: OTHERS };
      known = counts.get(keyOf(counting));
    }
    if (known === undefined) {
      add(keyOf(counting), { ...counting, hour, first: time, last: time, pending: 1, row: undefined });
    } else {
      known.pending += 1;
      known.last = time;
    }
  };

  return {
    /** Counts a refused request of an anonymous caller. */
    count({ action, status, reason }: Try, from: string): void {
      const who = { kind: 'visitor', name: '' } as const;
      tally({ who, action, status, reason, consent: null, endpoints: [], address: addressGroup(from) });
      flushLater();
    },

    /** Logs a refused request of a known principal. Resolves when it is durable. */
    async note(refused: LedgerEntry & { reason: string }): Promise<void> {
      const { who, action, status, reason, consent, records, address } = refused;
      tally({ who, action, status, reason, consent, endpoints: [...records.keys()].toSorted(), address });
      await flush().catch((error: unknown) => {
        flushLater();
        throw error;
      });
    },

    /** Writes down what was counted so far. */
    flush,

    /** Writes pending counts before a read. A failed write must not prevent the read. */
    settle: (): Promise<void> =>
      flush().catch((error: unknown) => {
        log.warn({ err: error }, 'refused calls were not written down, it is tried again');
        flushLater();
      }),

    async close(): Promise<void> {
      await flush();
      clearTimeout(timer);
    },
  };
};

export type Refusals = ReturnType<typeof createRefusals>;
