import { addressGroup } from '../../../platform/limits/address-group.ts';
import { setBounded } from '../../../platform/limits/bounded-map.ts';
import type { Log } from '../../../platform/log.ts';
import type { Consent, AccessLogService, LoggedPrincipal } from '../../sharing/access-log/service.ts';
import { parseBearer, type Bearer } from './url-signature.ts';
import { ledgerEndpoint } from '../rules.ts';
import type { FileRow } from '../store.ts';

/**
 * Writes downloads by non-owners to the access log. A video player may request hundreds of ranges, so all requests with
 * one signed URL from one network share an entry. Anonymous downloads of a public file, or of a file through one share
 * link, share an entry per network and hour. Addresses are grouped by network, because one machine can own an IPv6 /64.
 */
export type DownloadLog = ReturnType<typeof createDownloadLog>;

const HOUR_MS = 3_600_000;
const OPEN_ENTRIES_MAX = 10_000;
/** Maximum number of entries per principal, file and hour. Further downloads share one more entry. */
const ENTRIES_PER_HOUR_MAX = 100;
const OTHER_NETWORKS = 'others';
const ACTION = 'GET /storage/:fileId';

/** Returns undefined for the owner, whose reads are not logged. */
const loggedPrincipalOf = (bearer: Bearer, userName: (userId: string) => string): LoggedPrincipal | undefined => {
  const { kind, id: name } = parseBearer(bearer);
  if (kind === 'application') return { kind, name };
  if (kind === 'user') return { kind, name, person: userName(name) };
  return kind === 'public' || kind === 'link' ? { kind: 'visitor', name: '' } : undefined;
};

export const createDownloadLog = (parts: {
  ledger: Pick<AccessLogService, 'write' | 'complete'>;
  approvedVersion: (application: string) => string;
  userName: (userId: string) => string;
  linkName: (linkId: string) => string;
  now: () => number;
  log: Log;
}) => {
  const { ledger, now, log } = parts;

  const consentOf = (bearer: Bearer): Consent | null => {
    const { kind, id: name } = parseBearer(bearer);
    if (kind === 'application') return { kind, name, detail: parts.approvedVersion(name) };
    return kind === 'link' ? { kind, name, detail: parts.linkName(name) } : null;
  };

  const openEntries = new Map<string, Promise<{ id: number; bytes: number }>>();
  const entryCounts = new Map<string, number>();
  let currentHour = 0;

  return {
    /**
     * Writes a download to the access log, unless it is by the owner. Resolves when the entry is durable. `count` adds
     * sent bytes to the entry.
     */
    async begin(download: { row: FileRow; bearer: Bearer; signature: string; address: string }): Promise<{
      count(bytes: number): void;
    }> {
      const { row, bearer, signature, address } = download;
      const principal = loggedPrincipalOf(bearer, parts.userName);
      if (principal === undefined) return { count: () => undefined };
      const hour = Math.floor(now() / HOUR_MS);
      if (hour !== currentHour) entryCounts.clear();
      currentHour = hour;
      const { kind, id } = parseBearer(bearer);
      const fileKey = `${row.seq} ${kind}:${id} ${hour}`;
      const urlKey = principal.kind === 'visitor' ? fileKey : signature;
      const entryCount = entryCounts.get(fileKey) ?? 0;
      const network = addressGroup(address);
      const isNew = !openEntries.has(`${urlKey} ${network}`);
      const entryAddress = isNew && entryCount >= ENTRIES_PER_HOUR_MAX ? OTHER_NETWORKS : network;
      const key = entryAddress === OTHER_NETWORKS ? `${fileKey} ${OTHER_NETWORKS}` : `${urlKey} ${network}`;
      let entry = openEntries.get(key);
      if (entry === undefined) {
        entry = ledger
          .write({
            who: principal,
            action: ACTION,
            status: 200,
            reason: null,
            consent: consentOf(bearer),
            records: new Map([[ledgerEndpoint(row.source), [row.seq]]]),
            fields: null,
            bytes: 0,
            address: entryAddress,
          })
          .then((entryId) => ({ id: entryId, bytes: 0 }));
        setBounded(openEntries, key, entry, OPEN_ENTRIES_MAX);
        entryCounts.set(fileKey, entryCount + 1);
        // After a failed write the next request tries again.
        entry.catch(() => openEntries.delete(key));
      }
      const storedEntry = await entry;
      return {
        count(bytes) {
          storedEntry.bytes += bytes;
          ledger.complete(storedEntry.id, storedEntry.bytes).catch((error: unknown) => {
            log.warn(
              { err: error },
              'the byte count of a download could not be stored; the access log shows too few bytes',
            );
          });
        },
      };
    },
  };
};
