import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startKeeper, type Keeper } from './server-client.test-support.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address at which test files request the databases of this run. */
    databases: string;
  }
}

/**
 * Once per run of vitest: one PostgreSQL and one empty PGlite folder for all test files, made when the first asks for it.
 */
export const setup = async (project: {
  provide(key: 'databases', value: string): void;
}): Promise<() => Promise<void>> => {
  let keeper: Keeper | undefined;
  const made = new Map<string, Promise<unknown>>();
  const door = createServer((request, response) => {
    const command = request.url === '/template' ? 'template' : 'start';
    const answer = made.get(command) ?? (keeper ??= startKeeper()).tell(command);
    made.set(command, answer);
    // Test files send requests seconds apart. A connection that is kept alive could be closed while the next request is on its way.
    response.setHeader('connection', 'close');
    answer.then(
      (done) => response.end(JSON.stringify(done)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => void door.listen(0, '127.0.0.1', resolve));
  const { port } = door.address() as AddressInfo;
  project.provide('databases', `http://127.0.0.1:${port}`);
  return async () => {
    door.closeAllConnections();
    door.close();
    await keeper?.close();
  };
};
