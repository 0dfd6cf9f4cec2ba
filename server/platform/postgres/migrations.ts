import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../failure.ts';
import type { Log } from '../log.ts';
import type { Engine, Session } from './engine.ts';
import { isSerializationFailure, sqlState } from './errors.ts';

/** The name begins with a number (`0001-accounts`). Released migrations must never be changed. */
export type Migration = { name: string; sql: string };

const MIGRATION_ATTEMPTS = 20;
const RETRY_DELAY_MS = 50;

/** SQLSTATEs of concurrent creation of the same table. One process fails, and succeeds when it retries. */
const CONCURRENT_CREATION_STATES: ReadonlySet<string> = new Set(['23505', '42P07', '42710', 'XX000']);

const retryOnCollision = async <R>(work: () => Promise<R>, isRetryable: (error: unknown) => boolean): Promise<R> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === MIGRATION_ATTEMPTS || !(isSerializationFailure(error) || isRetryable(error))) throw error;
      await sleep(Math.random() * RETRY_DELAY_MS * attempt);
    }
  }
};

const createMigrationTables = (session: Session): Promise<void> =>
  session.runScript(`
    CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied bigint NOT NULL);
    CREATE TABLE IF NOT EXISTS migration_lock (id integer PRIMARY KEY);
    INSERT INTO migration_lock (id) VALUES (1) ON CONFLICT DO NOTHING;
  `);

const applyNext = async (
  session: Session,
  migrations: readonly Migration[],
  log: Log,
  onMigrate: () => void,
): Promise<boolean> => {
  // A row lock works with every PostgreSQL-compatible engine and connection pooler, unlike an advisory lock.
  await session.query('SELECT id FROM migration_lock WHERE id = 1 FOR UPDATE');
  const appliedNames = new Set((await session.query('SELECT name FROM migrations')).map(({ name }) => String(name)));
  const knownNames = new Set(migrations.map(({ name }) => name));
  const unknownNames = [...appliedNames].filter((name) => !knownNames.has(name)).toSorted();
  if (unknownNames.length > 0) {
    throw new Failure(
      'wrong_state',
      `The database was written by a newer version of this program (it has ${unknownNames.join(', ')}). ` +
        'It was not changed. Install the newer version.',
    );
  }
  const next = migrations.find(({ name }) => !appliedNames.has(name));
  if (next === undefined) return false;
  onMigrate();
  await session.runScript(next.sql);
  await session.query('INSERT INTO migrations (name, applied) VALUES ($1, $2)', [next.name, Date.now()]);
  log.info({ migration: next.name }, 'database migration applied');
  return true;
};

/**
 * Applies missing migrations, each in its own transaction. If several processes start at once, one applies a migration
 * while the others wait.
 * @throws Failure wrong_state if the database was written by a newer version
 */
export const migrate = async (
  engine: Engine,
  migrations: readonly Migration[],
  log: Log,
  onMigrate: () => void = () => undefined,
): Promise<void> => {
  await retryOnCollision(
    () => engine.withSession(createMigrationTables),
    (error) => CONCURRENT_CREATION_STATES.has(sqlState(error) ?? ''),
  );
  const applyNextMigration = (): Promise<boolean> =>
    engine.withSession((session) => applyNext(session, migrations, log, onMigrate));
  while (await retryOnCollision(applyNextMigration, () => false));
};
