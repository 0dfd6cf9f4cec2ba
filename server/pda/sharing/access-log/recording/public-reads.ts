import { hash } from 'node:crypto';
import type { Clock } from '../../../../platform/clock.ts';
import { addressGroup } from '../../../../platform/limits/address-group.ts';
import { setBounded } from '../../../../platform/limits/bounded-map.ts';
import type { Writer } from '../../../storage/index.ts';
import type { Consent, LoggedPrincipal } from '../entry.ts';
import type { AccessLogService } from '../service.ts';

export type PublicRead = {
  who: LoggedPrincipal;
  action: string;
  /** Null for the public profile and for files that a guest reads. */
  consent: Consent | null;
  address: string;
  records: Map<string, number[]>;
  /** Fields in the response; null for entire records. */
  fields: readonly string[] | null;
  bytes: number;
};

const HOUR_MS = 3_600_000;
const MAX_OPEN_ROWS = 1000;
/**
 * Maximum number of rows per hour that name a network. Equal reads from all further networks share a row, so that many
 * networks cannot flood the log.
 */
const MAX_ROWS_PER_HOUR = 200;
const OTHER_NETWORKS = 'others';

/**
 * Creates the access recorder of public pages, share links and the pages of guests. Equal reads from one network in an
 * hour share a row with a count, because their number is unbounded.
 */
export const createPublicReads = (parts: {
  ledger: Pick<AccessLogService, 'write' | 'addCount'>;
  writer: Writer;
  clock: Clock;
}) => {
  const { ledger, writer, clock } = parts;
  const openRows = new Map<string, Promise<number>>();
  let hour = 0;
  let rowCount = 0;

  return {
    /** Resolves when the entry is durable. */
    async record(read: PublicRead): Promise<void> {
      const currentHour = Math.floor(clock.now() / HOUR_MS);
      if (currentHour !== hour) {
        openRows.clear();
        rowCount = 0;
      }
      hour = currentHour;
      const { who, action, consent, records, fields } = read;
      // Hashed to save memory: a page can contain 100,000 records, and up to MAX_OPEN_ROWS keys are stored.
      const readHash = hash('sha256', JSON.stringify([who, action, consent, [...records], fields]));
      const keyOfNetwork = (network: string): string => `${network} ${readHash}`;
      const network = addressGroup(read.address);
      const hasOwnRow = openRows.has(keyOfNetwork(network)) || rowCount < MAX_ROWS_PER_HOUR;
      const address = hasOwnRow ? network : OTHER_NETWORKS;
      const key = keyOfNetwork(address);
      const existing = openRows.get(key);
      if (existing !== undefined) {
        const row = await existing;
        await writer.write((tx) => ledger.addCount(tx, row, 1, clock.now()));
        return;
      }
      rowCount += 1;
      const newRow = ledger.write({ ...read, status: 200, reason: null, address });
      setBounded(openRows, key, newRow, MAX_OPEN_ROWS);
      // After a failed write, the next read writes a new row.
      newRow.catch(() => openRows.delete(key));
      await newRow;
    },
  };
};

export type PublicReads = ReturnType<typeof createPublicReads>;
