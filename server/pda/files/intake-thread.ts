import { createHash, type Hash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { writeHashed, type FromIntake, type ToIntake } from './intake.ts';

/** The other end of `intake-threads.ts`: writes and hashes, so that the server's own thread only has to receive. */

const port = parentPort;
if (port === null) throw new Error('intake-thread.ts runs in a thread');

const hashes = new Map<number, Hash>();
const answer = (message: FromIntake): void => port.postMessage(message);

const store = async (message: Extract<ToIntake, { fd: number }>): Promise<void> => {
  const { id, upload, fd, position, pieces } = message;
  const hash = hashes.get(upload) ?? createHash('sha256');
  hashes.set(upload, hash);
  try {
    await writeHashed(fd, pieces, position, hash);
    // Given back at once: left to the collector, a hundred megabytes would gather before it looks.
    for (const { buffer } of pieces) buffer.transfer(0);
    answer({ id, done: true, sha256: '' });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    answer({ id, error: error instanceof Error ? error.message : String(error), code });
  }
};

port.on('message', (message: ToIntake) => {
  if ('pieces' in message) {
    void store(message);
    return;
  }
  const hash = hashes.get(message.upload) ?? createHash('sha256');
  hashes.delete(message.upload);
  answer({ id: message.id, done: true, sha256: 'end' in message ? hash.digest('hex') : '' });
});
