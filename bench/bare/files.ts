import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Pipes a body to a file and a file to an answer, and does nothing else: FOLDER. */

const file = join(process.argv[2] ?? '.', 'bare');

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (request.method === 'PUT') {
    await pipeline(request, createWriteStream(file));
    response.end();
    return;
  }
  response.setHeader('content-length', (await stat(file)).size);
  await pipeline(createReadStream(file), response);
};

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
});
server.requestTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
