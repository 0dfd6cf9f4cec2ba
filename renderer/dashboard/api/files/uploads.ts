import { call } from '../../../shared/api/client.ts';
import type { OwnerFile } from '../../../shared/api/contract.ts';
import { fetchUnfinishedFiles, refreshFiles } from './queries.ts';
import { type ProgressSample, estimateRemainingMs, addSample, sumRemainingWork } from './upload-rate.ts';
import type { UploadTarget } from './upload-identity.ts';
import { FileChangedError, retryTemporaryErrors, uploadFile } from './upload-sender.ts';
import { type Problem, toProblem } from '../../../shared/api/problem.ts';
import { createStore } from '../../../shared/api/store.ts';

// File uploads. Their state lives outside the pages, so they continue while the owner navigates.

const MAX_CONCURRENT_UPLOADS = 2;
/** Interval between summaries, so that a thousand small files do not cause a thousand renders. */
const RENDER_INTERVAL_MS = 100;
/** Uploads that cannot be discarded within this time stay listed as unfinished. */
const DISCARD_TIMEOUT_MS = 20_000;
/** Maximum number of waiting and of completed uploads in the summary. */
const MAX_LISTED_UPLOADS = 20;
/** Maximum number of unfinished uploads that are searched for one to resume. */
const MAX_UNFINISHED_UPLOADS = 1000;

export interface NewUpload extends UploadTarget {
  file: File;
}

export interface Upload extends NewUpload {
  readonly id: number;
  readonly fileId: string | undefined;
  readonly received: number;
  readonly state: 'waiting' | 'sending' | 'paused' | 'failed' | 'done';
  readonly problem: Problem | 'changed' | undefined;
}

export interface UploadSummary {
  /** Uploads in progress or paused individually. */
  readonly active: readonly Upload[];
  readonly failed: readonly Upload[];
  /** The first waiting uploads. */
  readonly next: readonly Upload[];
  readonly waitingCount: number;
  /** Completed uploads, the most recently selected first. */
  readonly recent: readonly Upload[];
  readonly doneCount: number;
  readonly fileCount: number;
  readonly totalBytes: number;
  readonly receivedBytes: number;
  readonly isPaused: boolean;
  readonly isUnreachable: boolean;
  readonly remainingMs: number | undefined;
}

const uploads = new Map<number, Upload>();
let queue = new Set<number>();
const runningUploads = new Map<number, AbortController>();
const unreachableIds = new Set<number>();
let lastId = 0;
let isPaused = false;
let samples: ProgressSample[] = [];
let unfinishedUploads: Promise<readonly OwnerFile[]> | undefined;
let notifyTimer: ReturnType<typeof setTimeout> | undefined;

function summarise(): UploadSummary {
  const active: Upload[] = [];
  const failed: Upload[] = [];
  const next: Upload[] = [];
  const doneUploads: Upload[] = [];
  let waitingCount = 0;
  let totalBytes = 0;
  let receivedBytes = 0;
  for (const upload of uploads.values()) {
    totalBytes += upload.file.size;
    receivedBytes += upload.received;
    if (upload.state === 'waiting') {
      waitingCount += 1;
      if (next.length < MAX_LISTED_UPLOADS) next.push(upload);
    } else if (upload.state === 'failed') failed.push(upload);
    else if (upload.state === 'done') doneUploads.push(upload);
    else active.push(upload);
  }
  const doneCount = doneUploads.length;
  const isRunning = runningUploads.size > 0;
  samples = isRunning ? addSample(samples, { timeMs: performance.now(), bytes: receivedBytes, files: doneCount }) : [];
  return {
    active,
    failed,
    next,
    waitingCount,
    recent: doneUploads.slice(-MAX_LISTED_UPLOADS).toReversed(),
    doneCount,
    fileCount: uploads.size,
    totalBytes,
    receivedBytes,
    isPaused,
    isUnreachable: unreachableIds.size > 0,
    remainingMs: isRunning ? estimateRemainingMs(samples, sumRemainingWork(uploads.values())) : undefined,
  };
}

const summary = createStore(summarise());

function notify(): void {
  clearTimeout(notifyTimer);
  notifyTimer = undefined;
  summary.set(summarise());
}

function notifySoon(): void {
  notifyTimer ??= setTimeout(notify, RENDER_INTERVAL_MS);
}

function change(id: number, patch: Partial<Upload>): void {
  const upload = uploads.get(id);
  if (upload === undefined) return;
  uploads.set(id, { ...upload, ...patch });
  notifySoon();
}

function isOpen({ state }: Upload): boolean {
  return state === 'waiting' || state === 'sending' || state === 'paused';
}

/** Lets the browser ask before it closes the tab, because all open uploads end with the tab. */
function askBeforeLeaving(event: BeforeUnloadEvent): void {
  if ([...uploads.values()].some(isOpen)) event.preventDefault();
}
addEventListener('beforeunload', askBeforeLeaving);

const registry = {
  fetchUnfinished: (fresh: boolean): Promise<readonly OwnerFile[]> => {
    if (fresh) unfinishedUploads = undefined;
    unfinishedUploads ??= fetchUnfinishedFiles(MAX_UNFINISHED_UPLOADS).then(({ files }) => files);
    const request = unfinishedUploads;
    // A failure is not cached.
    request.catch(() => {
      if (unfinishedUploads === request) unfinishedUploads = undefined;
    });
    return request;
  },
  isInUse: (fileId: string): boolean => [...uploads.values()].some((upload) => upload.fileId === fileId),
};

