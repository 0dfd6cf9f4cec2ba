import type { Database, Transaction } from '../../../storage/index.ts';

/** What an import of several kinds has done, and by what its entries are known again. */

export type KindRow = { endpoint: string; before_seq: number | null; added: number; same: number; changed: number };
export type KeyRow = { seq: number; content: string };
export type ChangeRow = { endpoint: number; key: string; seq: number; content: string; data: string };

/** Hashes are texts of one character for each byte here, and bytes on the disk. */
const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');
const textOf = (bytes: Buffer): string => bytes.toString('latin1');

export type KindsStore = ReturnType<typeof createKindsStore>;

export const createKindsStore = (db: Database) => {
  const kinds = db.prepare<[string], KindRow>(
    'SELECT endpoint, before_seq, added, same, changed FROM import_kinds WHERE import = ? ORDER BY endpoint',
  );
  const addKind = db.prepare('INSERT OR REPLACE INTO import_kinds (import, endpoint, before_seq) VALUES (?, ?, ?)');
  const count = db.prepare(
    'UPDATE import_kinds SET added = added + ?, same = same + ?, changed = changed + ? WHERE import = ? AND endpoint = ?',
  );
  const reach = db.prepare(
    `UPDATE imports SET reached = ?, bytes_read = ?, added = added + ?, skipped = skipped + ?,
       changed_records = changed_records + ?, broken = broken + ? WHERE id = ?`,
  );
  const troubles = db.prepare<[string], { place: string; problem: string }>(
    'SELECT place, problem FROM import_troubles WHERE import = ? ORDER BY number',
  );
  const addTrouble = db.prepare(
    'INSERT OR IGNORE INTO import_troubles (import, number, place, problem) VALUES (?, ?, ?, ?)',
  );
  const key = db.prepare<[number, Buffer], { seq: number; content: Buffer }>(
    'SELECT seq, content FROM import_keys WHERE endpoint = ? AND key = ?',
  );
  const setKey = db.prepare('INSERT OR REPLACE INTO import_keys (endpoint, key, seq, content) VALUES (?, ?, ?, ?)');
  const hasKeys = db.prepare<[number], number>('SELECT 1 FROM import_keys WHERE endpoint = ? LIMIT 1').pluck();
  const keysAfter = db.prepare<[number, Buffer, number], { key: Buffer; seq: number }>(
    'SELECT key, seq FROM import_keys WHERE endpoint = ? AND key > ? ORDER BY key LIMIT ?',
  );
  const dropKey = db.prepare('DELETE FROM import_keys WHERE endpoint = ? AND key = ?');
  const keepBefore = db.prepare(
    'INSERT OR IGNORE INTO import_changes (import, endpoint, key, seq, content, data) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const changes = db.prepare<[string, number], Omit<ChangeRow, 'key' | 'content'> & { key: Buffer; content: Buffer }>(
    'SELECT endpoint, key, seq, content, data FROM import_changes WHERE import = ? LIMIT ?',
  );
  const changedLater = db
    .prepare<[number, Buffer, string], string>(
      `SELECT i.id FROM imports i JOIN import_changes c ON c.import = i.id AND c.endpoint = ? AND c.key = ?
       WHERE (i.started, i.rowid) > (SELECT started, rowid FROM imports WHERE id = ?) ORDER BY i.started, i.rowid LIMIT 1`,
    )
    .pluck();
  const passOn = db.prepare(
    'UPDATE import_changes SET content = ?, data = ? WHERE import = ? AND endpoint = ? AND key = ?',
  );
  const dropChange = db.prepare('DELETE FROM import_changes WHERE import = ? AND endpoint = ? AND key = ?');
  // Since records went that an import had added, the newest is an older one again.
  const settleNewest = db.prepare(
    `UPDATE endpoints SET last_created = coalesce((SELECT created FROM records WHERE endpoint = endpoints.id ORDER BY seq DESC LIMIT 1), last_created)
     WHERE id = ?`,
  );
  const dropKinds = db.prepare('DELETE FROM import_kinds WHERE import = ?');
  const dropTroubles = db.prepare('DELETE FROM import_troubles WHERE import = ?');
  const dropChanges = db.prepare('DELETE FROM import_changes WHERE import = ?');

  return {
    kinds: (id: string): KindRow[] => kinds.all(id),
    addKind(tx: Transaction, id: string, endpoint: string, before: number | null): void {
      void tx;
      addKind.run(id, endpoint, before);
    },
    count(tx: Transaction, id: string, endpoint: string, by: { added: number; same: number; changed: number }): void {
      void tx;
      count.run(by.added, by.same, by.changed, id, endpoint);
    },
    reach(
      tx: Transaction,
      id: string,
      at: { reached: string; bytesRead: number; added: number; same: number; changed: number; broken: number },
    ): void {
      void tx;
      reach.run(at.reached, at.bytesRead, at.added, at.same, at.changed, at.broken, id);
    },
    troubles: (id: string) => troubles.all(id),
    addTrouble(tx: Transaction, id: string, number: number, trouble: { place: string; problem: string }): void {
      void tx;
      addTrouble.run(id, number, trouble.place, trouble.problem);
    },
    key(endpoint: number, of: string): KeyRow | undefined {
      const row = key.get(endpoint, bytesOf(of));
      return row === undefined ? undefined : { seq: row.seq, content: textOf(row.content) };
    },
    setKey(tx: Transaction, endpoint: number, of: string, row: KeyRow): void {
      void tx;
      setKey.run(endpoint, bytesOf(of), row.seq, bytesOf(row.content));
    },
    hasKeys: (endpoint: number): boolean => hasKeys.get(endpoint) !== undefined,
    /** Some keys of an endpoint, in their order. */
    keysAfter: (endpoint: number, after: string, most: number): { key: string; seq: number }[] =>
      keysAfter.all(endpoint, bytesOf(after), most).map((row) => ({ key: textOf(row.key), seq: row.seq })),
    dropKey(tx: Transaction, endpoint: number, of: string): void {
      void tx;
      dropKey.run(endpoint, bytesOf(of));
    },
    /** Keeps what a record said, unless this import has changed it before. Whether it was kept. */
    keepBefore(tx: Transaction, id: string, row: ChangeRow): boolean {
      void tx;
      const { endpoint, seq, data } = row;
      return keepBefore.run(id, endpoint, bytesOf(row.key), seq, bytesOf(row.content), data).changes > 0;
    },
    changes: (id: string, most: number): ChangeRow[] =>
      changes.all(id, most).map((row) => ({ ...row, key: textOf(row.key), content: textOf(row.content) })),
    /** Where a later import has changed the same record again, that is what it goes back to when that one is undone. Whether there is one. */
    passOn(tx: Transaction, id: string, { endpoint, key: of, content, data }: ChangeRow): boolean {
      void tx;
      const later = changedLater.get(endpoint, bytesOf(of), id);
      if (later === undefined) return false;
      passOn.run(bytesOf(content), data, later, endpoint, bytesOf(of));
      return true;
    },
    dropChange(tx: Transaction, id: string, row: ChangeRow): void {
      void tx;
      dropChange.run(id, row.endpoint, bytesOf(row.key));
    },
    settleNewest(tx: Transaction, endpoint: number): void {
      void tx;
      settleNewest.run(endpoint);
    },
    /** For a run from the start: earlier counts are no longer shown, while earlier changes can still be undone. */
    forgetCounts(tx: Transaction, id: string): void {
      void tx;
      dropKinds.run(id);
      dropTroubles.run(id);
    },
    /** Everything about an import but its keys, which are its records'. */
    drop(tx: Transaction, id: string): void {
      void tx;
      for (const one of [dropKinds, dropTroubles, dropChanges]) one.run(id);
    },
  };
};
