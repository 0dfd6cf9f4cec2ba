import { call } from '../../../shared/api/client.ts';
import type { OwnerFile } from '../../../shared/api/contract.ts';
import { chooseChunkBytes } from './upload-rate.ts';
import { isUploadOf, type UploadSource } from './upload-identity.ts';
import { pause } from '../../../shared/api/pause.ts';
import { Problem, toProblem } from '../../../shared/api/problem.ts';

interface UploadRegistry {
  /** Fetches the unfinished uploads on the PDA. `fresh` bypasses the cache. */
  fetchUnfinished: (fresh: boolean) => Promise<readonly OwnerFile[]>;
  isInUse: (fileId: string) => boolean;
}

interface UploadListener {
  /** Receives the id needed to resume; undefined if the upload does not exist on the PDA. */
  onAnnounced: (fileId: string | undefined) => void;
  onReceived: (bytes: number) => void;
  /** Called after each attempt that succeeds or is retried. */
  onAttempt: (isUnreachable: boolean) => void;
}

/** Thrown if the local file changed or became unreadable after it was selected. */
export class FileChangedError extends Error {
  override readonly name = 'FileChangedError';
}

/** Delay before the first retry. A restarting server responds again within the first few retries. */
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 15_000;
/**
 * Maximum number of retries after internal errors and conflicts. These may be temporary, for example while the PDA is
 * still reading the previous request.
 */
const MAX_FAULT_RETRIES = 5;

function isUnreachable({ code, status }: Problem): boolean {
  return code === 'unreachable' || code === 'unavailable' || (code === 'unreadable' && (status === 0 || status >= 500));
}

/**
 * Retries an operation with back-off if the PDA is unreachable, rate-limits it, or reports an internal error or a
 * conflict.
 * @throws {Problem} for other errors, and for an internal error or a conflict after `MAX_FAULT_RETRIES` retries
 * @throws {FileChangedError} if the operation throws it
 * @throws the error of the operation or the reason of `signal` if `signal` is aborted
 */
export async function retryTemporaryErrors<T>(
  operation: () => Promise<T>,
  { onAttempt }: Pick<UploadListener, 'onAttempt'>,
  signal: AbortSignal,
): Promise<T> {
  let faults = 0;
  for (let attempts = 0; ; attempts += 1) {
    try {
      const result = await operation();
      onAttempt(false);
      return result;
    } catch (error) {
      if (signal.aborted || error instanceof FileChangedError) throw error;
      const problem = toProblem(error);
      const isFault = problem.code === 'internal_error' || problem.status === 409;
      if (isFault) faults += 1;
      const isTemporary = isUnreachable(problem) || problem.code === 'rate_limited' || isFault;
      if (!isTemporary || faults > MAX_FAULT_RETRIES) throw problem;
      onAttempt(isUnreachable(problem));
      const waitMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempts, 10));
      await pause(Math.max(waitMs, (problem.retryAfter ?? 0) * 1000), signal);
      signal.throwIfAborted();
    }
  }
}

/** Announces an upload, or finds an earlier announcement of the file. */
async function announce(
  upload: UploadSource,
  registry: UploadRegistry,
  fresh: boolean,
): Promise<{ fileId: string; isNew: boolean }> {
  const existing = (await registry.fetchUnfinished(fresh)).find(
    (candidate) => isUploadOf(upload, candidate) && !registry.isInUse(candidate.file.fileId),
  );
  if (existing !== undefined) return { fileId: existing.file.fileId, isNew: false };
  const { name, source, tags, file } = upload;
  const body = { name, source, lastUpdated: file.lastModified, ...(tags.length > 0 ? { tags: [...tags] } : {}) };
  const { fileId } = await call('POST /api/v2.6/files/upload', { body });
  return { fileId, isNew: true };
}

/** Detects an unreadable file, which fetch reports as a network failure. @throws {FileChangedError} */
async function assertReadable(chunk: Blob): Promise<void> {
  try {
    await chunk.slice(0, 1).arrayBuffer();
  } catch {
    throw new FileChangedError();
  }
}

const isGone = (error: unknown): boolean => error instanceof Problem && error.status === 404;

/** Returns undefined if the upload does not exist on the PDA. `received` is in bytes. */
async function fetchUploadState(
  fileId: string,
  signal: AbortSignal,
): Promise<{ received: number; done: boolean } | undefined> {
  try {
    return await call('GET /api/v2.6/owner/files/file/:fileId/upload', { params: { fileId } }, signal);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

const EMPTY_UPLOAD = { received: 0, done: false } as const;

/**
 * Uploads a file, or resumes its upload, and returns the file id.
 * @throws {Problem} if the PDA refuses the upload, or after repeated internal errors or conflicts
 * @throws {FileChangedError} if the file cannot be read
 * @throws the reason of `signal` if it is aborted
 */
export async function uploadFile(
  upload: UploadSource,
  registry: UploadRegistry,
  listener: UploadListener,
  signal: AbortSignal,
): Promise<string> {
  const { file } = upload;
  const begin = async (): Promise<{ fileId: string; isNew: boolean }> => {
    let attempts = 0;
    // Do not abort the request itself: an announcement with an ignored response would leave an unfinished upload.
    const announcement = await retryTemporaryErrors(() => announce(upload, registry, attempts++ > 0), listener, signal);
    listener.onAnnounced(announcement.fileId);
    signal.throwIfAborted();
    return announcement;
  };
  const knownId = upload.fileId;
  let { fileId, isNew } = knownId === undefined ? await begin() : { fileId: knownId, isNew: false };
  let state = isNew
    ? EMPTY_UPLOAD
    : await retryTemporaryErrors(() => fetchUploadState(fileId, signal), listener, signal);
  if (state === undefined) {
    listener.onAnnounced(undefined);
    ({ fileId, isNew } = await begin());
    state = EMPTY_UPLOAD;
  }
  listener.onReceived(state.received);
  let speed = 0;
  while (!state.done) {
    const offset: number = state.received;
    const chunk = file.slice(offset, offset + chooseChunkBytes(speed));
    const startedAt = performance.now();
    state = await retryTemporaryErrors(() => sendChunk(fileId, chunk, offset, file.size, signal), listener, signal);
    const sentBytes = state.received - offset;
    if (sentBytes > 0) speed = (sentBytes / Math.max(1, performance.now() - startedAt)) * 1000;
    listener.onReceived(state.received);
  }
  await retryTemporaryErrors(
    () => call('PUT /api/v2.6/files/file/:fileId/complete', { params: { fileId } }, signal),
    listener,
    signal,
  );
  return fileId;
}

async function sendChunk(
  fileId: string,
  chunk: Blob,
  offset: number,
  size: number,
  signal: AbortSignal,
): Promise<{ received: number; done: boolean }> {
  try {
    return await call(
      'PUT /api/v2.6/owner/files/file/:fileId/upload',
      { params: { fileId }, query: { offset, size }, body: chunk },
      signal,
    );
  } catch (error) {
    signal.throwIfAborted();
    await assertReadable(chunk);
    const problem = toProblem(error);
    if (problem.status !== 409 && !isUnreachable(problem)) throw problem;
    const state = await fetchUploadState(fileId, signal);
    if (state === undefined || (state.received === offset && !state.done)) throw problem;
    return state;
  }
}
