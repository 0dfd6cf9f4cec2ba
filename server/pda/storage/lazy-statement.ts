import type { ColumnDefinition, Database, RunResult, Statement } from 'better-sqlite3';

/** A statement of better-sqlite3 that SQLite compiles at its first use. Invalid SQL throws only then. */
class LazyStatement implements Statement {
  readonly source: string;
  readonly #prepare: (source: string) => Statement;
  readonly #settings: ((statement: Statement) => void)[] = [];
  #preparedStatement: Statement | undefined;

  constructor(source: string, prepare: (source: string) => Statement) {
    this.source = source;
    this.#prepare = prepare;
  }

  get #statement(): Statement {
    if (this.#preparedStatement === undefined) {
      const statement = this.#prepare(this.source);
      for (const apply of this.#settings) apply(statement);
      this.#preparedStatement = statement;
    }
    return this.#preparedStatement;
  }

  #set(apply: (statement: Statement) => void): this {
    if (this.#preparedStatement === undefined) this.#settings.push(apply);
    else apply(this.#preparedStatement);
    return this;
  }

  get database(): Database {
    return this.#statement.database;
  }
  get reader(): boolean {
    return this.#statement.reader;
  }
  get readonly(): boolean {
    return this.#statement.readonly;
  }
  get busy(): boolean {
    return this.#statement.busy;
  }

  run(...parameters: unknown[]): RunResult {
    return this.#statement.run(...parameters);
  }
  get(...parameters: unknown[]): unknown {
    return this.#statement.get(...parameters);
  }
  all(...parameters: unknown[]): unknown[] {
    return this.#statement.all(...parameters);
  }
  iterate(...parameters: unknown[]): IterableIterator<unknown> {
    return this.#statement.iterate(...parameters);
  }
  columns(): ColumnDefinition[] {
    return this.#statement.columns();
  }

  bind(...parameters: unknown[]): this {
    return this.#set((statement) => statement.bind(...parameters));
  }
  pluck(enabled = true): this {
    return this.#set((statement) => statement.pluck(enabled));
  }
  raw(enabled = true): this {
    return this.#set((statement) => statement.raw(enabled));
  }
  expand(enabled = true): this {
    return this.#set((statement) => statement.expand(enabled));
  }
  safeIntegers(enabled = true): this {
    return this.#set((statement) => statement.safeIntegers(enabled));
  }
}

/**
 * Lets a connection compile its statements at their first use. A PDA declares about 700 statements, and a typical
 * process uses only a few of them. Compiling all of them at every start would take about 40 ms and 3 MB.
 */
export const prepareAtFirstUse = (db: Database): void => {
  const prepare = db.prepare.bind(db) as (source: string) => Statement;
  db.prepare = ((source: string) => new LazyStatement(source, prepare)) as Database['prepare'];
};
