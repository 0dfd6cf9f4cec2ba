import { pause } from './pause.ts';
import { toProblem } from './problem.ts';

/** Maximum number of consecutive retries. */
const CHUNK_MAX_RETRIES = 5;
const FIRST_RETRY_MS = 600;

/**
 * Sends a file in chunks. After a failed chunk, asks the PDA how many bytes it has received and resumes from there.
 * @throws {Problem} if the PDA responds with a 4xx status other than 409, if a successful response cannot be read, or if
 * `CHUNK_MAX_RETRIES` consecutive retries fail; also rejects when `signal` aborts
 */
export async function sendInChunks(upload: {
  content: Blob;
  /** Bytes that the PDA has received. */
  offset: number;
  /** In bytes. Larger chunks are faster to upload; smaller ones lose less when a request fails. */
  chunkSize: number;
  /** Resolves to the number of bytes that the PDA has received. */
  send: (chunk: Blob, offset: number) => Promise<number>;
  /** Resolves to the number of bytes that the PDA has received. */
  fetchOffset: () => Promise<number>;
  onReceived: (offset: number) => void;
  signal: AbortSignal;
}): Promise<void> {
  const { content, chunkSize, signal } = upload;
  let { offset } = upload;
  let failures = 0;
  // After a failure, the PDA may have received a part of the chunk.
  let isOffsetKnown = true;
  while (offset < content.size) {
    try {
      if (isOffsetKnown) {
        offset = await upload.send(content.slice(offset, offset + chunkSize), offset);
        failures = 0;
      } else {
        offset = await upload.fetchOffset();
        isOffsetKnown = true;
      }
      upload.onReceived(offset);
    } catch (error) {
      const problem = toProblem(error);
      failures += 1;
      const isTemporary = problem.status === 0 || problem.status === 409 || problem.status >= 500;
      if (signal.aborted || !isTemporary || failures > CHUNK_MAX_RETRIES) throw problem;
      isOffsetKnown = false;
      await pause(FIRST_RETRY_MS * 2 ** (failures - 1), signal);
      signal.throwIfAborted();
    }
  }
}
