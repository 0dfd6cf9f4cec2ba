import { queryOptions } from '@tanstack/react-query';
import type { Backup, BackupChange, Restorable } from '../../server/wire/backup.ts';
import { call } from './client.ts';
import { queryClient } from './queries.ts';

/** Backups, and what was proven of them. The key is the topic by which the PDA tells of changes. */

export type { Backup, BackupEvery, BackupProof, Restorable } from '../../server/wire/backup.ts';

/** Milliseconds. Events tell of it too; a line that broke must not leave a picture standing still. */
const LOOK_EVERY = 3000;

export const backup = queryOptions({
  queryKey: ['backup'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/backup', {}, signal),
  refetchInterval: (query) => (query.state.data?.running === null ? false : LOOK_EVERY),
});

const take = (now: Backup): Backup => {
  queryClient.setQueryData(backup.queryKey, now);
  return now;
};

/** @returns the recovery key, which is to be had this once */
export async function setUpBackup(folder: string, passphrase: string): Promise<string> {
  const done = await call('POST /api/v2.6/owner/backup/set-up', { body: { folder, passphrase } });
  take(done.backup);
  return done.recoveryKey;
}

export async function changePassphrase(passphrase: string): Promise<string> {
  const done = await call('POST /api/v2.6/owner/backup/key', { body: { passphrase } });
  take(done.backup);
  return done.recoveryKey;
}

export const changeBackup = async (body: BackupChange): Promise<Backup> =>
  take(await call('PUT /api/v2.6/owner/backup', { body }));
export const turnOffBackup = async (): Promise<Backup> => take(await call('DELETE /api/v2.6/owner/backup', {}));
export const runBackup = async (): Promise<Backup> => take(await call('POST /api/v2.6/owner/backup/run', {}));
export const runDrill = async (): Promise<Backup> => take(await call('POST /api/v2.6/owner/backup/drill', {}));

export interface RestoreFrom {
  code: string;
  from: string;
  secret: { passphrase: string } | { recoveryKey: string };
}

export const lookForBackups = (body: RestoreFrom): Promise<Restorable> =>
  call('POST /api/v2.6/owner/restore/look', { body });

export const restoreBackup = (body: RestoreFrom & { archive: string; backup: string }): Promise<{ name: string }> =>
  call('POST /api/v2.6/owner/restore', { body });
