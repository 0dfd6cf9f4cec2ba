import Sqlite from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isInSameCall } from './call-counter.ts';
import { createDatabaseThread, ThreadError, type DatabaseThread } from './client.ts';
import { registerChangingTables } from './schema-changes.test-support.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

const HANGING_FUNCTIONS = new URL('./hanging-functions.test-support.ts', import.meta.url).href;
const SCHEMA_CHANGES = new URL('./schema-changes.test-support.ts', import.meta.url).href;
const FUNCTIONS_MODULE = new URL('../../data/queries/sql/functions.ts', import.meta.url).href;
const ROWS = 5000;

let folder: string;
let file: string;
let thread: DatabaseThread;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pda-threads-'));
  file = join(folder, 'test.sqlite');
  const db = new Sqlite(file);
  db.pragma('journal_mode = WAL');
  db.exec(
    `CREATE TABLE numbers AS WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${ROWS}) SELECT n, n * 0.5 AS half FROM n`,
  );
  db.close();
  thread = createDatabaseThread({ file, role: 'reader', functionsModule: FUNCTIONS_MODULE });
});

afterEach(async () => {
  await thread.close();
  rmSync(folder, { recursive: true, force: true });
});

const errorOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

/** Returns, for each thread that the work starts, the number of other live threads. */
const countOthersAtStart = async (work: () => Promise<void>): Promise<number[]> => {
  const threads: Worker[] = [];
  const otherCounts: number[] = [];
  const onWorker = (worker: Worker): void => {
    otherCounts.push(threads.filter(({ threadId }) => threadId !== -1).length);
    threads.push(worker);
  };
  process.on('worker', onWorker);
  await work().finally(() => process.off('worker', onWorker));
  return otherCounts;
};

