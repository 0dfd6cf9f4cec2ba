import type { Source } from 'pmtiles';
import { fetchAuthorised } from '../../../../../../shared/api/client.ts';
import type { OwnerFile } from '../../../../../../shared/api/contract.ts';
import { toProblem } from '../../../../../../shared/api/problem.ts';
import { queryClient } from '../../../../../../shared/api/query-client.ts';
import { ownerFile } from '../../../../../api/files/queries.ts';
import { DetailError, type DetailProblem } from './problem.ts';
import { rangeHeader } from './rules.ts';

export interface MapFileSource extends Source {
  /** Returns the cause of the last failed read; undefined if no read failed. */
  lastProblem: () => DetailProblem | undefined;
}

/** @throws {Problem} if the PDA refuses the request or does not respond; if `signal` aborts, its abort error */
async function fetchRange(fileId: string, range: string, signal: AbortSignal | undefined): Promise<Response> {
  const request = async (options: { staleTime?: number }): Promise<Response> => {
    const { file } = await queryClient.fetchQuery({ ...ownerFile(fileId), ...options });
    return fetchAuthorised(file.contentUrl ?? '', {
      headers: { range },
      // Signed URLs change every few minutes, so the browser would cache ranges that it never uses again.
      cache: 'no-store',
      ...(signal === undefined ? {} : { signal }),
    });
  };
  try {
    return await request({});
  } catch (error) {
    // The signed URL has expired, for example while the computer was asleep.
    if (toProblem(error).status !== 403) throw error;
    return request({ staleTime: 0 });
  }
}

const problemOf = (error: unknown): DetailProblem => {
  if (error instanceof DetailError) return error.problem;
  const { status } = toProblem(error);
  return status === 404 || status === 416 ? 'changed' : 'unreachable';
};

/**
 * Creates a source for one version of a file. Its reads throw a `DetailError` if they fail or if the content has
 * changed, because parts of two versions do not fit together. An aborted read throws its abort error.
 */
export function createMapFileSource({ file: { fileId, status }, sha256 }: OwnerFile): MapFileSource {
  const size = status.size ?? 0;
  let lastProblem: DetailProblem | undefined;

  const read = async (offset: number, length: number, signal: AbortSignal | undefined): Promise<ArrayBuffer> => {
    const response = await fetchRange(fileId, rangeHeader(offset, length, size), signal);
    const isCurrent = response.headers.get('etag') === `"${sha256 ?? ''}"`;
    if (response.status === 206 && isCurrent) return response.arrayBuffer();
    // The body is cancelled, because the whole file can be gigabytes in size.
    await response.body?.cancel();
    throw new DetailError(isCurrent ? 'unreachable' : 'changed');
  };

  return {
    getKey: () => `${fileId}/${sha256 ?? ''}`,
    getBytes: async (offset, length, signal) => {
      try {
        return { data: await read(offset, length, signal) };
      } catch (error) {
        if (signal?.aborted === true) throw error;
        lastProblem = problemOf(error);
        throw new DetailError(lastProblem);
      }
    },
    lastProblem: () => lastProblem,
  };
}
