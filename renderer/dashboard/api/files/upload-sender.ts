import { call } from '../../../shared/api/client.ts';
import type { OwnerFile } from '../../../shared/api/contract.ts';
import { chunkBytes } from './upload-pace.ts';
import { pause } from '../../../shared/api/pause.ts';
import { Problem, toProblem } from '../../../shared/api/problem.ts';

/** One file on its way: announced, sent in pieces, completed. Silence is waited out; a refusal ends it. */

/** Where a file is to go. */
export interface UploadTarget {
  name: string;
  source: string;
  tags: readonly string[];
}

interface UploadSource extends UploadTarget {
  file: File;
  fileId: string | undefined;
}

/** What other uploads there are. */
interface UploadRegistry {
  /** Those that an earlier visit began, as they were lately or as they are now. */
  unfinished: (fresh: boolean) => Promise<readonly OwnerFile[]>;
  /** Whether another upload of this page has that id. */
  taken: (fileId: string) => boolean;
}

interface UploadListener {
  /** What has to be known to go on later. */
  announced: (fileId: string | undefined) => void;
  received: (bytes: number) => void;
  /** Whether the PDA does not answer at present. */
  silent: (isSilent: boolean) => void;
}

/** The file on this device is not what it was when it was chosen. */
export class FileChangedError extends Error {
  override readonly name = 'FileChanged';
}

/** Milliseconds between retries. A restarting server is back within the first few. */
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 15_000;
/** A fault of the PDA itself may pass, and so does the call before this one, which it still reads. What does not pass must not be asked for ever. */
const MAX_FAULTS = 5;

function isUnreachable({ code, status }: Problem): boolean {
  return code === 'unreachable' || code === 'unavailable' || (code === 'unreadable' && (status === 0 || status >= 500));
}

/** Tries until there is an answer. What the PDA refuses is thrown. */
export async function retryUntilAnswered<T>(
  attempt: () => Promise<T>,
  { silent }: Pick<UploadListener, 'silent'>,
  signal: AbortSignal,
): Promise<T> {
  let faults = 0;
  for (let tries = 0; ; tries += 1) {
    try {
      const answer = await attempt();
      silent(false);
      return answer;
    } catch (error) {
      if (signal.aborted || error instanceof FileChangedError) throw error;
      const problem = toProblem(error);
      const isFault = problem.code === 'internal_error' || problem.status === 409;
      if (isFault) faults += 1;
      const passes = isUnreachable(problem) || problem.code === 'rate_limited' || isFault;
      if (!passes || faults > MAX_FAULTS) throw problem;
      silent(isUnreachable(problem));
      const wait = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(tries, 10));
      await pause(Math.max(wait, (problem.retryAfter ?? 0) * 1000), signal);
      signal.throwIfAborted();
    }
  }
}

/** An upload that was begun with this very file. Its name, its place and the moment of its last change tell. */
export function isUploadOf({ name, source, file }: UploadSource, { file: begun, from }: OwnerFile): boolean {
  return (
    from === 'owner' &&
    begun.status.status === 'New' &&
    begun.name === name &&
    begun.source === source &&
    begun.lastUpdated === file.lastModified
  );
}

/** An announcement whose answer was lost is found again among the unfinished ones. */
async function announce(
  upload: UploadSource,
  others: UploadRegistry,
  again: boolean,
): Promise<{ fileId: string; isNew: boolean }> {
  const begun = (await others.unfinished(again)).find(
    (one) => isUploadOf(upload, one) && !others.taken(one.file.fileId),
  );
  if (begun !== undefined) return { fileId: begun.file.fileId, isNew: false };
  const { name, source, tags, file } = upload;
  const body = { name, source, lastUpdated: file.lastModified, ...(tags.length > 0 ? { tags: [...tags] } : {}) };
  const { fileId } = await call('POST /api/v2.6/files/upload', { body });
  return { fileId, isNew: true };
}

/** fetch does not say why it could not send: a file that was changed since looks like a network that is down. */
async function assertReadable(piece: Blob): Promise<void> {
  try {
    await piece.slice(0, 1).arrayBuffer();
  } catch {
    throw new FileChangedError();
  }
}

const isGone = (error: unknown): boolean => error instanceof Problem && error.status === 404;

/** How much of it has come; nothing when the PDA does not know it any more. */
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
 * @throws {Problem} what the PDA refused
 * @throws {FileChangedError} when the file can not be read any more
 */
export async function uploadFile(
  upload: UploadSource,
  others: UploadRegistry,
  reports: UploadListener,
  signal: AbortSignal,
): Promise<string> {
  const { file } = upload;
  const begin = async (): Promise<{ fileId: string; isNew: boolean }> => {
    let tries = 0;
    // The request itself is not aborted: an announcement whose response is ignored would leave an unfinished upload.
    const begun = await retryUntilAnswered(() => announce(upload, others, tries++ > 0), reports, signal);
    reports.announced(begun.fileId);
    signal.throwIfAborted();
    return begun;
  };
  const known = upload.fileId;
  let { fileId, isNew } = known === undefined ? await begin() : { fileId: known, isNew: false };
  let state = isNew ? EMPTY_UPLOAD : await retryUntilAnswered(() => fetchUploadState(fileId, signal), reports, signal);
  if (state === undefined) {
    reports.announced(undefined);
    ({ fileId, isNew } = await begin());
    state = EMPTY_UPLOAD;
  }
  reports.received(state.received);
  let speed = 0;
  while (!state.done) {
    const offset: number = state.received;
    const piece = file.slice(offset, offset + chunkBytes(speed));
    const began = performance.now();
    state = await retryUntilAnswered(() => sendChunk(fileId, piece, offset, file.size, signal), reports, signal);
    const sent = state.received - offset;
    if (sent > 0) speed = (sent / Math.max(1, performance.now() - began)) * 1000;
    reports.received(state.received);
  }
  await retryUntilAnswered(
    () => call('PUT /api/v2.6/files/file/:fileId/complete', { params: { fileId } }, signal),
    reports,
    signal,
  );
  return fileId;
}

/** The PDA knows how much arrived; what was on its way when it broke may have, or may not. */
async function sendChunk(
  fileId: string,
  piece: Blob,
  offset: number,
  size: number,
  signal: AbortSignal,
): Promise<{ received: number; done: boolean }> {
  try {
    return await call(
      'PUT /api/v2.6/owner/files/file/:fileId/upload',
      { params: { fileId }, query: { offset, size }, body: piece },
      signal,
    );
  } catch (error) {
    signal.throwIfAborted();
    await assertReadable(piece);
    const problem = toProblem(error);
    if (problem.status !== 409 && !isUnreachable(problem)) throw problem;
    const state = await fetchUploadState(fileId, signal);
    if (state === undefined || (state.received === offset && !state.done)) throw problem;
    return state;
  }
}
