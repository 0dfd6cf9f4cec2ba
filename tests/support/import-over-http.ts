import { importJobSchema, type ImportJob } from '../../server/wire/imports.ts';
import type { Call, Reply } from './http.ts';
import { until } from './server-process.ts';

/** Sends requests as the owner to a server in this process or another one. */
export type OwnerClient = { call(method: string, path: string, call?: Call): Promise<Reply> };

const IMPORTS = '/api/v2.6/owner/imports';

export const parseImportJob = (reply: Reply): ImportJob => importJobSchema.parse(reply.json);

export const announceImport = async (pda: OwnerClient, fileName: string, size: number): Promise<ImportJob> =>
  parseImportJob(await pda.call('POST', IMPORTS, { json: { fileName, size } }));

export const sendImportChunk = (pda: OwnerClient, id: string, offset: number, chunk: Buffer): Promise<Reply> =>
  pda.call('PUT', `${IMPORTS}/${id}/content?offset=${offset}`, {
    body: chunk,
    headers: { 'content-type': 'application/octet-stream' },
  });

/** Announces a file and uploads it in chunks. */
export const uploadImport = async (
  pda: OwnerClient,
  fileName: string,
  content: Buffer,
  chunkBytes = 1_000_000,
): Promise<ImportJob> => {
  let job = await announceImport(pda, fileName, content.length);
  while (job.received < content.length) {
    const chunk = content.subarray(job.received, job.received + chunkBytes);
    job = parseImportJob(await sendImportChunk(pda, job.importId, job.received, chunk));
  }
  return job;
};

export const startImport = (pda: OwnerClient, id: string, request: object): Promise<Reply> =>
  pda.call('POST', `${IMPORTS}/${id}/run`, { json: request });

export const readImportJob = async (pda: OwnerClient, id: string): Promise<ImportJob> =>
  parseImportJob(await pda.call('GET', `${IMPORTS}/${id}`));

export const postToImport = (pda: OwnerClient, id: string, action: 'cancel' | 'undo' | 'dismiss'): Promise<Reply> =>
  pda.call('POST', `${IMPORTS}/${id}/${action}`);

/** Waits until an import is no longer running. */
export const waitForImport = (pda: OwnerClient, id: string, limitMs?: number): Promise<ImportJob> =>
  until(
    async () => {
      const job = await readImportJob(pda, id);
      return job.state === 'running' ? undefined : job;
    },
    'the import ended',
    limitMs,
  );

/** Exports an endpoint. @returns the exported text */
export const exportEndpoint = async (
  pda: OwnerClient,
  endpoint: string,
  format: 'ndjson' | 'csv' = 'ndjson',
): Promise<string> => {
  const ticket = await pda.call('POST', '/api/v2.6/owner/exports', { json: { endpoint, format } });
  const { url } = ticket.json as { url: string };
  return (await pda.call('GET', url)).text;
};
