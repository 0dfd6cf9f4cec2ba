import { setBounded } from '../../../platform/limits/bounded-map.ts';
import type { Log } from '../../../platform/log.ts';
import type { LedgerService, Party } from '../../sharing/access-log/service.ts';
import { bearerParts, type Bearer } from './url-signature.ts';
import { ledgerEndpoint } from '../service.ts';
import type { FileRow } from '../store.ts';

/**
 * Who fetched what, for the ledger. A video is fetched in a hundred pieces and a public picture by anybody: what is fetched by one signed address is
 * one row, and of a public file what comes from one address on the network within an hour.
 */
export type FetchNotes = {
  /** The row is on the disk when this resolves; `count` adds the bytes that leave. */
  begin(fetch: {
    row: FileRow;
    by: Bearer;
    signature: string;
    address: string;
  }): Promise<{ count(bytes: number): void }>;
};

const HOUR_MS = 3_600_000;
/** Rows that may still grow. */
const MAX_OPEN = 10_000;
/** Rows of one bearer of one file in an hour. Who has addresses without end adds to one more row. */
const MAX_ROWS = 100;
const OTHERS = 'others';
const ACTION = 'GET /storage/:fileId';

const partyOf = (by: Bearer, personName: (userId: string) => string): Party | undefined => {
  const { kind, id: name } = bearerParts(by);
  if (kind === 'application') return { kind, name };
  if (kind === 'user') return { kind, name, person: personName(name) };
  return kind === 'public' ? { kind: 'visitor', name: '' } : undefined;
};

export const createFetchNotes = (parts: {
  ledger: Pick<LedgerService, 'write' | 'complete'>;
  /** The version of an application that the owner approved. */
  approvedVersion: (application: string) => string;
  /** What a person is called who has an account here. */
  personName: (userId: string) => string;
  /** The network of an address: one machine may have more addresses in it than the ledger has room. */
  networkOf: (address: string) => string;
  now: () => number;
  log: Log;
}): FetchNotes => {
  const { ledger, networkOf, now, log } = parts;
  const open = new Map<string, Promise<{ id: number; bytes: number }>>();
  /** Rows of this hour, by file and bearer. */
  const made = new Map<string, number>();
  let hour = 0;

  return {
    async begin({ row, by, signature, address }) {
      const who = partyOf(by, parts.personName);
      // The owner's own looks leave no trace, here as everywhere.
      if (who === undefined) return { count: () => undefined };
      const current = Math.floor(now() / HOUR_MS);
      if (current !== hour) made.clear();
      hour = current;
      const file = `${row.seq} ${who.kind}:${who.name} ${hour}`;
      const source = who.kind === 'visitor' ? file : signature;
      const count = made.get(file) ?? 0;
      const network = networkOf(address);
      const isNew = !open.has(`${source} ${network}`);
      const from = isNew && count >= MAX_ROWS ? OTHERS : network;
      const key = from === OTHERS ? `${file} ${OTHERS}` : `${source} ${network}`;
      let entry = open.get(key);
      if (entry === undefined) {
        entry = ledger
          .write({
            who,
            action: ACTION,
            status: 200,
            reason: null,
            consent:
              who.kind === 'application'
                ? { kind: 'application', name: who.name, detail: parts.approvedVersion(who.name) }
                : null,
            records: new Map([[ledgerEndpoint(row.source), [row.seq]]]),
            fields: null,
            bytes: 0,
            address: from,
          })
          .then((id) => ({ id, bytes: 0 }));
        setBounded(open, key, entry, MAX_OPEN);
        made.set(file, count + 1);
        // What could not be written down is tried again by the next.
        entry.catch(() => open.delete(key));
      }
      const noted = await entry;
      return {
        count(bytes) {
          noted.bytes += bytes;
          ledger.complete(noted.id, noted.bytes).catch((error: unknown) => {
            log.warn({ err: error }, 'the bytes of a fetched file were not written down');
          });
        },
      };
    },
  };
};
