import { statfs, stat } from 'node:fs/promises';
import type { Clock } from '../../../platform/clock.ts';
import { ignoreMissing } from '../../../platform/io/file-system.ts';
import type { FileService } from '../../files/service.ts';
import type { OwnerService } from '../../identity/owner/service.ts';
import { STATUS_RECORD_CREATORS_MAX } from '../../../wire/limits.ts';
import type { RecordQuota } from '../../data/records/service.ts';
import { formatRelativeTime } from './relative-time.ts';

export type StatusEntry = {
  title: string;
  kind: { kind: 'Numeric' | 'Text'; metric: string | number; units?: string };
};

export type SystemService = ReturnType<typeof createSystemService>;

export const createSystemService = (parts: {
  database: string;
  home: string;
  owner: Pick<OwnerService, 'previousSignIn'>;
  readOwnerEmail: () => Promise<string | undefined>;
  clock: Clock;
  quota: Pick<FileService['disk']['quota'], 'getUsedBytes' | 'limit' | 'freeDiskBytes'>;
  recordQuota: Omit<RecordQuota, 'charge'>;
}) => {
  const createSizeEntry = (title: string, metric: number): StatusEntry => ({
    title,
    kind: { kind: 'Numeric', metric, units: 'B' },
  });

  const createShareEntry = (title: string, used: number, total: number): StatusEntry => ({
    title,
    kind: { kind: 'Numeric', metric: total === 0 ? 0 : Math.round((1000 * used) / total) / 10, units: '%' },
  });

  const sizeOf = async (file: string): Promise<number> => {
    const stats = await stat(file).catch(ignoreMissing);
    return stats?.size ?? 0;
  };

  return {
    /**
     * Returns figures with the titles of the original implementation, then figures about record storage, which the
     * original does not have. Sizes are in bytes.
     * @param sessionId requesting session. The previous login is the sign-in before the one of this session
     */
    async status(sessionId: string): Promise<StatusEntry[]> {
      const [database, wal, disk, freeBytes] = await Promise.all([
        sizeOf(parts.database),
        sizeOf(`${parts.database}-wal`),
        statfs(parts.home),
        parts.quota.freeDiskBytes(),
      ]);
      const databaseUsed = database + wal;
      const availableBytes = disk.bavail * disk.bsize;
      const filesUsed = parts.quota.getUsedBytes();
      // The smaller of the owner's limit and the disk space.
      const fileCapacity = Math.min(parts.quota.limit() ?? Number.MAX_SAFE_INTEGER, filesUsed + freeBytes);
      const { recordQuota } = parts;
      const email = await parts.readOwnerEmail();
      return [
        {
          title: 'Previous Login',
          kind: {
            kind: 'Text',
            metric: formatRelativeTime(parts.owner.previousSignIn(sessionId), parts.clock.now()),
          },
        },
        ...(email === undefined ? [] : [{ title: 'Owner Email', kind: { kind: 'Text' as const, metric: email } }]),
        createSizeEntry('Database Storage', databaseUsed + availableBytes),
        createSizeEntry('File Storage', fileCapacity),
        createSizeEntry('Database Storage Used', databaseUsed),
        createSizeEntry('File Storage Used', filesUsed),
        createShareEntry('Database Storage Used Share', databaseUsed, databaseUsed + availableBytes),
        createShareEntry('File Storage Used Share', filesUsed, fileCapacity),
        createSizeEntry('Record Storage Limit', recordQuota.limit()),
        createSizeEntry('Record Storage Used', recordQuota.getUsedBytes()),
        createSizeEntry('Record Storage Limit per Application', recordQuota.perApplication),
        ...recordQuota
          .listLargest(STATUS_RECORD_CREATORS_MAX)
          .map((usage) => createSizeEntry(`Record Storage Used by ${usage.name}`, usage.bytes)),
      ];
    },
  };
};
