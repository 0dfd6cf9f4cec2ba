import { createHash, type Hash } from 'node:crypto';
import { answerRequests } from '../../../platform/workers/idle-thread.ts';
import { writeHashed, type IntakeRequest } from './upload-writer.ts';

/** The other end of `intake-threads.ts`: writes and hashes, so that the server's own thread only has to receive. */

const hashes = new Map<number, Hash>();

answerRequests(async (request: IntakeRequest): Promise<string> => {
  const hash = hashes.get(request.upload) ?? createHash('sha256');
  if ('pieces' in request) {
    hashes.set(request.upload, hash);
    await writeHashed(request.fd, request.pieces, request.position, hash);
    // Given back at once: left to the collector, a hundred megabytes would gather before it looks.
    for (const { buffer } of request.pieces) buffer.transfer(0);
    return '';
  }
  hashes.delete(request.upload);
  return 'end' in request ? hash.digest('hex') : '';
});
