import { queryOptions } from '@tanstack/react-query';
import { fetchAuthorised } from '../../../../shared/api/client.ts';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { ownerFile } from '../../../api/files/queries.ts';
import { queryClient } from '../../../../shared/api/query-client.ts';
import { decodeText, readFirstBytes } from './text-decoder.ts';

export const EXCERPT_MAX_BYTES = 200_000;

export const textExcerpt = ({ file: { fileId, status }, sha256 }: OwnerFile) =>
  queryOptions({
    queryKey: ['file-text', fileId, sha256],
    queryFn: async ({ signal }) => {
      if (status.size === 0) return '';
      const { file } = await queryClient.fetchQuery(ownerFile(fileId));
      const headers = { range: `bytes=0-${EXCERPT_MAX_BYTES - 1}` };
      const { body } = await fetchAuthorised(file.contentUrl ?? '', { signal, headers });
      return body === null ? '' : decodeText(await readFirstBytes(body, EXCERPT_MAX_BYTES));
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
