import Sqlite, { type Database } from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWriter, type Collector, type Writer } from './writer.ts';

let folder: string;
let db: Database;
let secondConnection: Database;
let writer: Writer;
let actionErrors: unknown[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pda-writer-'));
  const file = join(folder, 'test.sqlite');
  db = new Sqlite(file, { timeout: 0 });
  db.pragma('journal_mode = WAL');
  db.exec(`
    CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
    CREATE TABLE parents (id INTEGER PRIMARY KEY);
    CREATE TABLE children (parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED);
  `);
  db.pragma('foreign_keys = ON');
  secondConnection = new Sqlite(file, { timeout: 0 });
  actionErrors = [];
  writer = createWriter(db, (error) => actionErrors.push(error));
});

afterEach(() => {
  vi.restoreAllMocks();
  secondConnection.close();
  db.close();
  rmSync(folder, { recursive: true, force: true });
});

const add = (text: string): Promise<number> =>
  writer.write((tx) => Number(tx.db.prepare('INSERT INTO notes (text) VALUES (?)').run(text).lastInsertRowid));

const readCommitted = (): string[] =>
  secondConnection.prepare<[], string>('SELECT text FROM notes ORDER BY id').pluck().all();

const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

/** Writes a row that fails only at COMMIT, as can happen when the disk is full. */
const breakCommit = (): Promise<unknown> =>
  writer.write((tx) => tx.db.exec('INSERT INTO children (parent) VALUES (99)'));

// A transaction ends after some milliseconds, which a single write can take on a busy machine. Tests that need several
// writes in one transaction therefore stop the clock.
describe('group commit', () => {
  it('combines waiting writes into one transaction in the order of arrival', async () => {
    vi.spyOn(performance, 'now').mockReturnValue(0);
    const committedCounts: number[] = [];
    const jobs = ['a', 'b', 'c'].map((text) =>
      writer.write((tx) => {
        tx.db.prepare('INSERT INTO notes (text) VALUES (?)').run(text);
        committedCounts.push(readCommitted().length);
      }),
    );
    await Promise.all(jobs);
    expect(committedCounts, 'no commit between them').toEqual([0, 0, 0]);
    expect(readCommitted()).toEqual(['a', 'b', 'c']);
  });

  it('resolves after the commit with the return value of the job', async () => {
    expect(await add('a')).toBe(1);
    expect(readCommitted()).toEqual(['a']);
  });

  it('rolls back only the jobs that fail', async () => {
    const results = await Promise.allSettled([
      add('a'),
      writer.write((tx) => {
        tx.db.exec("INSERT INTO notes (text) VALUES ('half')");
        throw new RangeError('no');
      }),
      add('a'),
      add('b'),
    ]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: new RangeError('no') });
    expect(readCommitted()).toEqual(['a', 'b']);
  });

  it('rejects and rolls back all writes of a transaction whose COMMIT fails, and continues', async () => {
    vi.spyOn(performance, 'now').mockReturnValue(0);
    const firstWrite = add('a');
    const brokenCommit = errorOf(breakCommit());
    const lastWrite = errorOf(add('b'));
    expect(await errorOf(firstWrite)).toMatchObject({ code: expect.stringMatching(/^SQLITE_CONSTRAINT/u) });
    expect(await brokenCommit).toBeInstanceOf(Error);
    expect(await lastWrite).toBeInstanceOf(Error);
    expect(readCommitted()).toEqual([]);
    await add('c');
    expect(readCommitted()).toEqual(['c']);
  });

  it('rejects a write whose transaction cannot begin, and continues', async () => {
    db.exec('BEGIN');
    expect(await errorOf(add('a'))).toMatchObject({ message: expect.stringContaining('within a transaction') });
    await add('b');
    expect(readCommitted()).toEqual(['b']);
  });

  it('waits for the write lock while another connection holds it', async () => {
    secondConnection.exec('BEGIN IMMEDIATE');
    let isWritten = false;
    const write = add('a').then(() => (isWritten = true));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isWritten).toBe(false);
    secondConnection.exec('COMMIT');
    await write;
    expect(readCommitted()).toEqual(['a']);
  });

  it('yields to the event loop between transactions of a long queue', async () => {
    const order: string[] = [];
    const writeSlowly = (name: string): Promise<void> =>
      writer.write(() => {
        const deadline = performance.now() + 10;
        while (performance.now() < deadline);
        order.push(name);
      });
    let isDone = false;
    const turn = (): void => {
      order.push('turn');
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    await Promise.all([writeSlowly('first'), writeSlowly('second')]);
    isDone = true;
    expect(order.slice(order.indexOf('first') + 1, order.indexOf('second'))).toContain('turn');
  });
});

