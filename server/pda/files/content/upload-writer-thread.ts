import { createHash, type Hash } from 'node:crypto';
import { serveRequests } from '../../../platform/workers/idle-thread.ts';
import { writeAndHash, type UploadThreadRequest } from './upload-writer.ts';

const hashes = new Map<number, Hash>();

serveRequests(async (request: UploadThreadRequest): Promise<string> => {
  const hash = hashes.get(request.uploadId) ?? createHash('sha256');
  if ('chunks' in request) {
    hashes.set(request.uploadId, hash);
    await writeAndHash(request.fd, request.chunks, request.position, hash);
    // Frees the chunks immediately: a hundred megabytes would accumulate before the next garbage collection.
    for (const { buffer } of request.chunks) buffer.transfer(0);
    return '';
  }
  hashes.delete(request.uploadId);
  return 'end' in request ? hash.digest('hex') : '';
});
