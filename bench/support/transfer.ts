import { createReadStream, createWriteStream } from 'node:fs';
import { request, type RequestOptions } from 'node:http';
import { pipeline } from 'node:stream/promises';

// Transfers one large body and prints the duration in milliseconds.
// Usage: node transfer.ts put URL FILE, or node transfer.ts get URL
// Runs as a separate process, so that sampling the server's memory does not slow the transfer down.

const [direction = '', url = '', file = ''] = process.argv.slice(2);

const startedAt = performance.now();
const options: RequestOptions =
  direction === 'put'
    ? {
        method: 'PUT',
        headers: { 'x-bench-server-side-encryption': 'AES256', 'content-type': 'application/octet-stream' },
      }
    : {};
await new Promise<void>((resolve, reject) => {
  const outgoing = request(url, options, (response) => {
    if (response.statusCode !== 200) reject(new Error(`${direction} failed: ${response.statusCode}`));
    pipeline(response, createWriteStream('/dev/null')).then(resolve, reject);
  });
  outgoing.once('error', reject);
  if (direction === 'put') pipeline(createReadStream(file, { highWaterMark: 1024 * 1024 }), outgoing).catch(reject);
  else outgoing.end();
});
process.stdout.write(`${performance.now() - startedAt}\n`);
