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
import { createConnectionMonitor, sqlState, unavailableFailure, type ConnectionMonitor } from './errors.ts';

/**
 * Idle connections are closed after this time, so that idle processes do not occupy a shared database's connections.
 */
const IDLE_MS = 30_000;
/** Connections are replaced after this time, so that all follow a change of the database's address. */
const LIFETIME_SECONDS = 1800;
/** Time after a statement's timeout at which the client stops waiting for the server to cancel it. */
const DEADLINE_SLACK_MS = 1000;
/** Time limit for an open transaction to send its next statement, unless the limit of a statement is longer. */
const IDLE_IN_TRANSACTION_MS = 15_000;
/** Time limit for a statement of a schema change, which may rewrite whole tables. */
const MIGRATION_MS = 15 * 60_000;

type ServerEngineOptions = { url: string; connections: number; statementMs: number; connectMs: number; log: Log };

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
    // A process that hangs inside a transaction must not keep its locks.
    idle_in_transaction_session_timeout: Math.max(IDLE_IN_TRANSACTION_MS, statementMs),
  };
};

/** A connection from the pool. Every statement has a deadline; nothing is sent after the connection breaks. */
class Connection implements DatabaseConnection {
  readonly #client: PoolClient;
  readonly #monitor: ConnectionMonitor;
  readonly #deadlineMs: number;
  #isBroken = false;

  constructor(client: PoolClient, monitor: ConnectionMonitor, deadlineMs: number) {
    this.#client = client;
    this.#monitor = monitor;
    this.#deadlineMs = deadlineMs;
  }

  async send(sql: string, values: readonly unknown[] = []) {
    if (this.#isBroken) throw unavailableFailure();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('the statement timed out')), this.#deadlineMs);
    });
    try {
      const result = await Promise.race([this.#client.query(sql, [...values]), timeout]);
      this.#monitor.reportResponse();
      return result;
    } catch (error) {
      // After a non-fatal error of the server, the connection is still usable.
      const state = sqlState(error);
      if (state === undefined || /^(?:08|57P|25P0[34]$)/u.test(state)) this.#isBroken = true;
      throw this.#monitor.translate(error);
    } finally {
      clearTimeout(timer);
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const result = await this.send(query.sql, query.parameters);
    const { rows, rowCount, command } = result;
    // The results of thousands of queries stay in memory until a full garbage collection. Dropping their rows frees
    // most of the memory.
    result.rows = [];
    const isChange = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE' || command === 'MERGE';
    return { rows, ...(isChange ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) };
  }

  // eslint-disable-next-line require-yield -- the interface requires a generator; the project does not use cursors
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Read large results in pages, each a short statement with a deadline.');
  }

  async rollback(): Promise<void> {
    // The server rolls back the transactions of broken connections.
    if (this.#isBroken) return;
    await this.send('rollback');
  }

  release(): void {
    this.#client.release(this.#isBroken);
  }
}

const wrapConnectionError = (error: unknown): Error => new Error('no connection to the database', { cause: error });

const createDriver = (pool: Pool, monitor: ConnectionMonitor, deadlineMs: number): Driver => {
  const asConnection = (connection: DatabaseConnection): Connection => {
    if (connection instanceof Connection) return connection;
    throw new TypeError('not a connection of this driver');
  };
  return {
    init: () => Promise.resolve(),
    async acquireConnection() {
      try {
        return new Connection(await pool.connect(), monitor, deadlineMs);
      } catch (error) {
        throw monitor.translate(wrapConnectionError(error));
      }
    },
    async beginTransaction(connection, { isolationLevel }: TransactionSettings) {
      await asConnection(connection).send(
        isolationLevel === undefined ? 'begin' : `begin isolation level ${isolationLevel}`,
      );
    },
    async commitTransaction(connection) {
      const { command } = await asConnection(connection).send('commit');
      // The server responds ROLLBACK if an earlier statement failed: nothing was committed.
      if (command === 'ROLLBACK') throw new Error('A failed statement was ignored: the transaction is rolled back.');
    },
    rollbackTransaction: (connection) => asConnection(connection).rollback(),
    async releaseConnection(connection) {
      asConnection(connection).release();
    },
    destroy: () => Promise.resolve(),
  };
};

export const createServerEngine = ({ url, connections, statementMs, connectMs, log }: ServerEngineOptions): Engine => {
  const monitor = createConnectionMonitor(log);
  const pool = new Pool({
    ...configOf(url, statementMs, connectMs),
    max: connections,
    idleTimeoutMillis: IDLE_MS,
    maxLifetimeSeconds: LIFETIME_SECONDS,
  });
  // Without a listener, the error of a broken idle connection would end the process.
  const onConnectionLost = (error: Error): void => void monitor.translate(error);
  pool.on('error', onConnectionLost);
  pool.on('connect', (client) => client.on('error', onConnectionLost));
  return {
    kind: 'postgresql',
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => createDriver(pool, monitor, statementMs + DEADLINE_SLACK_MS),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    async withSession(work) {
      const client = new Client(configOf(url, MIGRATION_MS, connectMs));
      client.on('error', onConnectionLost);
      try {
        await client.connect();
      } catch (error) {
        throw wrapConnectionError(error);
      }
      try {
        // With another default of the database, a process would not see what others committed while it waited for a
        // lock.
        await client.query('begin isolation level read committed');
        const result = await work({
          query: async (sql, values = []) => (await client.query(sql, [...values])).rows,
          runScript: async (sql) => void (await client.query(sql)),
        });
        await client.query('commit');
        return result;
      } finally {
        // The server rolls back uncommitted changes.
        await client.end();
      }
    },
    translateError: (error) => monitor.translate(error),
    close: () => pool.end(),
  };
};
