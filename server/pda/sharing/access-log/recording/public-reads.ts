import { hash } from 'node:crypto';
import { setBounded } from '../../../../platform/limits/bounded-map.ts';
import type { Writer } from '../../../storage/index.ts';
import type { Consent, Party } from '../entry.ts';
import type { LedgerService } from '../service.ts';

export type PublicRead = {
  who: Party;
  action: string;
  /** Null for public data and for files that a guest reads. */
  consent: Consent | null;
  address: string;
  records: Map<string, number[]>;
  /** Fields in the response; null for entire records. */
  fields: readonly string[] | null;
  bytes: number;
};

const HOUR_MS = 3_600_000;
/** Maximum number of rows whose counts can still grow. */
const MAX_OPEN_ROWS = 1000;
/**
 * Maximum number of rows per hour that name a network. Beyond it, equal reads from all other networks share a row, so
 * that reads from many networks cannot flood the log.
 */
const MAX_ROWS_PER_HOUR = 200;
/** Address in rows that all other networks share. */
const OTHER_NETWORKS = 'others';

/**
 * Creates the access recorder of public pages, share links and the pages of guests. Equal reads from one network in one
 * hour share a row with a count, because a client can request a page any number of times.
 */
export const createPublicReads = (parts: {
  ledger: Pick<LedgerService, 'write' | 'addCount'>;
  writer: Writer;
  networkOf: (address: string) => string;
  now: () => number;
}) => {
  const { ledger, writer, networkOf, now } = parts;
  const openRows = new Map<string, Promise<number>>();
  let hour = 0;
  let rowCount = 0;

  return {
    /** Resolves when the entry is durable. */
    async record(read: PublicRead): Promise<void> {
      const currentHour = Math.floor(now() / HOUR_MS);
      if (currentHour !== hour) {
        openRows.clear();
        rowCount = 0;
      }
      hour = currentHour;
      const { who, action, consent, records, fields, bytes } = read;
      // Hashed to save memory: a page can contain 100,000 records, and up to MAX_OPEN_ROWS keys are stored.
      const readHash = hash('sha256', JSON.stringify([who, action, consent, [...records], fields]));
      const keyOfNetwork = (network: string): string => `${network} ${readHash}`;
      const network = networkOf(read.address);
      const hasOwnRow = openRows.has(keyOfNetwork(network)) || rowCount < MAX_ROWS_PER_HOUR;
      const address = hasOwnRow ? network : OTHER_NETWORKS;
      const key = keyOfNetwork(address);
      const existing = openRows.get(key);
      if (existing !== undefined) {
        const row = await existing;
        await writer.write((tx) => ledger.addCount(tx, row, 1, now()));
        return;
      }
      rowCount += 1;
      const entry = ledger.write({
        who,
        action,
        status: 200,
        reason: null,
        consent,
        records,
        fields,
        bytes,
        address,
      });
      setBounded(openRows, key, entry, MAX_OPEN_ROWS);
      // After a failed write, the next read writes a new row.
      entry.catch(() => openRows.delete(key));
      await entry;
    },
  };
};

export type PublicReads = ReturnType<typeof createPublicReads>;
