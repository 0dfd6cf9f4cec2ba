import {
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import { Client, Pool, TypeOverrides, type ClientConfig, type PoolClient } from 'pg';
import type { Log } from '../log.ts';
import { NUMBER_TYPES, type Engine } from './engine.ts';
import { createConnectionMonitor, sqlState, unavailable, type ConnectionMonitor } from './errors.ts';

/** Idle connections are given back, so that a database shared by many processes is not held by those that rest. */
const IDLE_MS = 30_000;
/** Connections are renewed, so that after a move of the database's address they all get there. */
const LIFETIME_SECONDS = 1800;
/** The server ends a statement at its time; where it is out of reach, or hangs, we do so a little later. */
const DEADLINE_SLACK_MS = 1000;
/** Milliseconds that an open transaction may wait for its next statement. */
const IDLE_IN_TRANSACTION_MS = 15_000;
/** A change of the tables may walk over all of them. */
const MIGRATION_MS = 15 * 60_000;

type Options = { url: string; connections: number; statementMs: number; connectMs: number; log: Log };

const configOf = (url: string, statementMs: number, connectMs: number): ClientConfig => {
  const types = new TypeOverrides();
  for (const oid of Object.values(NUMBER_TYPES)) types.setTypeParser(oid, Number);
  return {
    connectionString: url,
    types,
    keepAlive: true,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    lock_timeout: statementMs,
    // A process that hangs in the middle of a transaction must not keep its locks.
    idle_in_transaction_session_timeout: Math.max(IDLE_IN_TRANSACTION_MS, statementMs),
  };
};

/** One connection while somebody holds it: every statement has a deadline, and after a broken line nothing more is sent on it. */
class Connection implements DatabaseConnection {
  readonly #client: PoolClient;
  readonly #trouble: ConnectionMonitor;
  readonly #deadlineMs: number;
  #broken = false;

  constructor(client: PoolClient, trouble: ConnectionMonitor, deadlineMs: number) {
    this.#client = client;
    this.#trouble = trouble;
    this.#deadlineMs = deadlineMs;
  }

  async send(sql: string, values: readonly unknown[] = []) {
    if (this.#broken) throw unavailable();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('no answer within the time of a statement')), this.#deadlineMs);
    });
    try {
      const result = await Promise.race([this.#client.query(sql, [...values]), late]);
      this.#trouble.recovered();
      return result;
    } catch (error) {
      // Of an error of the server that is not fatal the connection is none the worse.
      const state = sqlState(error);
      if (state === undefined || /^(?:08|57P|25P0[34]$)/u.test(state)) this.#broken = true;
      throw this.#trouble.translate(error);
    } finally {
      clearTimeout(timer);
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const result = await this.send(query.sql, query.parameters);
    const { rows, rowCount, command } = result;
    // The driver's garbage hangs together over thousands of queries until a full collection: at least without what they brought.
    result.rows = [];
    const changes = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE' || command === 'MERGE';
    return { rows, ...(changes ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) };
  }

  // eslint-disable-next-line require-yield -- the interface wants a generator; nothing of ours reads through a cursor
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Large reads go page by page, each a short statement with a deadline.');
  }

  async rollback(): Promise<void> {
    // The server rolls back what was open on a line that broke.
    if (this.#broken) return;
    await this.send('rollback');
  }

  release(): void {
    this.#client.release(this.#broken);
  }
}

/** Whatever the reason (a refused login, too): no statement was sent. */
const noConnection = (error: unknown): Error => new Error('no connection to the database', { cause: error });

const createDriver = (pool: Pool, trouble: ConnectionMonitor, deadlineMs: number): Driver => {
  const held = (connection: DatabaseConnection): Connection => {
    if (connection instanceof Connection) return connection;
    throw new TypeError('not a connection of this driver');
  };
  return {
    init: () => Promise.resolve(),
    async acquireConnection() {
      try {
        return new Connection(await pool.connect(), trouble, deadlineMs);
      } catch (error) {
        throw trouble.translate(noConnection(error));
      }
    },
    async beginTransaction(connection, { isolationLevel }: TransactionSettings) {
      await held(connection).send(isolationLevel === undefined ? 'begin' : `begin isolation level ${isolationLevel}`);
    },
    async commitTransaction(connection) {
      const { command } = await held(connection).send('commit');
      // So the server says that a statement had failed and nothing is kept.
      if (command === 'ROLLBACK')
        throw new Error('A failed statement was passed over: the transaction is rolled back.');
    },
    rollbackTransaction: (connection) => held(connection).rollback(),
    async releaseConnection(connection) {
      held(connection).release();
    },
    destroy: () => Promise.resolve(),
  };
};

/** A PostgreSQL server, or what speaks as one. */
export const createServerEngine = ({ url, connections, statementMs, connectMs, log }: Options): Engine => {
  const trouble = createConnectionMonitor(log);
  const pool = new Pool({
    ...configOf(url, statementMs, connectMs),
    max: connections,
    idleTimeoutMillis: IDLE_MS,
    maxLifetimeSeconds: LIFETIME_SECONDS,
  });
  // A line that breaks while nobody uses it, or between two statements, is news for the log and nothing that may end the process.
  const lost = (error: Error): void => void trouble.translate(error);
  pool.on('error', lost);
  pool.on('connect', (client) => client.on('error', lost));
  return {
    kind: 'postgresql',
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => createDriver(pool, trouble, statementMs + DEADLINE_SLACK_MS),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    async session(work) {
      const client = new Client(configOf(url, MIGRATION_MS, connectMs));
      client.on('error', lost);
      try {
        await client.connect();
      } catch (error) {
        throw noConnection(error);
      }
      try {
        await client.query('begin');
        const result = await work({
          query: async (sql, values = []) => (await client.query(sql, [...values])).rows,
          script: async (sql) => void (await client.query(sql)),
        });
        await client.query('commit');
        return result;
      } finally {
        // What was not committed is rolled back by the server.
        await client.end();
      }
    },
    translateError: (error) => trouble.translate(error),
    close: () => pool.end(),
  };
};
