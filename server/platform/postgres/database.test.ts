import { createServer, type Socket } from 'node:net';
import { sql, type Generated } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Failure } from '../failure.ts';
import { silentLog } from '../log.ts';
import { isUniqueViolation, openPostgres, type Migration, type Postgres } from './database.ts';
import {
  createTestDatabase,
  describeOnBothDatabases,
  startOwnPostgres,
  type OwnPostgres,
} from './database.test-support.ts';
import { PATIENT_DATABASE_LIMITS } from './server-client.test-support.ts';
import { uuidV7 } from './uuid-v7.ts';
import { IS_THOROUGH_RUN } from '../../../tests/support/long-run.ts';

type Tables = { counters: { id: string; n: number; at: Generated<number> } };

const FIRST_MIGRATION: Migration = {
  name: '0001-counters',
  sql: `CREATE TABLE counters (id text PRIMARY KEY, n integer NOT NULL, at bigint NOT NULL DEFAULT 1700000000000);
        INSERT INTO counters (id, n) VALUES ('a', 0), ('b', 0);`,
};
const SECOND_MIGRATION: Migration = { name: '0002-more', sql: "INSERT INTO counters (id, n) VALUES ('c', 7);" };
const log = silentLog();

const failureOf = async (work: Promise<unknown>): Promise<Failure> => {
  const error: unknown = await work.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (!(error instanceof Failure)) throw new Error(`not a Failure: ${String(error)}`, { cause: error });
  return error;
};

const expectedFailure = { code: 'unavailable', headers: { 'retry-after': '2' } };

