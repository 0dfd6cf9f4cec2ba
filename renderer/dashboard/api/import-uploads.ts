import { call } from '../../shared/api/client.ts';
import type { ImportJob } from '../../shared/api/contract.ts';
import { sendInChunks } from '../../shared/api/chunk-sender.ts';
import { type Problem, toProblem } from '../../shared/api/problem.ts';
import { imports, importJob } from './queries.ts';
import { queryClient } from '../../shared/api/query-client.ts';
import { createStore } from '../../shared/api/store.ts';

// Import uploads. Their state lives outside the pages, so they continue while the owner navigates.

/** Chunk size: large enough to be fast, small enough that an interruption loses little. */
const CHUNK_BYTES = 8_000_000;
/** Weight of the previous average in the moving average. */
const SPEED_SMOOTHING = 0.7;

interface ImportUpload {
  readonly importId: string;
  /** All files of the import, concatenated. The browser reads them from disk as they are sent. */
  readonly content: Blob;
  readonly received: number;
  readonly state: 'sending' | 'paused' | 'stopped' | 'sent';
  /** Moving average in bytes per second. */
  readonly speed: number;
  readonly problem: Problem | undefined;
}

const uploads = createStore<ReadonlyMap<string, ImportUpload>>(new Map());
const runningUploads = new Map<string, AbortController>();

function updateUpload(importId: string, patch: Partial<ImportUpload>): void {
  const upload = uploads.get().get(importId);
  if (upload !== undefined) uploads.set(new Map(uploads.get()).set(importId, { ...upload, ...patch }));
}

function cacheJob(job: ImportJob): void {
  queryClient.setQueryData(importJob(job.importId).queryKey, job);
}

/** @param offset in bytes; undefined to ask the PDA how many it has received */
async function sendChunks(
  importId: string,
  content: Blob,
  offset: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  let speed = 0;
  const fetchOffset = async () =>
    (await call('GET /api/v2.6/owner/imports/:importId', { params: { importId } }, signal)).received;
  const onReceived = (received: number) => updateUpload(importId, { received, speed });
  const firstOffset = offset ?? (await fetchOffset());
  onReceived(firstOffset);
  await sendInChunks({
    content,
    offset: firstOffset,
    chunkSize: CHUNK_BYTES,
    async send(body, from) {
      const startedAt = performance.now();
      const job = await call(
        'PUT /api/v2.6/owner/imports/:importId/content',
        { params: { importId }, query: { offset: from }, body },
        signal,
      );
      const currentSpeed = ((job.received - from) / Math.max(1, performance.now() - startedAt)) * 1000;
      speed = speed === 0 ? currentSpeed : SPEED_SMOOTHING * speed + (1 - SPEED_SMOOTHING) * currentSpeed;
      cacheJob(job);
      return job.received;
    },
    fetchOffset,
    onReceived,
    signal,
  });
  updateUpload(importId, { state: 'sent', received: content.size });
}

function run(importId: string, content: Blob, offset: number | undefined): void {
  const controller = new AbortController();
  runningUploads.set(importId, controller);
  sendChunks(importId, content, offset, controller.signal)
    .catch((error: unknown) => {
      if (!controller.signal.aborted) updateUpload(importId, { state: 'stopped', problem: toProblem(error) });
    })
    .finally(() => {
      if (runningUploads.get(importId) === controller) runningUploads.delete(importId);
      void queryClient.invalidateQueries({ queryKey: ['imports'] });
      void queryClient.invalidateQueries({ queryKey: ['import', importId] });
    });
}

function begin(job: ImportJob, content: Blob): void {
  uploads.set(
    new Map(uploads.get()).set(job.importId, {
      importId: job.importId,
      content,
      received: job.received,
      state: 'sending',
      speed: 0,
      problem: undefined,
    }),
  );
  run(job.importId, content, job.received);
}

/** Announces the files of one import and sends them in the background. @returns the import's id */
export async function startImportUpload(files: readonly File[]): Promise<string> {
  const announcedFiles = files.map(({ name, size }) => ({ fileName: name, size }));
  const job = await call('POST /api/v2.6/owner/imports', { body: { files: announcedFiles } });
  cacheJob(job);
  begin(job, new Blob([...files]));
  void queryClient.invalidateQueries({ queryKey: imports.queryKey });
  return job.importId;
}

/** Resumes an upload of an earlier session. @param files the files of the import, selected again */
export function resumeWithChosenFiles(job: ImportJob, files: readonly File[]): void {
  begin(job, new Blob([...files]));
}

export function pauseImportUpload(importId: string): void {
  runningUploads.get(importId)?.abort();
  updateUpload(importId, { state: 'paused' });
}

export function resumeImportUpload(importId: string): void {
  const upload = uploads.get().get(importId);
  if (upload === undefined || upload.state === 'sending') return;
  updateUpload(importId, { state: 'sending', problem: undefined, speed: 0 });
  run(importId, upload.content, undefined);
}

export function discardImportUpload(importId: string): void {
  runningUploads.get(importId)?.abort();
  const remainingUploads = new Map(uploads.get());
  remainingUploads.delete(importId);
  uploads.set(remainingUploads);
}

export function useImportUpload(importId: string): ImportUpload | undefined {
  return uploads.useValue().get(importId);
}