describe('a database thread', () => {
  it('yields all rows in chunks and in order', async () => {
    const sizes: number[] = [];
    const receivedNumbers: number[] = [];
    for await (const chunk of thread.rows<{ n: number }>('SELECT n FROM numbers ORDER BY n', [], 1999)) {
      sizes.push(chunk.length);
      receivedNumbers.push(...chunk.map((row) => row.n));
    }
    expect(sizes).toEqual([1999, 1999, 1002]);
    expect(receivedNumbers).toEqual(Array.from({ length: ROWS }, (_, index) => index + 1));
  });

  it('runs another query between two chunks of a query', async () => {
    const rows = thread.rows<{ n: number }>('SELECT n FROM numbers ORDER BY n', [], 10);
    await rows.next();
    expect(await thread.all('SELECT count(*) AS count FROM numbers')).toEqual([{ count: ROWS }]);
    expect((await rows.next()).value).toHaveLength(10);
    await rows.return(undefined);
  });

  it('stops a query whose reader stops early, so that the write-ahead log can restart', async () => {
    for await (const chunk of thread.rows('SELECT n FROM numbers', [], 10)) {
      expect(chunk).toHaveLength(10);
      break;
    }
    await thread.all('SELECT 1');
    const db = new Sqlite(file);
    db.exec('UPDATE numbers SET half = 0');
    const [result] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    expect(result?.busy, 'no reader is left').toBe(0);
    db.close();
  });

  it('passes parameters, and reports errors with their code', async () => {
    expect(await thread.all('SELECT n FROM numbers WHERE n BETWEEN ? AND ?', [3, 4])).toEqual([{ n: 3 }, { n: 4 }]);
    const error = await errorOf(thread.all('SELECT some FROM nowhere'));
    expect(error).toBeInstanceOf(ThreadError);
    expect(error).toMatchObject({ code: 'SQLITE_ERROR', message: 'no such table: nowhere' });
    const lateError = await errorOf(
      thread.all("SELECT json_extract(CASE n WHEN 700 THEN '{' ELSE '{}' END, '$') FROM numbers"),
    );
    expect(lateError, 'an error within the rows').toMatchObject({ message: 'malformed JSON' });
    expect(await thread.all('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('cannot write with the role reader', async () => {
    expect(await errorOf(thread.exec('DELETE FROM numbers'))).toMatchObject({ code: 'SQLITE_READONLY' });
  });

  it('returns the columns of all rows as one array of numbers', async () => {
    const numbers = await thread.numbers('SELECT n, half FROM numbers ORDER BY n', []);
    expect(numbers).toHaveLength(2 * ROWS);
    expect([...numbers.slice(0, 4), ...numbers.slice(-2)]).toEqual([1, 0.5, 2, 1, ROWS, ROWS / 2]);
    expect(await thread.numbers('SELECT n FROM numbers WHERE n < 0', [])).toHaveLength(0);
    expect(await errorOf(thread.numbers('SELECT', []))).toBeInstanceOf(ThreadError);
  });

  it('processes concurrent requests', async () => {
    const counts = await Promise.all(
      [10, 20, 30].map((limit) => thread.all('SELECT n FROM numbers LIMIT ?', [limit]).then((rows) => rows.length)),
    );
    expect(counts).toEqual([10, 20, 30]);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'is replaced after a large read; the new thread starts only after the old one has exited',
    async () => {
      const numbers = `[${'1,'.repeat(4_000_000)}1]`;
      const otherThreadCounts = await countOthersAtStart(async () => {
        await thread.content('SELECT CAST(? AS BLOB) AS data', [numbers], '{"a":"[0]"}');
        // The thread reports its large heap only after its response.
        for (let reads = 0; reads < 2; reads += 1) expect(await thread.all('SELECT 1 AS one')).toEqual([{ one: 1 }]);
      });
      expect(otherThreadCounts).toEqual([0, 0]);
    },
  );

  it('is not replaced during a query that was queued behind a large read', async () => {
    const numbers = `[${'1,'.repeat(4_000_000)}1]`;
    const largeRead = thread.content('SELECT CAST(? AS BLOB) AS data', [numbers], '{"a":"[0]"}');
    let rowCount = 0;
    for await (const chunk of thread.rows('SELECT n FROM numbers', [], 1000)) rowCount += chunk.length;
    expect(rowCount).toBe(ROWS);
    await largeRead;
  });

  it('does not end as idle while a query has unread rows', async () => {
    const rows = thread.rows<{ n: number }>('SELECT n FROM numbers ORDER BY n', [], 10);
    await thread.all('SELECT 1');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      await rows.next();
      vi.advanceTimersByTime(60_000);
    } finally {
      vi.useRealTimers();
    }
    expect((await rows.next()).value?.[0]).toEqual({ n: 11 });
    await rows.return(undefined);
  });

  it('reads through a full-text index while another connection changes the schema repeatedly', async () => {
    const db = new Sqlite(file);
    registerChangingTables(db, () => undefined);
    db.exec(
      "CREATE VIRTUAL TABLE changes USING changing; CREATE VIRTUAL TABLE texts USING fts5 (words, content=''); INSERT INTO texts (rowid, words) VALUES (7, 'zebra')",
    );
    db.close();
    const threadDuringChanges = createDatabaseThread({ file, role: 'reader', functionsModule: SCHEMA_CHANGES });
    const sql = "SELECT texts.rowid AS id FROM changes, texts WHERE texts MATCH 'zebra'";
    try {
      expect(await threadDuringChanges.numbers(sql, [])).toEqual(new Float64Array([7]));
      const tables = await threadDuringChanges.all(
        "SELECT count(*) AS count FROM sqlite_schema WHERE name GLOB 'changed_*'",
      );
      expect(tables, 'the schema changed').toEqual([{ count: 3 }]);
    } finally {
      await threadDuringChanges.close();
    }
  });

  it.skipIf(!IS_THOROUGH_RUN)('rejects requests while its file is missing, and works afterwards', async () => {
    const threadWithoutFile = createDatabaseThread({
      file: join(folder, 'later.sqlite'),
      role: 'reader',
      functionsModule: FUNCTIONS_MODULE,
    });
    const errors = await Promise.all([
      errorOf(threadWithoutFile.all('SELECT 1')),
      errorOf(threadWithoutFile.numbers('SELECT 1', [])),
    ]);
    expect(errors.every((error) => error instanceof Error)).toBe(true);
    new Sqlite(join(folder, 'later.sqlite')).exec('CREATE TABLE items (id)').close();
    expect(await threadWithoutFile.all('SELECT count(*) AS count FROM items')).toEqual([{ count: 0 }]);
    await threadWithoutFile.close();
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'refuses too many numbers and JSON that needs too much memory, and works afterwards',
    async () => {
      const columns = Array.from({ length: 32 }, () => 'n').join();
      const manyNumbers = `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT 300000) SELECT ${columns} FROM n`;
      expect(await errorOf(thread.numbers(manyNumbers, []))).toMatchObject({ code: 'READ_LIMIT_MEMORY' });
      const objects = `[${'{},'.repeat(3_000_000)}1]`;
      const mappedContent = thread.content('SELECT CAST(? AS BLOB) AS data', [objects], '{"a":"[0]"}');
      expect(await errorOf(mappedContent)).toMatchObject({ code: 'READ_LIMIT_MEMORY' });
      const content = await thread.content(
        'SELECT CAST(? AS BLOB) AS data, 5 AS updated',
        ['{"a":[1,2]}'],
        '{"b":"a[1]"}',
      );
      expect([Buffer.from(content?.content ?? []).toString(), content?.row]).toEqual(['{"b":2}', { updated: 5 }]);
    },
  );

  it('rejects further reads of rows after it is closed', async () => {
    const rows = thread.rows('SELECT n FROM numbers', [], 10);
    await rows.next();
    await thread.close();
    expect(await errorOf(rows.next())).toMatchObject({ code: 'CLOSED' });
  });

  it('can be closed during a query, and twice', async () => {
    const rows = thread.rows('SELECT n FROM numbers', [], 10);
    await rows.next();
    await Promise.all([thread.close(), thread.close()]);
    expect(await errorOf(thread.all('SELECT 1'))).toMatchObject({ code: 'CLOSED' });
  });
});

it('isInSameCall returns true only if both counts belong to one call that has not returned', () => {
  expect([isInSameCall(undefined, 1), isInSameCall(1, 3), isInSameCall(2, 2)]).toEqual([false, false, false]);
  expect(isInSameCall(3, 3)).toBe(true);
});

describe('a maintenance thread', () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    'is replaced if a call to an SQL function does not return; the statement leaves no trace',
    async () => {
      const maintenance = createDatabaseThread({
        file,
        role: 'maintenance',
        functionsModule: HANGING_FUNCTIONS,
        callMaxMs: 500,
      });
      try {
        const stuckStatement = maintenance.exec('CREATE INDEX stuck ON numbers (pda_hang(n))');
        expect(await errorOf(stuckStatement)).toMatchObject({ code: 'READ_LIMIT_TIME' });
        await maintenance.exec('CREATE INDEX healthy ON numbers (n)');
        const indexes = await maintenance.all("SELECT name FROM sqlite_schema WHERE type = 'index'");
        expect(indexes).toEqual([{ name: 'healthy' }]);
      } finally {
        await maintenance.close();
      }
    },
  );

  it('builds an index with functions of several arguments', async () => {
    const maintenance = createDatabaseThread({ file, role: 'maintenance', functionsModule: FUNCTIONS_MODULE });
    try {
      await maintenance.exec("CREATE INDEX lists ON numbers (pda_contains('[' || n || ']', '1'))");
      expect(await maintenance.all("SELECT name FROM sqlite_schema WHERE type = 'index'")).toEqual([{ name: 'lists' }]);
    } finally {
      await maintenance.close();
    }
  });
});

describe('a database thread with a deadline', () => {
  const DEADLINE_MS = 3000;
  const COUNTING_QUERY =
    'WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE pda_spend(1, 1, 0)) SELECT max(n) FROM n';
  /** Returns two JSON lists of the same objects in opposite order. Comparing long lists takes minutes for one row. */
  const createReversedLists = (length: number): [string, string] => {
    const objects = Array.from({ length }, (_, n) => ({ n }));
    return [JSON.stringify(objects), JSON.stringify(objects.toReversed())];
  };
  let limitedThread: DatabaseThread;
  beforeEach(() => {
    limitedThread = createDatabaseThread({
      file,
      role: 'reader',
      functionsModule: FUNCTIONS_MODULE,
      deadlineMs: DEADLINE_MS,
    });
  });
  afterEach(() => limitedThread.close());

  it.skipIf(!IS_THOROUGH_RUN)('ends a query that reads too many rows for its deadline', async () => {
    expect(await errorOf(limitedThread.numbers(COUNTING_QUERY, []))).toMatchObject({ code: 'READ_LIMIT_TIME' });
    expect(await limitedThread.all('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'is replaced after its deadline; the new thread starts only after the old one has exited',
    async () => {
      const otherThreadCounts = await countOthersAtStart(async () => {
        const stuckQuery = limitedThread.numbers('SELECT pda_contains(?, ?)', createReversedLists(60_000));
        expect(await errorOf(stuckQuery)).toMatchObject({ code: 'READ_LIMIT_TIME' });
        expect(await limitedThread.all('SELECT 1 AS one')).toEqual([{ one: 1 }]);
      });
      expect(otherThreadCounts).toEqual([0, 0]);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('uses a new thread for the requests queued behind a stuck query', async () => {
    const stuckQuery = errorOf(limitedThread.numbers('SELECT pda_contains(?, ?)', createReversedLists(60_000)));
    const queuedReads = [limitedThread.all('SELECT 1 AS one'), limitedThread.numbers('SELECT 2', [])];
    expect(await stuckQuery).toMatchObject({ code: 'READ_LIMIT_TIME' });
    expect(await queuedReads[0]).toEqual([{ one: 1 }]);
    expect(await queuedReads[1]).toEqual(new Float64Array([2]));
  });
});
