import { useSyncExternalStore } from 'react';
import { call } from '../../shared/api/client.ts';
import type { ImportJob } from '../../shared/api/contract.ts';
import { sendPieces } from '../../shared/api/chunk-sender.ts';
import { type Problem, toProblem } from '../../shared/api/problem.ts';
import { imports, importJob } from './queries.ts';
import { queryClient } from '../../shared/api/query-client.ts';

/** Uploads of import files. They live outside the pages: one may leave and come back while they go on. */

/** Bytes sent in one piece: large enough to be quick, small enough that a break loses little. */
const CHUNK_BYTES = 8_000_000;

export interface ImportUpload {
  readonly importId: string;
  /** The contents of all its files, one after another: the disk is read as they are sent. */
  readonly content: Blob;
  readonly received: number;
  readonly state: 'sending' | 'paused' | 'stopped' | 'sent';
  /** Bytes per second, lately. */
  readonly speed: number;
  readonly problem: Problem | undefined;
}

let uploads: ReadonlyMap<string, ImportUpload> = new Map();
const running = new Map<string, AbortController>();
const listeners = new Set<() => void>();

function change(importId: string, patch: Partial<ImportUpload>): void {
  const upload = uploads.get(importId);
  if (upload === undefined) return;
  uploads = new Map(uploads).set(importId, { ...upload, ...patch });
  for (const listener of listeners) listener();
}

function keep(job: ImportJob): void {
  queryClient.setQueryData(importJob(job.importId).queryKey, job);
}

async function sendChunks(importId: string, content: Blob, signal: AbortSignal): Promise<void> {
  let speed = 0;
  await sendPieces({
    content,
    offset: uploads.get(importId)?.received ?? 0,
    pieceSize: CHUNK_BYTES,
    async send(body, offset) {
      const began = performance.now();
      const job = await call(
        'PUT /api/v2.6/owner/imports/:importId/content',
        { params: { importId }, query: { offset }, body },
        signal,
      );
      const now = ((job.received - offset) / Math.max(1, performance.now() - began)) * 1000;
      speed = speed === 0 ? now : 0.7 * speed + 0.3 * now;
      keep(job);
      return job.received;
    },
    received: async () =>
      (await call('GET /api/v2.6/owner/imports/:importId', { params: { importId } }, signal)).received,
    onReceived: (received) => change(importId, { received, speed }),
    signal,
  });
  change(importId, { state: 'sent', received: content.size });
}

function run(importId: string, file: Blob): void {
  const stop = new AbortController();
  running.set(importId, stop);
  sendChunks(importId, file, stop.signal)
    .catch((error: unknown) => {
      if (!stop.signal.aborted) change(importId, { state: 'stopped', problem: toProblem(error) });
    })
    .finally(() => {
      if (running.get(importId) === stop) running.delete(importId);
      void queryClient.invalidateQueries({ queryKey: ['imports'] });
      void queryClient.invalidateQueries({ queryKey: ['import', importId] });
    });
}

function begin(job: ImportJob, content: Blob): void {
  uploads = new Map(uploads).set(job.importId, {
    importId: job.importId,
    content,
    received: job.received,
    state: 'sending',
    speed: 0,
    problem: undefined,
  });
  for (const listener of listeners) listener();
  run(job.importId, content);
}

/** Announces the files of one import and starts sending them; answers the import's id at once. */
export async function startImportUpload(files: readonly File[]): Promise<string> {
  const announced = files.map(({ name, size }) => ({ fileName: name, size }));
  const job = await call('POST /api/v2.6/owner/imports', { body: { files: announced } });
  keep(job);
  begin(job, new Blob([...files]));
  void queryClient.invalidateQueries({ queryKey: imports.queryKey });
  return job.importId;
}

/** Goes on with an upload of an earlier visit, once its files were chosen again. */
export function continueImportUpload(job: ImportJob, files: readonly File[]): void {
  begin(job, new Blob([...files]));
}

export function pauseImportUpload(importId: string): void {
  running.get(importId)?.abort();
  change(importId, { state: 'paused' });
}

export async function resumeImportUpload(importId: string): Promise<void> {
  const upload = uploads.get(importId);
  if (upload === undefined || upload.state === 'sending') return;
  change(importId, { state: 'sending', problem: undefined, speed: 0 });
  try {
    const job = await call('GET /api/v2.6/owner/imports/:importId', { params: { importId } });
    change(importId, { received: job.received });
    run(importId, upload.content);
  } catch (error) {
    change(importId, { state: 'stopped', problem: toProblem(error) });
  }
}

export function discardImportUpload(importId: string): void {
  running.get(importId)?.abort();
  const rest = new Map(uploads);
  rest.delete(importId);
  uploads = rest;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useImportUpload(importId: string): ImportUpload | undefined {
  return useSyncExternalStore(subscribe, () => uploads.get(importId));
}
