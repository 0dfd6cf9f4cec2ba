import { queryOptions } from '@tanstack/react-query';
import type { Backup, BackupChange, Restorable } from '../../../../server/wire/backup.ts';
import { call } from '../../../shared/api/client.ts';
import { queryClient } from '../../../shared/api/query-client.ts';

// Backups and restores. The query key equals the topic of the PDA's change events.

export type { Backup, BackupInterval, BackupProof, Restorable } from '../../../../server/wire/backup.ts';

/** Events report progress too, but a broken event stream must not freeze the display. */
const POLL_INTERVAL_MS = 3000;

export const backup = queryOptions({
  queryKey: ['backup'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/backup', {}, signal),
  refetchInterval: (query) => (query.state.data?.running === null ? false : POLL_INTERVAL_MS),
});

const cacheBackup = (state: Backup): Backup => {
  queryClient.setQueryData(backup.queryKey, state);
  return state;
};

/** @returns the recovery key, which the PDA returns only once */
export async function setUpBackup(folder: string, passphrase: string): Promise<string> {
  const response = await call('POST /api/v2.6/owner/backup/set-up', { body: { folder, passphrase } });
  cacheBackup(response.backup);
  return response.recoveryKey;
}

/** @returns the new recovery key, which the PDA returns only once */
export async function changePassphrase(passphrase: string): Promise<string> {
  const response = await call('POST /api/v2.6/owner/backup/key', { body: { passphrase } });
  cacheBackup(response.backup);
  return response.recoveryKey;
}

export const changeBackup = async (body: BackupChange): Promise<Backup> =>
  cacheBackup(await call('PUT /api/v2.6/owner/backup', { body }));
export const turnOffBackup = async (): Promise<Backup> => cacheBackup(await call('DELETE /api/v2.6/owner/backup', {}));
export const runBackup = async (): Promise<Backup> => cacheBackup(await call('POST /api/v2.6/owner/backup/run', {}));
export const runDrill = async (): Promise<Backup> => cacheBackup(await call('POST /api/v2.6/owner/backup/drill', {}));

export interface RestoreSource {
  /** One-time code of the setup URL. */
  code: string;
  from: string;
  secret: { passphrase: string } | { recoveryKey: string };
}

export const findBackups = (body: RestoreSource): Promise<Restorable> =>
  call('POST /api/v2.6/owner/restore/list', { body });

export const restoreBackup = (body: RestoreSource & { archive: string; backup: string }): Promise<{ name: string }> =>
  call('POST /api/v2.6/owner/restore', { body });