describeOnBothDatabases('the database of a service', ({ kind, createDatabase }) => {
  let address = '';
  let database: Postgres<Tables>;
  beforeAll(async () => {
    address = await createDatabase();
    database = await openPostgres<Tables>({
      ...PATIENT_DATABASE_LIMITS,
      database: address,
      migrations: [FIRST_MIGRATION],
      log,
    });
  });
  afterAll(() => database.close());

  const valueOf = (id: string): Promise<number> =>
    database.run(async (db) => {
      const row = await db.selectFrom('counters').select('n').where('id', '=', id).executeTakeFirstOrThrow();
      return row.n;
    });

  it('reports its kind and that it is up', async () => {
    expect(database.kind).toBe(kind);
    expect(await database.isUp()).toBe(true);
  });

  it('returns bigints, counts and sums as numbers, JSON parsed, and bytes unchanged', async () => {
    const row = await database.run((db) =>
      sql<
        Record<string, unknown>
      >`SELECT max(at) AS at, count(*) AS rows, sum(at) AS sum, ${JSON.stringify({ a: [1] })}::jsonb AS json,
        array_agg(id ORDER BY id) AS ids, ${Buffer.from('ab')}::bytea AS bytes FROM counters`.execute(db),
    );
    const { bytes, ...rest } = row.rows[0] ?? {};
    expect(rest).toEqual({ at: 1_700_000_000_000, rows: 2, sum: 3_400_000_000_000, json: { a: [1] }, ids: ['a', 'b'] });
    expect(bytes instanceof Uint8Array && Buffer.from(bytes).toString()).toBe('ab');
  });

  it('rolls back a transaction whose work fails', async () => {
    const work = database.transact(async (tx) => {
      await tx.updateTable('counters').set({ n: 5 }).where('id', '=', 'a').execute();
      throw new Failure('not_found', 'no');
    });
    expect((await failureOf(work)).code).toBe('not_found');
    expect(await valueOf('a')).toBe(0);
  });

  it('does not commit after a failed statement that was ignored', async () => {
    const work = database.transact(async (tx) => {
      await tx.updateTable('counters').set({ n: 6 }).where('id', '=', 'a').execute();
      await tx
        .insertInto('counters')
        .values({ id: 'a', n: 1 })
        .execute()
        .catch(() => undefined);
    });
    await expect(work).rejects.toThrow();
    expect(await valueOf('a')).toBe(0);
  });

  it('distinguishes a unique violation from other errors', async () => {
    const error: unknown = await database
      .run((db) => db.insertInto('counters').values({ id: 'a', n: 1 }).execute())
      .catch((caught: unknown) => caught);
    expect(isUniqueViolation(error)).toBe(true);
    const otherError: unknown = await database
      .run((db) => sql`SELECT * FROM nowhere`.execute(db))
      .catch((caught: unknown) => caught);
    expect(String(otherError)).toContain('nowhere');
    expect(isUniqueViolation(otherError)).toBe(false);
  });

  it('does not lose concurrent updates', async () => {
    const add = (): Promise<unknown> =>
      database.transact((tx) =>
        tx
          .updateTable('counters')
          .set((eb) => ({ n: eb('n', '+', 1) }))
          .where('id', '=', 'b')
          .execute(),
      );
    await Promise.all(Array.from({ length: 40 }, add));
    expect(await valueOf('b')).toBe(40);
  });

  it('retries a transaction after a conflict, a limited number of times', async () => {
    const collide = sql`DO $$ BEGIN RAISE EXCEPTION 'collided' USING ERRCODE = '40001'; END $$`;
    let runs = 0;
    await database.transact(async (tx) => {
      runs += 1;
      if (runs < 3) await collide.execute(tx);
    });
    expect(runs).toBe(3);
    expect(await failureOf(database.transact((tx) => collide.execute(tx)))).toMatchObject(expectedFailure);
  });

  if (kind === 'pglite') {
    it('cannot be opened a second time while it is open', async () => {
      const secondOpening = openPostgres({ database: address, migrations: [FIRST_MIGRATION], log });
      expect(await failureOf(secondOpening)).toMatchObject({ code: 'wrong_state' });
      expect(await database.isUp()).toBe(true);
    });
  }

  it('migrates an older version and refuses a newer one', async () => {
    const open = (migrations: Migration[]): Promise<Postgres<Tables>> =>
      openPostgres<Tables>({ ...PATIENT_DATABASE_LIMITS, database: address, migrations, log });
    await database.close();
    const laterDatabase = await open([FIRST_MIGRATION, SECOND_MIGRATION]);
    expect(
      await laterDatabase.run((db) => db.selectFrom('counters').select('id').orderBy('id').execute()),
    ).toHaveLength(3);
    await laterDatabase.close();
    const failure = await failureOf(open([FIRST_MIGRATION]));
    expect(failure).toMatchObject({ code: 'wrong_state', reason: expect.stringMatching(/newer version.*0002-more/u) });
  });

  it.skipIf(!IS_THOROUGH_RUN)('rolls back a failed migration, and is unavailable after close', async () => {
    const brokenMigration = { name: '0003-broken', sql: 'CREATE TABLE half (id text); SELECT nothing FROM nowhere;' };
    const migrations = [FIRST_MIGRATION, SECOND_MIGRATION];
    await expect(
      openPostgres({
        ...PATIENT_DATABASE_LIMITS,
        database: address,
        migrations: [...migrations, brokenMigration],
        log,
      }),
    ).rejects.toThrow(/nowhere/u);
    const reopenedDatabase = await openPostgres<Tables>({
      ...PATIENT_DATABASE_LIMITS,
      database: address,
      migrations,
      log,
    });
    // The records of the earlier migrations are unchanged.
    expect(await reopenedDatabase.run((db) => db.selectFrom('counters').select('id').execute())).toHaveLength(3);
    const response = await reopenedDatabase.run((db) =>
      sql<{ t: string | null }>`SELECT to_regclass('half') AS t`.execute(db),
    );
    expect(response.rows).toEqual([{ t: null }]);
    await reopenedDatabase.close();
    expect(await failureOf(reopenedDatabase.run((db) => sql`SELECT 1`.execute(db)))).toMatchObject(expectedFailure);
    expect(await failureOf(reopenedDatabase.transact((tx) => sql`SELECT 1`.execute(tx)))).toMatchObject(
      expectedFailure,
    );
    expect(await reopenedDatabase.isUp()).toBe(false);
  });
});

