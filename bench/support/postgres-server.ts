import { createEmbeddedServer } from '../../server/platform/postgres/embedded-server.test-support.ts';

export type PostgresServer = {
  port: number;
  user: string;
  password: string;
  /** URL of the database `postgres`. */
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
