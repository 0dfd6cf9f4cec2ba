import { addressGroup } from '../../../../platform/limits/address-group.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { Log } from '../../../../platform/log.ts';
import type { Transaction, Writer } from '../../../storage/index.ts';
import type { AccessLogEntry, AccessLogService, RefusedRow } from '../service.ts';

// Log of refused requests. Their number is unbounded, so equal refusals in an hour share a row with a count, and the
// number of detailed rows per principal and hour is bounded. Refusals are durable when `recordRefusal` resolves;
// `count` buffers them for `FLUSH_AFTER_MS`.

const HOUR_MS = 3_600_000;
/**
 * Maximum number of rows per principal and hour that name the endpoints and the address of a refusal. Further refusals
 * share a row per action and error code. All anonymous requests count as one principal.
 */
const MAX_ROWS_PER_PRINCIPAL = 100;
const OTHERS_ADDRESS = 'others';
const FLUSH_AFTER_MS = 2000;

type Refusal = Omit<RefusedRow, 'row' | 'time'>;
type RefusalCount = Refusal & { hour: number; first: number; last: number; pending: number; row: number | undefined };

const principalOf = ({ who }: Refusal): string => JSON.stringify([who.kind, who.name]);
const keyOf = ({ who, action, reason, consent, endpoints, address }: Refusal): string =>
  JSON.stringify([who.kind, who.name, action, reason, consent, endpoints, address]);

export const createRefusals = (parts: {
  ledger: Pick<AccessLogService, 'record' | 'addCount' | 'listRefusedSince'>;
  writer: Writer;
  clock: Clock;
  log: Log;
}) => {
  const { ledger, writer, clock, log } = parts;
  let counts = new Map<string, RefusalCount>();
  const rowCounts = new Map<string, number>();
  let hour = -1;
  let timer: NodeJS.Timeout | undefined;
  let lastWrite: Promise<void> = Promise.resolve();

  const add = (key: string, entry: RefusalCount): void => {
    counts.set(key, entry);
    rowCounts.set(principalOf(entry), (rowCounts.get(principalOf(entry)) ?? 0) + 1);
  };

  /** Keeps the pending counts, and loads the rows that the log already has for the new hour, e.g. after a restart. */
  const startHour = (currentHour: number): void => {
    hour = currentHour;
    const pendingCounts = [...counts].filter(([, entry]) => entry.pending > 0);
    counts = new Map();
    rowCounts.clear();
    for (const [key, entry] of pendingCounts) add(entry.hour === currentHour ? key : `${entry.hour}\n${key}`, entry);
    for (const { row, time, ...refusal } of ledger.listRefusedSince(currentHour * HOUR_MS)) {
      const existing = counts.get(keyOf(refusal));
      if (existing !== undefined) existing.row ??= row;
      else add(keyOf(refusal), { ...refusal, hour: currentHour, first: time, last: time, pending: 0, row });
    }
  };

  const writeEntry = (tx: Transaction, entry: RefusalCount): void => {
    const { endpoints, hour: _, pending, first, last, row, ...refusal } = entry;
    let rowId = row;
    if (row !== undefined) ledger.addCount(tx, row, pending, last);
    else {
      const records = new Map(endpoints.map((endpoint) => [endpoint, []]));
      const totals = { time: first, last, count: pending };
      rowId = ledger.record(tx, { ...refusal, records, fields: null, bytes: 0, ...totals });
    }
    tx.afterCommit(() => {
      entry.row = rowId;
      entry.pending -= pending;
    });
  };

  const write = async (): Promise<void> => {
    const pending = [...counts.values()].filter((entry) => entry.pending > 0);
    if (pending.length === 0) return;
    await writer.write((tx) => {
      for (const entry of pending) writeEntry(tx, entry);
    });
  };

  /** Writes run one at a time, even after a failure, so that no row is inserted twice. */
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    lastWrite = lastWrite.then(write, write);
    return lastWrite;
  };

  const flushLater = (): void => {
    timer ??= setTimeout(() => void flushOrRetry(), FLUSH_AFTER_MS).unref();
  };

  const flushOrRetry = (): Promise<void> =>
    flush().catch((error: unknown) => {
      log.warn({ err: error }, 'counts of refused requests were not written; retrying');
      flushLater();
    });

  const addRefusal = (refusal: Refusal): void => {
    const time = clock.now();
    const currentHour = Math.floor(time / HOUR_MS);
    if (currentHour !== hour) startHour(currentHour);
    let countedRefusal = refusal;
    let existing = counts.get(keyOf(countedRefusal));
    if (existing === undefined && (rowCounts.get(principalOf(refusal)) ?? 0) >= MAX_ROWS_PER_PRINCIPAL) {
      countedRefusal = { ...refusal, consent: null, endpoints: [], address: OTHERS_ADDRESS };
      existing = counts.get(keyOf(countedRefusal));
    }
    if (existing === undefined) {
      add(keyOf(countedRefusal), { ...countedRefusal, hour, first: time, last: time, pending: 1, row: undefined });
    } else {
      existing.pending += 1;
      existing.last = time;
    }
  };

  return {
    /** Counts a refused anonymous request. The count is written within seconds. */
    count({ action, status, reason }: Pick<Refusal, 'action' | 'status' | 'reason'>, address: string): void {
      const who = { kind: 'visitor', name: '' } as const;
      addRefusal({ who, action, status, reason, consent: null, endpoints: [], address: addressGroup(address) });
      flushLater();
    },

    /** Logs a refused request. Resolves when the entry is durable. */
    async recordRefusal(entry: AccessLogEntry & { reason: string }): Promise<void> {
      const { who, action, status, reason, consent, records, address } = entry;
      addRefusal({ who, action, status, reason, consent, endpoints: [...records.keys()].toSorted(), address });
      await flush().catch((error: unknown) => {
        flushLater();
        throw error;
      });
    },

    flush,

    /** Writes pending counts before a read. A failed write does not prevent the read. */
    flushBeforeRead: flushOrRetry,

    async close(): Promise<void> {
      await flush();
      clearTimeout(timer);
    },
  };
};

export type Refusals = ReturnType<typeof createRefusals>;
