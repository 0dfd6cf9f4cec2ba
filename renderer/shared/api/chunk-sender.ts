import { pause } from './pause.ts';
import { toProblem } from './problem.ts';

const MAX_RETRIES = 5;
const FIRST_WAIT = 600;

/**
 * Sends a file in chunks. After a failed chunk it asks the PDA how much arrived and resumes there; persistent
 * failures and refusals are thrown.
 * @throws {Problem}
 */
export async function sendPieces(parts: {
  content: Blob;
  /** Bytes that the PDA has already. */
  offset: number;
  /** Bytes of a chunk: large enough to be fast, small enough to lose little. */
  pieceSize: number;
  /** Both resolve with the number of bytes that the PDA has. */
  send: (piece: Blob, offset: number) => Promise<number>;
  received: () => Promise<number>;
  onReceived: (offset: number) => void;
  signal: AbortSignal;
}): Promise<void> {
  const { content, pieceSize, signal } = parts;
  let failures = 0;
  for (let { offset } = parts; offset < content.size; parts.onReceived(offset)) {
    try {
      offset = await parts.send(content.slice(offset, offset + pieceSize), offset);
      failures = 0;
    } catch (error) {
      const problem = toProblem(error);
      failures += 1;
      const passes = problem.status === 0 || problem.status === 409 || problem.status >= 500;
      if (signal.aborted || !passes || failures > MAX_RETRIES) throw problem;
      await pause(FIRST_WAIT * 2 ** (failures - 1), signal);
      signal.throwIfAborted();
      offset = await parts.received();
    }
  }
}
