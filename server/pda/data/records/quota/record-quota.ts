import { Failure } from '../../../../platform/failure.ts';
import { APPLICATION_RECORDS_MAX_BYTES } from '../../../../wire/limits.ts';
import { APPLICATION_MAX_ENDPOINTS } from '../../../../wire/work-limits.ts';
import type { Transaction } from '../../../storage/index.ts';
import type { DiskSpace } from './disk-space.ts';
import type { Origin } from '../../../core/endpoint-store.ts';
import type { ChangedUsage, Usage, UsageChange, UsageStore } from '../../../core/usage-store.ts';

export type RecordLimits = {
  /** Bytes of all records, including the owner's; null: limited by the disk only. */
  total: number | null;
  /** Bytes of the records that one application, contract or function created. */
  perApplication: number;
  /** Number of endpoints at which one application, contract or function has records. */
  endpointsPerApplication: number;
};

/** Sizes are in bytes. */
export type RecordQuota = {
  /**
   * Counts a change of stored bytes in the transaction that makes it. Never rejects a decrease, or a change by the
   * owner or an import. A record counts towards its creator, even if another application changes it.
   * @param author origin that makes the change
   * @throws Failure out_of_disk if an application, contract or function exceeds its quota of bytes or endpoints, if all
   *   records exceed the total limit, or if only the owner's reserve is left on the disk
   */
  charge(tx: Transaction, change: UsageChange, author: Origin): void;
  /**
   * Counts the bytes of versions, which belong to no quota.
   * @throws Failure out_of_disk if only the owner's reserve is left on the disk
   */
  chargeVersions(tx: Transaction, bytes: number, author: Origin): void;
  getUsedBytes(): number;
  /**
   * Returns the bytes that all records may take up: the limit in config.json, or the bytes used plus the disk space
   * above the reserve, whichever is less.
   */
  limit(): number;
  perApplication: number;
  /** Returns the applications, contracts and functions with the most bytes, largest first. */
  listLargest(count: number): Usage[];
};

/** @param limits limits in config.json */
export const recordLimitsOf = (limits: {
  recordsBytes?: number | undefined;
  applicationRecordsBytes?: number | undefined;
  applicationEndpoints?: number | undefined;
}): RecordLimits => ({
  total: limits.recordsBytes ?? null,
  perApplication: limits.applicationRecordsBytes ?? APPLICATION_RECORDS_MAX_BYTES,
  endpointsPerApplication: limits.applicationEndpoints ?? APPLICATION_MAX_ENDPOINTS,
});

const isOwnerKind = (kind: Origin['kind']): boolean => kind === 'owner' || kind === 'import';

export const createRecordQuota = (parts: { usage: UsageStore; limits: RecordLimits; disk: DiskSpace }): RecordQuota => {
  const { usage, limits, disk } = parts;

  // An application that changes the records of another application must not learn their total size.
  const requireApplicationQuota = ({ kind, name, bytes }: Usage, author: Origin, addedBytes: number): void => {
    if (bytes <= limits.perApplication) return;
    const excess =
      author.kind === kind && author.name === name
        ? `take up ${bytes - addedBytes} of ${limits.perApplication} bytes, and ${addedBytes} more`
        : `have reached their limit, and ${addedBytes} more bytes`;
    throw new Failure(
      'out_of_disk',
      `Records of the ${kind} ${name} ${excess} do not fit. ` +
        'The owner can delete some of them, or raise limits.applicationRecordsBytes in config.json. Nothing was stored.',
    );
  };

  const requireEndpointQuota = ({ kind, name, endpoints, isNewEndpoint }: ChangedUsage): void => {
    if (!isNewEndpoint || endpoints <= limits.endpointsPerApplication) return;
    throw new Failure(
      'out_of_disk',
      `The ${kind} ${name} can have records at up to ${limits.endpointsPerApplication} endpoints, and this would be one more. ` +
        'The owner can delete some of its endpoints, or raise limits.applicationEndpoints in config.json. Nothing was stored.',
    );
  };

  // The message omits the number of bytes, because most of the records are not the caller's.
  const requireTotalQuota = (author: Origin): void => {
    if (limits.total === null || usage.sumBytes() <= limits.total) return;
    throw new Failure(
      'out_of_disk',
      `The limit for all records has been reached, and data of the ${author.kind} ${author.name} does not fit. ` +
        'The owner can delete records, or raise limits.recordsBytes in config.json. Nothing was stored.',
    );
  };

  const requireDiskSpace = (author: Origin, addedBytes: number): void => {
    if (addedBytes <= disk.availableBytes()) return;
    throw new Failure(
      'out_of_disk',
      `The disk is nearly full: the last ${disk.reservedBytes()} bytes are for the owner, and ${addedBytes} bytes of the ${author.kind} ${author.name} do not fit. ` +
        'The owner can free disk space. Nothing was stored.',
    );
  };

  return {
    charge(tx, change, author) {
      const creator = usage.add(tx, change);
      if (change.bytes > 0 && !isOwnerKind(author.kind)) {
        if (creator !== undefined && !isOwnerKind(creator.kind)) {
          requireApplicationQuota(creator, author, change.bytes);
          requireEndpointQuota(creator);
        }
        requireTotalQuota(author);
        requireDiskSpace(author, change.bytes);
      }
      if (change.bytes > 0) tx.afterCommit(() => disk.use(change.bytes));
    },
    chargeVersions(tx, bytes, author) {
      if (!isOwnerKind(author.kind)) requireDiskSpace(author, bytes);
      tx.afterCommit(() => disk.use(bytes));
    },
    getUsedBytes: () => usage.sumBytes(),
    limit: () => Math.min(limits.total ?? Number.MAX_SAFE_INTEGER, usage.sumBytes() + disk.availableBytes()),
    perApplication: limits.perApplication,
    listLargest: (count) => usage.listLargest(count),
  };
};
