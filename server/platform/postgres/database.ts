import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, sql, type Transaction } from 'kysely';
import { Failure } from '../failure.ts';
import { STATEMENT_MS } from '../../wire/limits.ts';
import { codeOf } from '../../wire/values.ts';
import type { Log } from '../log.ts';
import { createPgliteEngine, hasFolderDatabase } from './pglite-engine.ts';
import { migrate, type Migration } from './migrations.ts';
import { createServerEngine } from './server-engine.ts';
import { isSerializationFailure, isUnstorableText, unavailableFailure } from './errors.ts';

export type { Migration } from './migrations.ts';
export { isUniqueViolation } from './errors.ts';

export type Postgres<T> = {
  readonly kind: 'postgresql' | 'pglite';
  /**
   * Runs statements outside a transaction. Returns bigint and numeric as numbers, and JSON parsed.
   * @throws Failure unavailable if there is no connection, the server stops, or a statement times out or conflicts with
   *   another; invalid_input if a string contains U+0000
   * @throws the driver's error for an invalid statement or a violated constraint
   */
  run<R>(work: (db: Kysely<T>) => Promise<R>): Promise<R>;
  /**
   * Runs a transaction and retries it after a conflict: `work` must have no side effects except its statements.
   * @throws as `run` does
   */
  transact<R>(work: (tx: Transaction<T>) => Promise<R>): Promise<R>;
  isUp(): Promise<boolean>;
  close(): Promise<void>;
};

const DEFAULT_CONNECTIONS = 10;
const DEFAULT_CONNECT_MS = 3000;

const TRANSACTION_ATTEMPTS = 6;
const RETRY_DELAY_MS = 15;

export type DatabaseOptions = {
  /** postgres:// address, or a folder or `:memory:` for PGlite. */
  database: string;
  log: Log;
  connections?: number;
  /** Time limit for a statement, including its waits for locks. PGlite has no limit. */
  statementMs?: number;
  /** Time limit for obtaining a connection. */
  connectMs?: number;
  /** Called once before work that can take many seconds: creating a PGlite database, or creating or changing tables. */
  onPrepare?: () => void;
};

const isServerAddress = (database: string): boolean => /^postgres(?:ql)?:\/\//u.test(database);

const redactAddress = (database: string): string => {
  if (!isServerAddress(database)) return database;
  const url = URL.parse(database);
  return url === null ? 'the given address' : `${url.host}${url.pathname}`;
};

const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : reasonOf(error.cause);
};

/**
 * Opens the database and applies missing migrations.
 * @throws Failure unavailable | invalid_input (the address is not valid) | wrong_state (the database was written by a
 *   newer version, or its folder is in use)
 * @throws the error of a failed migration
 */
export const openPostgres = async <T>(
  options: DatabaseOptions & { migrations: readonly Migration[] },
): Promise<Postgres<T>> => {
  const {
    database,
    migrations,
    log,
    connections = DEFAULT_CONNECTIONS,
    statementMs = STATEMENT_MS,
    connectMs = DEFAULT_CONNECT_MS,
  } = options;
  let isPreparing = false;
  const announcePreparation = (): void => {
    if (!isPreparing) options.onPrepare?.();
    isPreparing = true;
  };
  if (!isServerAddress(database) && !hasFolderDatabase(database)) announcePreparation();
  const engine = isServerAddress(database)
    ? createServerEngine({ url: database, connections, statementMs, connectMs, log })
    : await createPgliteEngine(database, log);
  const db = new Kysely<T>({ dialect: engine.dialect });
  let closing: Promise<void> | undefined;

  try {
    await migrate(engine, migrations, log, announcePreparation);
  } catch (error) {
    await engine.close();
    if (error instanceof Failure) throw error;
    if (codeOf(error) === 'ERR_INVALID_URL')
      throw new Failure(
        'invalid_input',
        'The address of the database is not valid. Use the form postgres://user:password@host:port/name.',
      );
    const translatedError = engine.translateError(error);
    if (!(translatedError instanceof Failure)) throw error;
    throw new Failure('unavailable', `The database at ${redactAddress(database)} cannot be used: ${reasonOf(error)}`);
  }

  const mapError = (error: unknown): unknown => {
    if (error instanceof Failure) return error;
    if (closing !== undefined) return unavailableFailure('This server is stopping.');
    if (isUnstorableText(error))
      return new Failure('invalid_input', 'A string contains the character U+0000, which cannot be stored. Remove it.');
    if (isSerializationFailure(error))
      return unavailableFailure('The data was changed by other requests at the same time. Try again.');
    return engine.kind === 'pglite' ? engine.translateError(error) : error;
  };

  const runStatements: Postgres<T>['run'] = async (work) => {
    try {
      if (closing !== undefined) throw unavailableFailure();
      return await work(db);
    } catch (error) {
      throw mapError(error);
    }
  };

  return {
    kind: engine.kind,
    run: runStatements,
    async transact(work) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          if (closing !== undefined) throw unavailableFailure();
          return await db.transaction().execute(work);
        } catch (error) {
          if (!isSerializationFailure(error) || attempt === TRANSACTION_ATTEMPTS) throw mapError(error);
          // Random delays keep conflicting transactions from conflicting again.
          await sleep(Math.random() * RETRY_DELAY_MS * 2 ** attempt);
        }
      }
    },
    async isUp() {
      try {
        await runStatements((handle) => sql`SELECT 1`.execute(handle));
        return true;
      } catch (error) {
        log.debug({ err: error }, 'the database does not respond');
        return false;
      }
    },
    close() {
      closing ??= engine.close();
      return closing;
    },
  };
};
