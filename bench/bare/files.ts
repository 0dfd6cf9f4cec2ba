import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/**
 * Baseline: pipes request bodies to files and the last file to responses. Usage: node files.ts FOLDER. Each body gets
 * a new
 * file, as in a server that stores uploads; overwriting one file would reuse its disk blocks and cached pages.
 */

let bodies = 0;
const file = (): string => join(process.argv[2] ?? '.', `bare-${bodies}`);

const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (request.method === 'PUT') {
    bodies += 1;
    await pipeline(request, createWriteStream(file()));
    response.end();
    return;
  }
  response.setHeader('content-length', (await stat(file())).size);
  await pipeline(createReadStream(file()), response);
};

const server = createServer((request, response) => {
  respond(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
});
server.requestTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
