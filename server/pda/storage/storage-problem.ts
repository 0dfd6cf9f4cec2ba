import Database from 'better-sqlite3';

/** Why a home cannot be opened. The message is for the owner; the original files are as they were. */
export class StorageProblem extends Error {
  readonly kind: 'in_use' | 'unusable' | 'damaged' | 'newer' | 'not_a_pda';
  constructor(kind: StorageProblem['kind'], text: string) {
    super(text);
    this.name = 'StorageProblem';
    this.kind = kind;
  }
}

/** Whether an error of SQLite says that the content of the file is broken. */
export const isDamage = (code: string): boolean => code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB';

export const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');

/** @param file the database @param why what was found */
export const damaged = (file: string, why: string): StorageProblem =>
  new StorageProblem(
    'damaged',
    `${file} is damaged (${why}). It was left as it is. Restore a backup, or move the file away to start anew.`,
  );

/** What a start says that met broken content on its way; any other error stays what it is. By then something may have been written. @param file the database */
export const asDamage = (file: string, error: unknown): unknown =>
  error instanceof Database.SqliteError && isDamage(error.code)
    ? new StorageProblem(
        'damaged',
        `${file} is damaged (${error.message}). Restore a backup, or move the file away to start anew.`,
      )
    : error;
