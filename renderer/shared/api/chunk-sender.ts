import { pause } from './pause.ts';
import { toProblem } from './problem.ts';

const MAX_RETRIES = 5;
const FIRST_RETRY_MS = 600;

/**
 * Sends a file in chunks. After a failed chunk it asks the PDA how much arrived and resumes there; persistent
 * failures and refusals are thrown.
 * @throws {Problem}
 */
export async function sendInChunks(parts: {
  content: Blob;
  /** Bytes that the PDA has received already. */
  offset: number;
  /** Bytes of a chunk: large enough to be fast, small enough to lose little. */
  chunkSize: number;
  /** Sends a chunk. Resolves to the number of bytes the PDA has. */
  send: (chunk: Blob, offset: number) => Promise<number>;
  /** Asks the PDA how many bytes it has. */
  received: () => Promise<number>;
  onReceived: (offset: number) => void;
  signal: AbortSignal;
}): Promise<void> {
  const { content, chunkSize, signal } = parts;
  let failures = 0;
  for (let { offset } = parts; offset < content.size; parts.onReceived(offset)) {
    try {
      offset = await parts.send(content.slice(offset, offset + chunkSize), offset);
      failures = 0;
    } catch (error) {
      const problem = toProblem(error);
      failures += 1;
      const isTemporary = problem.status === 0 || problem.status === 409 || problem.status >= 500;
      if (signal.aborted || !isTemporary || failures > MAX_RETRIES) throw problem;
      await pause(FIRST_RETRY_MS * 2 ** (failures - 1), signal);
      signal.throwIfAborted();
      offset = await parts.received();
    }
  }
}