describe('a PostgreSQL server', () => {
  /** The limits allow for a busy machine. */
  const patientOptions = async () => ({
    database: await createTestDatabase(),
    log,
    ...PATIENT_DATABASE_LIMITS,
  });

  it('has its tables created only once when three instances open it at the same time', async () => {
    const options = await patientOptions();
    // Slow enough for the other instances to open the database during the migration.
    const slowMigration = { name: '0001-counters', sql: `${FIRST_MIGRATION.sql} SELECT pg_sleep(0.2);` };
    const open = (): Promise<Postgres<Tables>> =>
      openPostgres<Tables>({ ...options, migrations: [slowMigration, SECOND_MIGRATION] });
    const instances = await Promise.all([open(), open(), open()]);
    for (const instance of instances)
      expect(await instance.run((db) => db.selectFrom('counters').select('id').execute())).toHaveLength(3);
    for (const instance of instances) await instance.close();
  });

  it('has its tables created only once if its default isolation level is serializable', async () => {
    const options = await patientOptions();
    const client = new Client({ connectionString: options.database });
    await client.connect();
    const name = new URL(options.database).pathname.slice(1);
    await client.query(`ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
    await client.end();
    const slowMigration = { name: '0001-counters', sql: `${FIRST_MIGRATION.sql} SELECT pg_sleep(0.2);` };
    const open = (): Promise<Postgres<Tables>> => openPostgres<Tables>({ ...options, migrations: [slowMigration] });
    const instances = await Promise.all([open(), open(), open()]);
    for (const instance of instances) await instance.close();
  });

  it('cancels a slow statement and a long wait for a lock', async () => {
    const options = { ...(await patientOptions()), migrations: [FIRST_MIGRATION] };
    const impatientDatabase = await openPostgres<Tables>({ ...options, statementMs: 150 });
    expect(await failureOf(impatientDatabase.run((db) => sql`SELECT pg_sleep(20)`.execute(db)))).toMatchObject(
      expectedFailure,
    );
    const patientDatabase = await openPostgres<Tables>(options);
    await patientDatabase.transact(async (tx) => {
      await tx.updateTable('counters').set({ n: 1 }).where('id', '=', 'a').execute();
      const concurrentUpdate = impatientDatabase.run((db) =>
        db.updateTable('counters').set({ n: 2 }).where('id', '=', 'a').execute(),
      );
      expect(await failureOf(concurrentUpdate)).toMatchObject(expectedFailure);
    });
    await impatientDatabase.close();
    await patientDatabase.close();
  });

  it('is reported as unavailable while it does not respond', async () => {
    const options = await patientOptions();
    const address = new URL(options.database);
    // The proxy can stop forwarding without closing the connection.
    const sockets: Socket[] = [];
    let isSilent = false;
    const proxy = createServer((clientSocket) => {
      const serverSocket = new (clientSocket.constructor as typeof Socket)().connect(Number(address.port), '127.0.0.1');
      sockets.push(clientSocket, serverSocket);
      clientSocket
        .on('data', (bytes) => serverSocket.write(bytes))
        .on('error', () => serverSocket.destroy())
        .on('close', () => serverSocket.destroy());
      serverSocket
        .on('data', (bytes) => isSilent || clientSocket.write(bytes))
        .on('error', () => clientSocket.destroy())
        .on('close', () => clientSocket.destroy());
    });
    await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
    const proxyUrl = new URL(address);
    const proxyAddress = proxy.address();
    proxyUrl.port = String(typeof proxyAddress === 'object' && proxyAddress !== null ? proxyAddress.port : 0);
    const database = await openPostgres<Tables>({
      ...options,
      database: proxyUrl.href,
      migrations: [FIRST_MIGRATION],
      statementMs: 100,
    });
    // On a busy machine, a statement can exceed its limit.
    await expect.poll(() => database.isUp()).toBe(true);
    isSilent = true;
    expect(await failureOf(database.run((db) => sql`SELECT 1`.execute(db)))).toMatchObject(expectedFailure);
    isSilent = false;
    await expect.poll(() => database.isUp()).toBe(true);
    await database.close();
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });

  it('is reported as unavailable after a long wait for a connection', async () => {
    const options = await patientOptions();
    const database = await openPostgres<Tables>({ ...options, migrations: [], connections: 1 });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await database.transact(async () => {
      const waitingRead = failureOf(database.run((db) => sql`SELECT 1`.execute(db)));
      // The pool queues the request in this turn of the event loop.
      await new Promise(setImmediate);
      vi.advanceTimersByTime(options.connectMs);
      expect(await waitingRead).toMatchObject(expectedFailure);
    });
    vi.useRealTimers();
    await database.close();
  });

  it('that refuses connections is reported with its address but without credentials', async () => {
    const opening = openPostgres({ database: 'postgres://x:secret@127.0.0.1:1/none', migrations: [], log });
    expect((await failureOf(opening)).reason).toBe(
      'The database at 127.0.0.1:1/none cannot be used: connect ECONNREFUSED 127.0.0.1:1',
    );
  });

  it('whose address is not valid is reported without the address, which can contain a password', async () => {
    const opening = openPostgres({ database: 'postgres://x:secret@127.0.0.1:99999/none', migrations: [], log });
    expect(await failureOf(opening)).toMatchObject({
      code: 'invalid_input',
      reason: 'The address of the database is not valid. Use the form postgres://user:password@host:port/name.',
    });
  });

  describe('that is restarted', () => {
    let postgres: OwnPostgres;
    beforeAll(async () => {
      postgres = await startOwnPostgres();
    });
    afterAll(() => postgres.close());

    it('is unavailable during the restart and recovers', async () => {
      const limits = { connectMs: PATIENT_DATABASE_LIMITS.connectMs };
      const database = await openPostgres<Tables>({
        ...limits,
        database: await postgres.createDatabase(),
        migrations: [FIRST_MIGRATION],
        log,
      });
      const add = (): Promise<unknown> =>
        database.transact(async (tx) => {
          await tx
            .updateTable('counters')
            .set((eb) => ({ n: eb('n', '+', 1) }))
            .where('id', '=', 'a')
            .execute();
          await sql`SELECT pg_sleep(0.01)`.execute(tx);
        });
      let isStopped = false;
      let committedCount = 0;
      const outcomes = new Set<string>();
      const addUntilStopped = async (): Promise<void> => {
        while (!isStopped) {
          await add().then(
            () => (committedCount += 1),
            (error: unknown) => outcomes.add(error instanceof Failure ? error.code : String(error)),
          );
        }
      };
      const callers = Promise.all([addUntilStopped(), addUntilStopped(), addUntilStopped()]);
      // When the server stops, this database has an idle connection and one in the middle of a transaction.
      const idleDatabase = await openPostgres<Tables>({
        ...limits,
        database: await postgres.createDatabase(),
        migrations: [FIRST_MIGRATION],
        log,
      });
      expect(await idleDatabase.isUp()).toBe(true);
      const { promise: shutdown, resolve: reportShutdown } = Promise.withResolvers<void>();
      const interruptedTransaction = idleDatabase.transact(async (tx) => {
        await sql`SELECT 1`.execute(tx);
        await shutdown;
        await sql`SELECT 1`.execute(tx);
      });
      expect(await idleDatabase.isUp()).toBe(true);
      await postgres.stop();
      reportShutdown();
      expect(await failureOf(interruptedTransaction)).toMatchObject(expectedFailure);
      expect(await database.isUp()).toBe(false);
      await postgres.start();
      await expect.poll(() => database.isUp()).toBe(true);
      isStopped = true;
      await callers;
      expect([...outcomes]).toEqual(['unavailable']);
      await expect.poll(() => idleDatabase.isUp()).toBe(true);
      await idleDatabase.close();
      await add();
      const row = await database.run((db) =>
        db.selectFrom('counters').select('n').where('id', '=', 'a').executeTakeFirstOrThrow(),
      );
      // A transaction whose response was lost may have been committed.
      expect(row.n).toBeGreaterThanOrEqual(committedCount + 1);
      expect(row.n).toBeLessThanOrEqual(committedCount + 4);
      await database.close();
    });
  });
});

describe('uuidV7', () => {
  it('creates UUIDs of version 7, ordered by time', () => {
    const ids = Array.from({ length: 10_000 }, () => uuidV7(1_700_000_000_000));
    expect(ids[0]).toMatch(/^018bcfe5-6800-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u);
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(10_000);
    expect(uuidV7(1_700_000_000_001) > (ids.at(-1) ?? '')).toBe(true);
  });
});
