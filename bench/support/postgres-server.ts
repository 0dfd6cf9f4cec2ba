import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { createEmbeddedServer } from '../../server/platform/postgres/embedded-server.test-support.ts';

export type PostgresServer = {
  port: number;
  user: string;
  password: string;
  url: string;
  stop(): Promise<void>;
};

/** Starts PostgreSQL with default settings and real fsyncs. @param connections maximum number of connections */
export const startPostgresServer = async (connections: number): Promise<PostgresServer> => {
  const server = await createEmbeddedServer({ name: 'pda-bench-postgres', connections, durable: true });
  try {
    await server.start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start\n${server.output()}`, { cause: error });
  }
  const { port, user, password, url } = server;
  return {
    port,
    user,
    password,
    url: `${url}/postgres`,
    async stop() {
      await server.stop();
      await server.remove();
    },
  };
};

export const withClient = async <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

/** Returns the path of a PostgreSQL client program; undefined if it is not installed. */
export const findClientProgram = (name: 'pgbench' | 'psql'): string | undefined => {
  const versionsPath = '/usr/lib/postgresql';
  const versions = existsSync(versionsPath) ? readdirSync(versionsPath).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(versionsPath, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(':'),
  ];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
};
