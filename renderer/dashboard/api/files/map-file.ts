import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { queryClient } from '../../../shared/api/query-client.ts';

export const MAP_FILES_MAX = 100;
const EXTENSION = '.pmtiles';

/** Query of the map file that the owner chose; null if none is chosen. The file may have been deleted since. */
export const chosenMapFile = queryOptions({
  queryKey: ['files', 'map-file'],
  queryFn: async ({ signal }) => (await call('GET /api/v2.6/owner/map-file', {}, signal)).file,
});

/** @param fileId null to choose no file */
export async function chooseMapFile(fileId: string | null): Promise<void> {
  const { file } = await call('PUT /api/v2.6/owner/map-file', { body: { fileId } });
  queryClient.setQueryData(chosenMapFile.queryKey, file);
}

/** Query of at most `MAP_FILES_MAX` files with the extension of map files, newest first. */
export const mapFiles = queryOptions({
  queryKey: ['files', 'map-files'],
  queryFn: async ({ signal }) => {
    const { files } = await call(
      'GET /api/v2.6/owner/files',
      { query: { search: EXTENSION, sort: 'added', order: 'descending', take: MAP_FILES_MAX } },
      signal,
    );
    return files.filter(({ file: { name } }) => name.toLowerCase().endsWith(EXTENSION));
  },
});
