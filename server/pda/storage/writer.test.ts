import Sqlite, { type Database } from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWriter, type Collector, type Writer } from './writer.ts';

let folder: string;
let db: Database;
let other: Database;
let writer: Writer;
let late: unknown[];

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
  other = new Sqlite(file, { timeout: 0 });
  late = [];
  writer = createWriter(db, (error) => late.push(error));
});

afterEach(() => {
  vi.restoreAllMocks();
  other.close();
  db.close();
  rmSync(folder, { recursive: true, force: true });
});

const add = (text: string): Promise<number> =>
  writer.write((tx) => Number(tx.db.prepare('INSERT INTO notes (text) VALUES (?)').run(text).lastInsertRowid));

/** What another connection sees: only what was committed. */
const seen = (): string[] => other.prepare<[], string>('SELECT text FROM notes ORDER BY id').pluck().all();

const failed = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

/** A job that only its COMMIT refuses, as a disk that is full at the last moment would. */
const breakCommit = (): Promise<unknown> =>
  writer.write((tx) => tx.db.exec('INSERT INTO children (parent) VALUES (99)'));

// A transaction ends after some milliseconds, which a busy machine may take for one write: where it matters, time stands still.
describe('group commit', () => {
  it('joins the writes that wait into one transaction, in the order in which they came', async () => {
    vi.spyOn(performance, 'now').mockReturnValue(0);
    const committed: number[] = [];
    const jobs = ['a', 'b', 'c'].map((text) =>
      writer.write((tx) => {
        tx.db.prepare('INSERT INTO notes (text) VALUES (?)').run(text);
        committed.push(seen().length);
      }),
    );
    await Promise.all(jobs);
    expect(committed, 'nothing was committed between them').toEqual([0, 0, 0]);
    expect(seen()).toEqual(['a', 'b', 'c']);
  });

  it('answers after the commit, with what the job returned', async () => {
    expect(await add('a')).toBe(1);
    expect(seen()).toEqual(['a']);
  });

  it('undoes a job that fails alone', async () => {
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
    expect(seen()).toEqual(['a', 'b']);
  });

  it('rejects everybody of a transaction whose COMMIT fails, keeps nothing of it, and goes on', async () => {
    vi.spyOn(performance, 'now').mockReturnValue(0);
    const first = add('a');
    const broken = failed(breakCommit());
    const third = failed(add('b'));
    expect(await failed(first)).toMatchObject({ code: expect.stringMatching(/^SQLITE_CONSTRAINT/u) });
    expect(await broken).toBeInstanceOf(Error);
    expect(await third).toBeInstanceOf(Error);
    expect(seen()).toEqual([]);
    await add('c');
    expect(seen()).toEqual(['c']);
  });

  it('answers a write whose transaction cannot even begin, and goes on', async () => {
    db.exec('BEGIN');
    const refused = failed(add('a'));
    expect(await refused).toMatchObject({ message: expect.stringContaining('within a transaction') });
    await add('b');
    expect(seen()).toEqual(['b']);
  });

  it('waits for the write lock as long as somebody else has it', async () => {
    other.exec('BEGIN IMMEDIATE');
    let answered = false;
    const waiting = add('a').then(() => (answered = true));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(answered).toBe(false);
    other.exec('COMMIT');
    await waiting;
    expect(seen()).toEqual(['a']);
  });

  it('lets others have a turn between transactions when much waits', async () => {
    const order: string[] = [];
    const slow = (name: string): Promise<void> =>
      writer.write(() => {
        const until = performance.now() + 10;
        while (performance.now() < until);
        order.push(name);
      });
    let over = false;
    const turn = (): void => {
      order.push('a turn');
      if (!over) setImmediate(turn);
    };
    setImmediate(turn);
    await Promise.all([slow('first'), slow('second')]);
    over = true;
    expect(order.slice(order.indexOf('first') + 1, order.indexOf('second'))).toContain('a turn');
  });
});

describe('what follows a commit', () => {
  it('happens after it, once, and for the jobs that were kept only', async () => {
    const heard: string[] = [];
    const note = (text: string, fail: boolean): Promise<void> =>
      writer.write((tx) => {
        tx.db.prepare('INSERT INTO notes (text) VALUES (?)').run(text);
        tx.afterCommit(() => heard.push(`${text}: ${seen().join(',')}`));
        if (fail) throw new Error('no');
      });
    await Promise.allSettled([note('a', false), note('b', true), note('c', false)]);
    // On a busy machine they can come in two transactions.
    expect(heard.map(([letter]) => letter)).toEqual(['a', 'c']);
    expect(['a: a', 'a: a,c']).toContain(heard[0]);
    expect(heard[1]).toBe('c: a,c');
    heard.length = 0;
    const doomed = failed(note('d', false));
    await failed(breakCommit());
    await doomed;
    expect(heard).toEqual([]);
  });

  it('fails alone: the writes are answered, the other actions run, and it is told', async () => {
    const heard: string[] = [];
    const first = writer.write((tx) => {
      tx.afterCommit(() => {
        throw new Error('a listener is broken');
      });
      return 'first';
    });
    const second = writer.write((tx) => {
      tx.afterCommit(() => heard.push('second'));
      return 'second';
    });
    expect(await Promise.all([first, second])).toEqual(['first', 'second']);
    expect(heard).toEqual(['second']);
    expect(late).toEqual([new Error('a listener is broken')]);
  });

  it('gathers what the jobs leave behind and writes it once, within the same transaction', async () => {
    const flushed: string[][] = [];
    const collector: Collector<string> = {
      flush(tx, items) {
        flushed.push([...items]);
        tx.db.prepare('INSERT INTO notes (text) VALUES (?)').run(`together: ${items.join(' ')}`);
      },
    };
    const leave = (item: string, fail = false): Promise<void> =>
      writer.write((tx) => {
        tx.collect(collector, item);
        if (fail) throw new Error('no');
      });
    await Promise.allSettled([leave('a'), leave('b', true), leave('c')]);
    expect(flushed.flat()).toEqual(['a', 'c']);
    expect(seen()).toEqual(flushed.map((items) => `together: ${items.join(' ')}`));
  });

  it('rejects everybody when what they left behind cannot be written', async () => {
    const collector: Collector<string> = {
      flush() {
        throw new Error('no flush');
      },
    };
    const one = failed(add('a'));
    const two = failed(writer.write((tx) => tx.collect(collector, 'x')));
    expect([await one, await two]).toEqual([new Error('no flush'), new Error('no flush')]);
    expect(seen()).toEqual([]);
  });
});

describe('pausing and closing', () => {
  it('holds writes back while it is paused, and lets them go on when the last pause is over', async () => {
    const one = await writer.pause();
    const two = await writer.pause();
    let answered = false;
    const waiting = add('a').then(() => (answered = true));
    one();
    one();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(answered, 'a pause that was ended twice counts once').toBe(false);
    two();
    await waiting;
    expect(seen()).toEqual(['a']);
  });

  it('writes what waits before it closes, also behind a pause, and takes nothing more', async () => {
    const goOn = await writer.pause();
    const jobs = Array.from({ length: 20 }, (_, n) => add(`note ${n}`));
    const closed = writer.close();
    expect(await failed(add('too late'))).toEqual(new Error('the store is closed'));
    goOn();
    await closed;
    expect(seen()).toHaveLength(20);
    await Promise.all(jobs);
  });
});
