import type { Database, Transaction } from '../../../storage/index.ts';
import type { ElementProblem } from '../tabular/element-source.ts';

export type KindRow = { endpoint: string; before_seq: number | null; added: number; same: number; changed: number };
/** `content`: content hashes of the entry. */
type EntryKeyRow = { seq: number; content: string };
/** Original of a record before a change: its JSON text, and the content hashes of its entry. */
export type OriginalRow = { endpoint: number; key: string; seq: number; content: string; data: string };
/** `author`: id of the origin that stored the original; null if unknown. */
export type ChangeRow = OriginalRow & { author: number | null };

/** Further problems are only counted. */
const MAX_STORED_PROBLEMS = 100;

/** Keys and hashes are strings with one character per byte in memory, and BLOBs in the database. */
const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');
const textOf = (bytes: Buffer): string => bytes.toString('latin1');

export type KindsStore = ReturnType<typeof createKindsStore>;

export const createKindsStore = (db: Database) => {
  const kinds = db.prepare<[string], KindRow>(
    'SELECT endpoint, before_seq, added, same, changed FROM import_kinds WHERE import = ? ORDER BY endpoint',
  );
  const addKind = db.prepare('INSERT OR REPLACE INTO import_kinds (import, endpoint, before_seq) VALUES (?, ?, ?)');
  const addCounts = db.prepare(
    'UPDATE import_kinds SET added = added + ?, same = same + ?, changed = changed + ? WHERE import = ? AND endpoint = ?',
  );
  const saveCursor = db.prepare(
    `UPDATE imports SET cursor = ?, bytes_read = ?, added = added + ?, skipped = skipped + ?,
       changed_records = changed_records + ?, problem_count = problem_count + ? WHERE id = ?`,
  );
  const problems = db.prepare<[string], ElementProblem>(
    'SELECT position, problem FROM import_problems WHERE import = ? ORDER BY number',
  );
  const addProblem = db.prepare(
    'INSERT OR IGNORE INTO import_problems (import, number, position, problem) VALUES (?, ?, ?, ?)',
  );
  const findKey = db.prepare<[number, Buffer], { seq: number; content: Buffer }>(
    'SELECT seq, content FROM import_keys WHERE endpoint = ? AND key = ?',
  );
  const setKey = db.prepare('INSERT OR REPLACE INTO import_keys (endpoint, key, seq, content) VALUES (?, ?, ?, ?)');
  const hasKeys = db.prepare<[number], number>('SELECT 1 FROM import_keys WHERE endpoint = ? LIMIT 1').pluck();
  const keysAfter = db.prepare<[number, Buffer, number], { key: Buffer; seq: number }>(
    'SELECT key, seq FROM import_keys WHERE endpoint = ? AND key > ? ORDER BY key LIMIT ?',
  );
  const dropKey = db.prepare('DELETE FROM import_keys WHERE endpoint = ? AND key = ?');
  // The newest version of a record shows who stored its current data. Without a version, the author is known only if
  // the record was never updated.
  const saveOriginal = db.prepare(
    `INSERT OR IGNORE INTO import_changes (import, endpoint, key, seq, content, data, author)
     SELECT :id, :endpoint, :key, seq, :content, :data, coalesce(
       (SELECT origin FROM record_versions AS version WHERE version.seq = records.seq ORDER BY version DESC LIMIT 1),
       CASE WHEN updated IS NULL THEN origin END)
     FROM records WHERE seq = :seq`,
  );
  const changes = db.prepare<[string, number], Omit<ChangeRow, 'key' | 'content'> & { key: Buffer; content: Buffer }>(
    'SELECT endpoint, key, seq, content, data, author FROM import_changes WHERE import = ? LIMIT ?',
  );
  const laterImport = db
    .prepare<[number, Buffer, string], string>(
      `SELECT i.id FROM imports i JOIN import_changes c ON c.import = i.id AND c.endpoint = ? AND c.key = ?
       WHERE (i.started, i.rowid) > (SELECT started, rowid FROM imports WHERE id = ?) ORDER BY i.started, i.rowid LIMIT 1`,
    )
    .pluck();
  const handOverOriginal = db.prepare(
    'UPDATE import_changes SET content = ?, data = ?, author = ? WHERE import = ? AND endpoint = ? AND key = ?',
  );
  const dropChange = db.prepare('DELETE FROM import_changes WHERE import = ? AND endpoint = ? AND key = ?');
  const resetCounts = db.prepare(
    'UPDATE import_kinds SET before_seq = NULL, added = 0, same = 0, changed = 0 WHERE import = ?',
  );
  const dropKinds = db.prepare('DELETE FROM import_kinds WHERE import = ?');
  const dropProblems = db.prepare('DELETE FROM import_problems WHERE import = ?');
  const dropChanges = db.prepare('DELETE FROM import_changes WHERE import = ?');

  return {
    kinds: (id: string): KindRow[] => kinds.all(id),
    addKind: (_tx: Transaction, id: string, endpoint: string, beforeSeq: number | null) =>
      void addKind.run(id, endpoint, beforeSeq),
    addCounts: (
      _tx: Transaction,
      id: string,
      endpoint: string,
      counts: { added: number; same: number; changed: number },
    ) => void addCounts.run(counts.added, counts.same, counts.changed, id, endpoint),
    saveCursor(
      _tx: Transaction,
      id: string,
      progress: { cursor: string; bytesRead: number; added: number; same: number; changed: number; problems: number },
    ): void {
      const { cursor, bytesRead, added, same, changed, problems: problemCount } = progress;
      saveCursor.run(cursor, bytesRead, added, same, changed, problemCount, id);
    },
    problems: (id: string) => problems.all(id),
    /** @param from number of problems reported earlier */
    addProblems(_tx: Transaction, id: string, from: number, newProblems: readonly ElementProblem[]): void {
      const storedProblems = newProblems.slice(0, Math.max(0, MAX_STORED_PROBLEMS - from));
      for (const [index, { position, problem }] of storedProblems.entries())
        addProblem.run(id, from + index, position, problem);
    },
    findKey(endpoint: number, entryKey: string): EntryKeyRow | undefined {
      const row = findKey.get(endpoint, bytesOf(entryKey));
      return row === undefined ? undefined : { seq: row.seq, content: textOf(row.content) };
    },
    setKey: (_tx: Transaction, endpoint: number, entryKey: string, row: EntryKeyRow) =>
      void setKey.run(endpoint, bytesOf(entryKey), row.seq, bytesOf(row.content)),
    hasKeys: (endpoint: number): boolean => hasKeys.get(endpoint) !== undefined,
    keysAfter: (endpoint: number, after: string, limit: number): { key: string; seq: number }[] =>
      keysAfter.all(endpoint, bytesOf(after), limit).map((row) => ({ key: textOf(row.key), seq: row.seq })),
    dropKey: (_tx: Transaction, endpoint: number, entryKey: string) => void dropKey.run(endpoint, bytesOf(entryKey)),
    /** Saves the original of a record before a change. Returns false if this import has already changed the record. */
    saveOriginal: (_tx: Transaction, id: string, row: OriginalRow): boolean =>
      saveOriginal.run({ ...row, id, key: bytesOf(row.key), content: bytesOf(row.content) }).changes > 0,
    changes: (id: string, limit: number): ChangeRow[] =>
      changes.all(id, limit).map((row) => ({ ...row, key: textOf(row.key), content: textOf(row.content) })),
    /**
     * Hands an original over to the next import that changed the same record. Undoing that import then restores the
     * original. Returns false if there is no such import.
     */
    handOverOriginal(_tx: Transaction, id: string, row: ChangeRow): boolean {
      const { endpoint, key: entryKey, content, data, author } = row;
      const laterId = laterImport.get(endpoint, bytesOf(entryKey), id);
      if (laterId === undefined) return false;
      handOverOriginal.run(bytesOf(content), data, author, laterId, endpoint, bytesOf(entryKey));
      return true;
    },
    dropChange: (_tx: Transaction, id: string, row: ChangeRow) =>
      void dropChange.run(id, row.endpoint, bytesOf(row.key)),
    resetProblems: (_tx: Transaction, id: string) => void dropProblems.run(id),
    /** Resets the counts. Keeps the endpoints and the originals, so that earlier runs can still be undone. */
    resetCounts: (_tx: Transaction, id: string) => void resetCounts.run(id),
    /** Deletes the counts, problems and originals of an import. Keeps the keys, which belong to the records. */
    drop(_tx: Transaction, id: string): void {
      for (const statement of [dropKinds, dropProblems, dropChanges]) statement.run(id);
    },
  };
};
