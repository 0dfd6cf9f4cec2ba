import { useSyncExternalStore } from 'react';
import { call } from '../../../shared/api/client.ts';
import type { OwnerFile } from '../../../shared/api/contract.ts';
import { fetchUnfinishedFiles, refreshFiles } from './queries.ts';
import { type ProgressSample, estimateRemainingMs, addSample } from './upload-pace.ts';
import { type UploadTarget, FileChangedError, retryUntilAnswered, uploadFile } from './upload-sender.ts';
import { Problem, toProblem } from '../../../shared/api/problem.ts';

/** Uploads of files. They live outside the pages: one may leave and come back while they go on. */

const MAX_CONCURRENT_UPLOADS = 2;
/** Milliseconds between two pictures of the whole: a thousand small files must not draw a thousand times. */
const RENDER_INTERVAL_MS = 100;
/** Milliseconds. What could not be thrown away by then is listed as unfinished. */
const DISCARD_TIMEOUT_MS = 20_000;
/** Of those that wait and those that are done, only the next and the last few are shown one by one. */
const MAX_LISTED_UPLOADS = 20;
/** Unfinished uploads that are looked through for one to go on with. */
const MAX_UNFINISHED_UPLOADS = 1000;

export interface NewUpload extends UploadTarget {
  file: File;
}

export interface Upload extends NewUpload {
  /** Counts up; of this page only. */
  readonly id: number;
  readonly fileId: string | undefined;
  readonly received: number;
  readonly state: 'waiting' | 'sending' | 'paused' | 'failed' | 'done';
  readonly problem: Problem | 'changed' | undefined;
}

/** Everything at one moment. */
export interface UploadSummary {
  /** Being sent, or paused one by one. */
  readonly active: readonly Upload[];
  readonly failed: readonly Upload[];
  readonly next: readonly Upload[];
  readonly waiting: number;
  /** The last ones, the newest first. */
  readonly recent: readonly Upload[];
  readonly done: number;
  readonly files: number;
  readonly bytes: number;
  readonly received: number;
  /** All of them are held back. */
  readonly isPaused: boolean;
  /** The PDA does not answer at present. */
  readonly isUnreachable: boolean;
  /** Milliseconds. */
  readonly remainingMs: number | undefined;
}

const uploads = new Map<number, Upload>();
/** Those that wait, in their order. */
let queue = new Set<number>();
const running = new Map<number, AbortController>();
const silent = new Set<number>();
const listeners = new Set<() => void>();
let count = 0;
let isPaused = false;
let marks: ProgressSample[] = [];
let begunBefore: Promise<readonly OwnerFile[]> | undefined;
let drawing: ReturnType<typeof setTimeout> | undefined;

function picture(): UploadSummary {
  const active: Upload[] = [];
  const failed: Upload[] = [];
  const next: Upload[] = [];
  const finished: Upload[] = [];
  let waiting = 0;
  let bytes = 0;
  let received = 0;
  for (const upload of uploads.values()) {
    bytes += upload.file.size;
    received += upload.received;
    if (upload.state === 'waiting') {
      waiting += 1;
      if (next.length < MAX_LISTED_UPLOADS) next.push(upload);
    } else if (upload.state === 'failed') failed.push(upload);
    else if (upload.state === 'done') finished.push(upload);
    else active.push(upload);
  }
  const done = finished.length;
  const goesOn = running.size > 0;
  marks = goesOn ? addSample(marks, { at: performance.now(), bytes: received, files: done }) : [];
  return {
    active,
    failed,
    next,
    waiting,
    recent: finished.slice(-MAX_LISTED_UPLOADS).toReversed(),
    done,
    files: uploads.size,
    bytes,
    received,
    isPaused,
    isUnreachable: silent.size > 0,
    remainingMs: goesOn
      ? estimateRemainingMs(marks, { bytes: bytes - received, files: uploads.size - done - failed.length })
      : undefined,
  };
}

let drawn = picture();

function draw(): void {
  clearTimeout(drawing);
  drawing = undefined;
  drawn = picture();
  for (const listener of listeners) listener();
}

function drawSoon(): void {
  drawing ??= setTimeout(draw, RENDER_INTERVAL_MS);
}

function change(id: number, patch: Partial<Upload>): void {
  const upload = uploads.get(id);
  if (upload === undefined) return;
  uploads.set(id, { ...upload, ...patch });
  drawSoon();
}

function isOpen({ state }: Upload): boolean {
  return state === 'waiting' || state === 'sending' || state === 'paused';
}

/** Closing the tab ends what is on its way: the browser asks first. */
function askBeforeLeaving(event: BeforeUnloadEvent): void {
  if ([...uploads.values()].some(isOpen)) event.preventDefault();
}
addEventListener('beforeunload', askBeforeLeaving);

const others = {
  unfinished: (fresh: boolean): Promise<readonly OwnerFile[]> => {
    if (fresh) begunBefore = undefined;
    begunBefore ??= fetchUnfinishedFiles(MAX_UNFINISHED_UPLOADS).then(({ files }) => files);
    const asked = begunBefore;
    // A failure is reported to the caller and not cached.
    asked.catch(() => {
      if (begunBefore === asked) begunBefore = undefined;
    });
    return asked;
  },
  taken: (fileId: string): boolean => [...uploads.values()].some((upload) => upload.fileId === fileId),
};

