import { hash } from 'node:crypto';
import { setBounded } from '../../../platform/limits/bounded-map.ts';
import type { LedgerService, Party } from '../../sharing/access-log/service.ts';
import type { Writer } from '../../storage/index.ts';

/** A read of the public profile, for the ledger. */
export type Visit = {
  who: Party;
  action: string;
  address: string;
  /** Places of the records that were in it, by endpoint. */
  records: Map<string, number[]>;
  /** Null: entire records. */
  fields: readonly string[] | null;
  bytes: number;
};

const HOUR_MS = 3_600_000;
/** Rows that may still grow. */
const MAX_OPEN = 1000;
/** Rows of one hour. Who has addresses without end adds to one more. */
const MAX_ROWS = 200;
const OTHERS = 'others';

/**
 * What comes from one network within an hour and gets the same is one row, which counts: a page that is public can be asked for by anybody, as
 * often as they like.
 */
export const createVisits = (parts: {
  ledger: Pick<LedgerService, 'write' | 'addCount'>;
  writer: Writer;
  /** The network of an address. */
  networkOf: (address: string) => string;
  now: () => number;
}) => {
  const { ledger, writer, networkOf, now } = parts;
  const open = new Map<string, Promise<number>>();
  let hour = 0;
  let rows = 0;

  return {
    /** On the disk when this resolves. */
    async note(visit: Visit): Promise<void> {
      const current = Math.floor(now() / HOUR_MS);
      if (current !== hour) {
        open.clear();
        rows = 0;
      }
      hour = current;
      const { who, action, records, fields, bytes } = visit;
      // A page can be of a hundred thousand records, and a thousand of these are kept.
      const what = hash('sha256', JSON.stringify([who, action, [...records], fields]));
      const keyOf = (network: string): string => `${network} ${what}`;
      const own = networkOf(visit.address);
      const address = open.has(keyOf(own)) || rows < MAX_ROWS ? own : OTHERS;
      const key = keyOf(address);
      const known = open.get(key);
      if (known !== undefined) {
        const row = await known;
        await writer.write((tx) => ledger.addCount(tx, row, 1, now()));
        return;
      }
      rows += 1;
      const entry = ledger.write({
        who,
        action,
        status: 200,
        reason: null,
        consent: null,
        records,
        fields,
        bytes,
        address,
      });
      setBounded(open, key, entry, MAX_OPEN);
      // What could not be written down is tried again by the next.
      entry.catch(() => open.delete(key));
      await entry;
    },
  };
};

export type Visits = ReturnType<typeof createVisits>;