/** Returns true if all other uploads would fail too: the disk is full or the session has ended. */
function affectsAllUploads(problem: Problem): boolean {
  return problem.code === 'out_of_disk' || problem.status === 401;
}

function handleFailure(id: number, error: unknown): void {
  if (error instanceof FileChangedError) {
    change(id, { state: 'failed', problem: 'changed' });
    return;
  }
  const problem = toProblem(error);
  change(id, { state: 'failed', problem });
  if (affectsAllUploads(problem)) pauseUploads();
}

function run(upload: Upload): void {
  const { id } = upload;
  const controller = new AbortController();
  runningUploads.set(id, controller);
  change(id, { state: 'sending', problem: undefined });
  const listener = {
    onAnnounced: (fileId: string | undefined) => {
      change(id, { fileId });
      // The upload was cancelled before the PDA responded. If discarding fails, the upload is listed as unfinished.
      if (fileId !== undefined && !uploads.has(id)) discardUnfinished(fileId).catch(() => refreshFiles());
    },
    onReceived: (received: number) => change(id, { received }),
    onAttempt: (isUnreachable: boolean) => {
      if (isUnreachable === unreachableIds.has(id)) return;
      if (isUnreachable) unreachableIds.add(id);
      else unreachableIds.delete(id);
      notifySoon();
    },
  };
  uploadFile(upload, registry, listener, controller.signal)
    .then((fileId) => change(id, { state: 'done', fileId, received: upload.file.size }))
    .catch((error: unknown) => {
      if (!controller.signal.aborted) handleFailure(id, error);
    })
    .finally(() => {
      unreachableIds.delete(id);
      if (runningUploads.get(id) === controller) runningUploads.delete(id);
      startNext();
    });
}

function startNext(): void {
  if (!isPaused) {
    for (const id of queue) {
      if (runningUploads.size >= MAX_CONCURRENT_UPLOADS) break;
      const upload = uploads.get(id);
      // The aborted request of a paused upload may still be settling. `startNext` runs again after that.
      if (upload === undefined || runningUploads.has(id)) continue;
      queue.delete(id);
      run(upload);
    }
  }
  if (runningUploads.size === 0) {
    unfinishedUploads = undefined;
    notify();
    void refreshFiles();
  } else notifySoon();
}

export function startUploads(newUploads: readonly NewUpload[]): void {
  // Totals restart once all earlier uploads have ended.
  if (![...uploads.values()].some(isOpen)) {
    uploads.clear();
    isPaused = false;
  }
  for (const { file, name, source, tags } of newUploads) {
    lastId += 1;
    uploads.set(lastId, {
      id: lastId,
      file,
      name,
      source,
      tags,
      fileId: undefined,
      received: 0,
      state: 'waiting',
      problem: undefined,
    });
    queue.add(lastId);
  }
  startNext();
  notify();
}

export function pauseUpload(id: number): void {
  runningUploads.get(id)?.abort();
  queue.delete(id);
  change(id, { state: 'paused' });
  notify();
}

function enqueueFirst(ids: readonly number[]): void {
  for (const id of ids) change(id, { state: 'waiting', problem: undefined });
  queue = new Set([...ids, ...queue]);
}

function idsOf(state: Upload['state']): number[] {
  return [...uploads.values()].filter((upload) => upload.state === state).map(({ id }) => id);
}

function resume(ids: readonly number[]): void {
  enqueueFirst(ids);
  isPaused = false;
  startNext();
  notify();
}

export function resumeUpload(id: number): void {
  resume([id]);
}

export function pauseUploads(): void {
  isPaused = true;
  for (const controller of runningUploads.values()) controller.abort();
  enqueueFirst(idsOf('sending'));
  notify();
}

/** Resumes all paused uploads, including those that were paused individually. */
export function resumeUploads(): void {
  resume(idsOf('paused'));
}

export function retryFailed(): void {
  resume(idsOf('failed'));
}

/** Discards an unfinished upload. Retries temporary errors, for example while the PDA is still reading a chunk. */
export async function discardUnfinished(fileId: string): Promise<void> {
  await retryTemporaryErrors(
    () => call('DELETE /api/v2.6/owner/files/file/:fileId/upload', { params: { fileId } }),
    { onAttempt: () => undefined },
    AbortSignal.timeout(DISCARD_TIMEOUT_MS),
  );
}

async function cancel(uploadsToCancel: readonly Upload[]): Promise<void> {
  for (const { id } of uploadsToCancel) {
    runningUploads.get(id)?.abort();
    uploads.delete(id);
    queue.delete(id);
  }
  startNext();
  notify();
  try {
    for (const { fileId, state } of uploadsToCancel)
      if (fileId !== undefined && state !== 'done') await discardUnfinished(fileId);
  } finally {
    void refreshFiles();
  }
}

export async function cancelUpload(id: number): Promise<void> {
  const upload = uploads.get(id);
  if (upload !== undefined) await cancel([upload]);
}

/** Cancels all uploads that are not complete, including failed uploads. */
export async function cancelUploads(): Promise<void> {
  await cancel([...uploads.values()].filter(({ state }) => state !== 'done'));
}

export const useUploads = summary.useValue;

export function isUploadOfThisTab(fileId: string): boolean {
  return registry.isInUse(fileId);
}