/** No other file would fare better: out of disk, or not signed in any more. */
function stopsAll(problem: Problem): boolean {
  return problem.code === 'out_of_disk' || problem.status === 401;
}

function failed(id: number, error: unknown): void {
  if (error instanceof FileChangedError) {
    change(id, { state: 'failed', problem: 'changed' });
    return;
  }
  const problem = toProblem(error);
  change(id, { state: 'failed', problem });
  if (stopsAll(problem)) pauseUploads();
}

function run(upload: Upload): void {
  const { id } = upload;
  const stop = new AbortController();
  running.set(id, stop);
  change(id, { state: 'sending', problem: undefined });
  const reports = {
    announced: (fileId: string | undefined) => {
      change(id, { fileId });
      // Cancelled before the PDA had answered. What it then keeps shows among the unfinished ones.
      if (fileId !== undefined && !uploads.has(id)) discardUnfinished(fileId).catch(() => refreshFiles());
    },
    received: (received: number) => change(id, { received }),
    silent: (isSilent: boolean) => {
      if (isSilent === silent.has(id)) return;
      if (isSilent) silent.add(id);
      else silent.delete(id);
      drawSoon();
    },
  };
  uploadFile(upload, others, reports, stop.signal)
    .then((fileId) => change(id, { state: 'done', fileId, received: upload.file.size }))
    .catch((error: unknown) => {
      if (!stop.signal.aborted) failed(id, error);
    })
    .finally(() => {
      silent.delete(id);
      if (running.get(id) === stop) running.delete(id);
      goOn();
    });
}

/** Begins the next ones, as far as there are places. */
function goOn(): void {
  if (!isPaused) {
    for (const id of queue) {
      if (running.size >= MAX_CONCURRENT_UPLOADS) break;
      const upload = uploads.get(id);
      // One that was paused a moment ago has not let go of its call yet; it is seen to when it has.
      if (upload === undefined || running.has(id)) continue;
      queue.delete(id);
      run(upload);
    }
  }
  if (running.size === 0) {
    begunBefore = undefined;
    draw();
    void refreshFiles();
  } else drawSoon();
}

/** They begin one after the other, two at a time. */
export function startUploads(wanted: readonly NewUpload[]): void {
  // A new load begins its own count.
  if (![...uploads.values()].some(isOpen)) {
    uploads.clear();
    isPaused = false;
  }
  for (const { file, name, source, tags } of wanted) {
    count += 1;
    uploads.set(count, {
      id: count,
      file,
      name,
      source,
      tags,
      fileId: undefined,
      received: 0,
      state: 'waiting',
      problem: undefined,
    });
    queue.add(count);
  }
  goOn();
  draw();
}

export function pauseUpload(id: number): void {
  running.get(id)?.abort();
  queue.delete(id);
  change(id, { state: 'paused' });
  draw();
}

/** Before all that wait. */
function next(ids: readonly number[]): void {
  for (const id of ids) change(id, { state: 'waiting', problem: undefined });
  queue = new Set([...ids, ...queue]);
}

function idsOf(state: Upload['state']): number[] {
  return [...uploads.values()].filter((upload) => upload.state === state).map(({ id }) => id);
}

/** Goes on with these, whatever had stopped them. */
function resume(ids: readonly number[]): void {
  next(ids);
  isPaused = false;
  goOn();
  draw();
}

/** Goes on with one that is paused, or tries one again that failed. */
export function resumeUpload(id: number): void {
  resume([id]);
}

export function pauseUploads(): void {
  isPaused = true;
  for (const stop of running.values()) stop.abort();
  next(idsOf('sending'));
  draw();
}

/** Goes on with all of them, also with those that were paused one by one. */
export function resumeUploads(): void {
  resume(idsOf('paused'));
}

export function retryFailed(): void {
  resume(idsOf('failed'));
}

/** What has arrived of it is thrown away by the PDA, once it has let go of the piece that was on its way. */
export async function discardUnfinished(fileId: string): Promise<void> {
  await retryUntilAnswered(
    () => call('DELETE /api/v2.6/owner/files/file/:fileId/upload', { params: { fileId } }),
    { silent: () => undefined },
    AbortSignal.timeout(DISCARD_TIMEOUT_MS),
  );
}

async function cancel(wanted: readonly Upload[]): Promise<void> {
  for (const { id } of wanted) {
    running.get(id)?.abort();
    uploads.delete(id);
    queue.delete(id);
  }
  goOn();
  draw();
  try {
    for (const { fileId, state } of wanted)
      if (fileId !== undefined && state !== 'done') await discardUnfinished(fileId);
  } finally {
    void refreshFiles();
  }
}

export async function cancelUpload(id: number): Promise<void> {
  const upload = uploads.get(id);
  if (upload !== undefined) await cancel([upload]);
}

/** All that is not done, also what failed. */
export async function cancelUploads(): Promise<void> {
  await cancel([...uploads.values()].filter(({ state }) => state !== 'done'));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useUploads(): UploadSummary {
  return useSyncExternalStore(subscribe, () => drawn);
}

/** Whether this page has it: it is then no upload of an earlier visit. */
export function isOwnUpload(fileId: string): boolean {
  return others.taken(fileId);
}
