import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startDatabaseHost, type DatabaseHost } from './server-client.test-support.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address at which test files request the databases of this run. */
    databases: string;
  }
}

/** Provides a PostgreSQL server and an empty PGlite folder for all test files of a vitest run, created on first use. */
export const setup = async (project: {
  provide(key: 'databases', value: string): void;
}): Promise<() => Promise<void>> => {
  let host: DatabaseHost | undefined;
  const responses = new Map<string, Promise<unknown>>();
  const server = createServer((request, response) => {
    const command = request.url === '/template' ? 'template' : 'start';
    const hostResponse = responses.get(command) ?? (host ??= startDatabaseHost()).send(command);
    responses.set(command, hostResponse);
    // Test files send requests seconds apart. A kept-alive connection could close while the next request is in transit.
    response.setHeader('connection', 'close');
    hostResponse.then(
      (result) => response.end(JSON.stringify(result)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  project.provide('databases', `http://127.0.0.1:${port}`);
  return async () => {
    server.closeAllConnections();
    server.close();
    await host?.close();
  };
};
