import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

// Baseline: pipes request bodies to files, and the last file to responses. Usage: node files.ts FOLDER
// Each body gets a new file, as in a server that stores uploads, because overwriting a file would reuse its disk blocks
// and cached pages.

let fileCount = 0;
const lastFile = (): string => join(process.argv[2] ?? '.', `bare-${fileCount}`);

const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (request.method === 'PUT') {
    fileCount += 1;
    await pipeline(request, createWriteStream(lastFile()));
    response.end();
    return;
  }
  response.setHeader('content-length', (await stat(lastFile())).size);
  await pipeline(createReadStream(lastFile()), response);
};

const server = createServer((request, response) => {
  respond(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
});
server.requestTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
