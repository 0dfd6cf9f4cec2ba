import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Writer } from '../storage/index.ts';
import { addressGroup } from './rules.ts';
import type { LedgerService } from './service.ts';

/**
 * Refused calls of nobody we know. The internet tries every door all day, so these are counted together: a row for each address and hour,
 * for so many addresses; whatever is beyond goes into one row. Kept in memory for a moment; only a kill can lose what came in it.
 */

/** What was tried, and how it was refused. */
export type Try = { action: string; status: number; reason: string };

const HOUR_MS = 3_600_000;
/** Rows of addresses in an hour. */
const MAX_ROWS = 100;
export const OTHERS = 'others';
const FLUSH_AFTER_MS = 2000;

type Counted = Try & { address: string; hour: number; first: number; pending: number; row: number | undefined };

export const createStrangers = (parts: {
  ledger: Pick<LedgerService, 'record' | 'addCount' | 'visitorsSince'>;
  writer: Writer;
  clock: Clock;
  log: Log;
}) => {
  const { ledger, writer, clock, log } = parts;
  let counts = new Map<string, Counted>();
  let hour = -1;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const keyOf = ({ action, reason, address }: Omit<Counted, 'status'>): string => `${action}\n${reason}\n${address}`;

  /** A new hour begins, or the first one after a start: then what it has already is in the ledger. */
  const turnTo = (now: number): void => {
    hour = now;
    const before = [...counts].filter(([, entry]) => entry.pending > 0);
    counts = new Map(before.map(([key, entry]) => [entry.hour === now ? key : `${entry.hour}\n${key}`, entry]));
    for (const found of ledger.visitorsSince(now * HOUR_MS)) {
      const entry = { ...found, hour: now, first: found.time, pending: 0 };
      const counting = counts.get(keyOf(entry));
      if (counting === undefined) counts.set(keyOf(entry), entry);
      else counting.row ??= found.row;
    }
  };

  const write = async (): Promise<void> => {
    const waiting = [...counts.values()].filter((entry) => entry.pending > 0);
    if (waiting.length === 0) return;
    await writer.write((tx) => {
      for (const entry of waiting) {
        const { action, status, reason, address, pending, first } = entry;
        const { row } = entry;
        let made = row;
        if (row !== undefined) ledger.addCount(tx, row, pending);
        else {
          const who = { kind: 'visitor', name: '' } as const;
          const call = { who, action, status, reason, address, consent: null, records: new Map(), fields: null };
          made = ledger.record(tx, { ...call, bytes: 0, time: first, count: pending });
        }
        tx.afterCommit(() => {
          entry.row = made;
          entry.pending -= pending;
        });
      }
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
        log.warn({ err: error }, 'refused calls of strangers were not written down, it is tried again');
        flushLater();
      });
    }, FLUSH_AFTER_MS).unref();
  };

  return {
    count(tried: Try, from: string): void {
      const first = clock.now();
      const now = Math.floor(first / HOUR_MS);
      if (now !== hour) turnTo(now);
      const entry = { ...tried, address: addressGroup(from), hour, first, pending: 1, row: undefined };
      let known = counts.get(keyOf(entry));
      if (known === undefined && counts.size >= MAX_ROWS) {
        entry.address = OTHERS;
        known = counts.get(keyOf(entry));
      }
      if (known === undefined) counts.set(keyOf(entry), entry);
      else known.pending += 1;
      flushLater();
    },

    /** Writes down what was counted so far. */
    flush,

    /** The same for who is about to look: what cannot be written now is no reason to show nothing. */
    settle: (): Promise<void> =>
      flush().catch((error: unknown) => {
        log.warn({ err: error }, 'refused calls of strangers were not written down, it is tried again');
        flushLater();
      }),

    async close(): Promise<void> {
      await flush();
      clearTimeout(timer);
    },
  };
};

export type Strangers = ReturnType<typeof createStrangers>;