describe('actions after a commit', () => {
  it('run once after the commit, only for committed jobs', async () => {
    // The stopped clock keeps all jobs of a group in one transaction.
    vi.spyOn(performance, 'now').mockReturnValue(0);
    const calls: string[] = [];
    const note = (text: string, fail: boolean): Promise<void> =>
      writer.write((tx) => {
        tx.db.prepare('INSERT INTO notes (text) VALUES (?)').run(text);
        tx.afterCommit(() => calls.push(`${text}: ${readCommitted().join(',')}`));
        if (fail) throw new Error('no');
      });
    await Promise.allSettled([note('a', false), note('b', true), note('c', false)]);
    expect(calls).toEqual(['a: a,c', 'c: a,c']);
    calls.length = 0;
    const rolledBackNote = errorOf(note('d', false));
    await errorOf(breakCommit());
    await rolledBackNote;
    expect(calls).toEqual([]);
  });

  it('report their errors without affecting the writes or the other actions', async () => {
    const calls: string[] = [];
    const firstWrite = writer.write((tx) => {
      tx.afterCommit(() => {
        throw new Error('a listener is broken');
      });
      return 'first';
    });
    const secondWrite = writer.write((tx) => {
      tx.afterCommit(() => calls.push('second'));
      return 'second';
    });
    expect(await Promise.all([firstWrite, secondWrite])).toEqual(['first', 'second']);
    expect(calls).toEqual(['second']);
    expect(actionErrors).toEqual([new Error('a listener is broken')]);
  });
});

describe('a collector', () => {
  it('writes the items of all successful jobs once, within their transaction', async () => {
    const batches: string[][] = [];
    const collector: Collector<string> = {
      flush(tx, items) {
        batches.push([...items]);
        tx.db.prepare('INSERT INTO notes (text) VALUES (?)').run(`together: ${items.join(' ')}`);
      },
    };
    const collect = (item: string, fail = false): Promise<void> =>
      writer.write((tx) => {
        tx.collect(collector, item);
        if (fail) throw new Error('no');
      });
    await Promise.allSettled([collect('a'), collect('b', true), collect('c')]);
    expect(batches.flat()).toEqual(['a', 'c']);
    expect(readCommitted()).toEqual(batches.map((items) => `together: ${items.join(' ')}`));
  });

  it('rejects all jobs of the transaction if its items cannot be written', async () => {
    const collector: Collector<string> = {
      flush() {
        throw new Error('no flush');
      },
    };
    vi.spyOn(performance, 'now').mockReturnValue(0);
    const plainWrite = errorOf(add('a'));
    const collectingWrite = errorOf(writer.write((tx) => tx.collect(collector, 'x')));
    expect([await plainWrite, await collectingWrite]).toEqual([new Error('no flush'), new Error('no flush')]);
    expect(readCommitted()).toEqual([]);
  });
});

describe('pausing and closing', () => {
  it('delays writes until the last pause has ended', async () => {
    const resumeFirst = await writer.pause();
    const resumeSecond = await writer.pause();
    let isWritten = false;
    const write = add('a').then(() => (isWritten = true));
    resumeFirst();
    resumeFirst();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(isWritten, 'ending the same pause twice counts once').toBe(false);
    resumeSecond();
    await write;
    expect(readCommitted()).toEqual(['a']);
  });

  it('completes queued writes after a pause if the writer is closed during it, and rejects new ones', async () => {
    const resume = await writer.pause();
    const jobs = Array.from({ length: 20 }, (_, n) => add(`note ${n}`));
    const closing = writer.close();
    expect(await errorOf(add('too late'))).toEqual(new Error('the writer is closed'));
    resume();
    await closing;
    expect(readCommitted()).toHaveLength(20);
    await Promise.all(jobs);
  });
});
