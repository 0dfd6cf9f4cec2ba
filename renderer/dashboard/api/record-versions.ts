import { queryOptions } from '@tanstack/react-query';
import type { VersionRetention } from '../../../server/wire/record-versions.ts';
import { call } from '../../shared/api/client.ts';
import { queryClient, routeQuery } from '../../shared/api/query-client.ts';
import { record, refreshData } from './queries.ts';

// Record versions. The key of the list begins with the record's key, so that it is refetched when the record changes.

export const recordVersions = (recordId: string) =>
  routeQuery([...record(recordId).queryKey, 'versions'], 'GET /api/v2.6/owner/records/:recordId/versions', {
    params: { recordId },
  });

/** The data of a version never changes. */
export const recordVersion = (recordId: string, versionId: number) =>
  queryOptions({
    queryKey: ['record-version', recordId, versionId],
    queryFn: ({ signal }) =>
      call(
        'GET /api/v2.6/owner/records/:recordId/versions/:versionId',
        { params: { recordId, versionId: String(versionId) } },
        signal,
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Restores a version. Returns the id of the version with the replaced data; null if the data was the same. */
export async function restoreRecordVersion(
  { endpoint, recordId }: { endpoint: string; recordId: string },
  versionId: number,
): Promise<number | null> {
  const { undoVersionId } = await call('POST /api/v2.6/owner/records/:recordId/versions/:versionId/restore', {
    params: { recordId, versionId: String(versionId) },
  });
  await queryClient.invalidateQueries({ queryKey: record(recordId).queryKey });
  await refreshData(endpoint);
  return undoVersionId;
}

export const versionRetention = routeQuery(['version-retention'], 'GET /api/v2.6/owner/record-versions', {});

/** Sets for how many days versions are kept. 0 deletes all versions and keeps no new ones. */
export async function setVersionDays(days: number): Promise<VersionRetention> {
  const retention = await call('PUT /api/v2.6/owner/record-versions', { body: { days } });
  queryClient.setQueryData(versionRetention.queryKey, retention);
  await queryClient.invalidateQueries({ queryKey: ['record'] });
  return retention;
}
