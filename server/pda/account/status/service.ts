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
   * Figures by the titles of the reference; `Owner Email` only when the profile has one. Record storage and its limits (ours) come last, with an
   * entry for each of the creators that store most. Sizes are in bytes.
   */
  status(): Promise<StatusEntry[]>;
};

export const createSystemService = (parts: {
  database: string;
  home: string;
  owner: OwnerService;
  /** The e-mail address of the owner's profile; undefined when there is none. */
  ownerEmail: () => Promise<string | undefined>;
  clock: Clock;
  /** Of the files. */
  quota: Pick<FileService['disk']['quota'], 'used' | 'limit' | 'free'>;
  recordQuota: Omit<RecordQuota, 'charge'>;
}): SystemService => {
  const bytes = (title: string, metric: number): StatusEntry => ({
    title,
    kind: { kind: 'Numeric', metric, units: 'B' },
  });

  const share = (title: string, used: number, all: number): StatusEntry => ({
    title,
    kind: { kind: 'Numeric', metric: all === 0 ? 0 : Math.round((1000 * used) / all) / 10, units: '%' },
  });

  const sizeOf = async (file: string): Promise<number> => {
    const found = await stat(file).catch(unlessMissing);
    return found?.size ?? 0;
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
      // What the owner allows, or the disk has, whichever is less.
      const forFiles = Math.min(parts.quota.limit() ?? Number.MAX_SAFE_INTEGER, filesUsed + free);
      const { recordQuota } = parts;
      // The newest session is the one that asks; the one before it is the previous login.
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
        bytes('File Storage', forFiles),
        bytes('Database Storage Used', used),
        bytes('File Storage Used', filesUsed),
        share('Database Storage Used Share', used, used + available),
        share('File Storage Used Share', filesUsed, forFiles),
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
