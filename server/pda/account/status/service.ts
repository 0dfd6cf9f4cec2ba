import { statfs, stat } from 'node:fs/promises';
import type { Clock } from '../../../platform/clock.ts';
import { unlessMissing } from '../../../platform/io/file-system.ts';
import type { FileService } from '../../files/service.ts';
import type { OwnerService } from '../../identity/owner/service.ts';
import { STATUS_RECORD_CREATORS_MAX } from '../../../wire/limits.ts';
import type { RecordQuota } from '../../data/records/service.ts';
import { relativeTime } from './relative-time.ts';

export type StatusEntry = {
  title: string;
  kind: { kind: 'Numeric' | 'Text'; metric: string | number; units?: string };
};

export type SystemService = {
  /**
   * Returns figures under the titles of the reference server; `Owner Email` only if the profile has one. Record
   * storage and its limits, which the reference server does not have, come last, with an entry for each of the
   * creators that store the most. Sizes are in bytes.
   */
  status(): Promise<StatusEntry[]>;
};

export const createSystemService = (parts: {
  database: string;
  home: string;
  owner: OwnerService;
  /** Returns the e-mail address of the owner's profile; undefined if it has none. */
  ownerEmail: () => Promise<string | undefined>;
  clock: Clock;
  /** Quota of the files. */
  quota: Pick<FileService['disk']['quota'], 'used' | 'limit' | 'free'>;
  recordQuota: Omit<RecordQuota, 'charge'>;
}): SystemService => {
  const bytes = (title: string, metric: number): StatusEntry => ({
    title,
    kind: { kind: 'Numeric', metric, units: 'B' },
  });

  const share = (title: string, used: number, total: number): StatusEntry => ({
    title,
    kind: { kind: 'Numeric', metric: total === 0 ? 0 : Math.round((1000 * used) / total) / 10, units: '%' },
  });

  const sizeOf = async (file: string): Promise<number> => {
    const stats = await stat(file).catch(unlessMissing);
    return stats?.size ?? 0;
  };

  return {
    async status() {
      const [database, wal, disk, free] = await Promise.all([
        sizeOf(parts.database),
        sizeOf(`${parts.database}-wal`),
        statfs(parts.home),
        parts.quota.free(),
      ]);
      const used = database + wal;
      const available = disk.bavail * disk.bsize;
      const filesUsed = parts.quota.used();
      // The limit of the owner or the space on the disk, whichever is smaller.
      const fileCapacity = Math.min(parts.quota.limit() ?? Number.MAX_SAFE_INTEGER, filesUsed + free);
      const { recordQuota } = parts;
      // The newest session makes this request. The one before it is the previous login.
      const previous = parts.owner
        .sessions('')
        .filter((session) => session.kind === 'owner')
        .map((session) => session.created)
        .toSorted()
        .at(-2);
      const email = await parts.ownerEmail();
      return [
        {
          title: 'Previous Login',
          kind: {
            kind: 'Text',
            metric: relativeTime(previous === undefined ? undefined : Date.parse(previous), parts.clock.now()),
          },
        },
        ...(email === undefined ? [] : [{ title: 'Owner Email', kind: { kind: 'Text' as const, metric: email } }]),
        bytes('Database Storage', used + available),
        bytes('File Storage', fileCapacity),
        bytes('Database Storage Used', used),
        bytes('File Storage Used', filesUsed),
        share('Database Storage Used Share', used, used + available),
        share('File Storage Used Share', filesUsed, fileCapacity),
        bytes('Record Storage Limit', recordQuota.limit()),
        bytes('Record Storage Used', recordQuota.used()),
        bytes('Record Storage Limit per Application', recordQuota.perApplication),
        ...recordQuota
          .largest(STATUS_RECORD_CREATORS_MAX)
          .map((usage) => bytes(`Record Storage Used by ${usage.name}`, usage.bytes)),
      ];
    },
  };
};
