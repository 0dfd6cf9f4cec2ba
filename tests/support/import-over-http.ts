import { importJobSchema, type ImportJob } from '../../server/wire/imports.ts';
import type { Call, Reply } from './http.ts';
import { until } from './server-process.ts';

/** A server that accepts the owner's requests: a process, or one in this process. */
export type Callable = { call(method: string, path: string, call?: Call): Promise<Reply> };

const IMPORTS = '/api/v2.6/owner/imports';

export const jobOf = (reply: Reply): ImportJob => importJobSchema.parse(reply.json);

export const announce = async (pda: Callable, fileName: string, size: number): Promise<ImportJob> =>
  jobOf(await pda.call('POST', IMPORTS, { json: { fileName, size } }));

export const sendPiece = (pda: Callable, id: string, offset: number, piece: Buffer): Promise<Reply> =>
  pda.call('PUT', `${IMPORTS}/${id}/content?offset=${offset}`, {
    body: piece,
    headers: { 'content-type': 'application/octet-stream' },
  });

/** Announces a file and sends it in pieces. */
export const upload = async (
  pda: Callable,
  fileName: string,
  content: Buffer,
  pieceBytes = 1_000_000,
): Promise<ImportJob> => {
  let job = await announce(pda, fileName, content.length);
  while (job.received < content.length) {
    const piece = content.subarray(job.received, job.received + pieceBytes);
    job = jobOf(await sendPiece(pda, job.importId, job.received, piece));
  }
  return job;
};

export const runUploaded = (pda: Callable, id: string, request: object): Promise<Reply> =>
  pda.call('POST', `${IMPORTS}/${id}/run`, { json: request });

export const lookAt = async (pda: Callable, id: string): Promise<ImportJob> =>
  jobOf(await pda.call('GET', `${IMPORTS}/${id}`));

export const ofImport = (pda: Callable, id: string, what: 'cancel' | 'undo'): Promise<Reply> =>
  pda.call('POST', `${IMPORTS}/${id}/${what}`);

/** Waits until an import is not running any more. */
export const endOfImport = (pda: Callable, id: string, limitMs = 60_000): Promise<ImportJob> =>
  until(
    async () => {
      const job = await lookAt(pda, id);
      return job.state === 'running' ? undefined : job;
    },
    'the import ended',
    limitMs,
  );

/** All data of an endpoint as an export hands it out, a line for each record. */
export const exported = async (
  pda: Callable,
  endpoint: string,
  format: 'ndjson' | 'csv' = 'ndjson',
): Promise<string> => {
  const ticket = await pda.call('POST', '/api/v2.6/owner/exports', { json: { endpoint, format } });
  const { url } = ticket.json as { url: string };
  return (await pda.call('GET', url)).text;
};
