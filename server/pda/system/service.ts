import { statfs, stat } from 'node:fs/promises';
import { isoTime } from '../../platform/clock.ts';
import type { OwnerService } from '../owner/service.ts';

export type StatusEntry = {
  title: string;
  kind: { kind: 'Numeric' | 'Text'; metric: string | number; units?: string };
};

export type SystemService = {
  /** The titles of the reference, as far as they mean something here. Sizes are in bytes. */
  status(): Promise<StatusEntry[]>;
};

export const createSystemService = (parts: { database: string; home: string; owner: OwnerService }): SystemService => {
  const bytes = (title: string, metric: number): StatusEntry => ({
    title,
    kind: { kind: 'Numeric', metric, units: 'B' },
  });

  const sizeOf = async (file: string): Promise<number> => {
    const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    return found?.size ?? 0;
  };

  return {
    async status() {
      const [database, wal, disk] = await Promise.all([
        sizeOf(parts.database),
        sizeOf(`${parts.database}-wal`),
        statfs(parts.home),
      ]);
      const used = database + wal;
      const available = disk.bavail * disk.bsize;
      // The newest session is the one that asks; the one before it is the previous login.
      const previous = parts.owner
        .sessions('')
        .filter((session) => session.kind === 'owner')
        .map((session) => session.created)
        .toSorted()
        .at(-2);
      return [
        {
          title: 'Previous Login',
          kind: { kind: 'Text', metric: previous === undefined ? 'Never' : isoTime(Date.parse(previous)) },
        },
        bytes('Database Storage', used + available),
        bytes('Database Storage Used', used),
        {
          title: 'Database Storage Used Share',
          kind: { kind: 'Numeric', metric: Math.round((1000 * used) / (used + available)) / 10, units: '%' },
        },
      ];
    },
  };
};
