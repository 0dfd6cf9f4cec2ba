import { nameKey } from '../../../wire/users.ts';
import type { Database, Transaction } from '../../storage/index.ts';
import { createGrantStore } from '../grants/store.ts';
import { FILE_COLUMNS, type FileRow } from '../store.ts';

/** `created`: Unix milliseconds. */
export type CollectionRow = { id: string; name: string; created: number };

/** Files that were added later have larger positions. */
type CollectedFile = FileRow & { position: number };

/** A page of a collection: files with positions below `before`, without the first `skip` of them. */
type CollectionPage = { before?: number | undefined; skip?: number; take: number };

/** FROM clause: the files `m` of the granted collections `g`. Not all of these files are complete. */
export const GRANTED_COLLECTIONS_SQL =
  'collection_grants g CROSS JOIN collection_files m ON m.collection = g.collection';
export const IN_COLLECTION_SQL = 'f.seq IN (SELECT seq FROM collection_files WHERE collection = :collection)';
export const POSITION_SQL =
  '(SELECT o.position FROM collection_files o WHERE o.collection = :collection AND o.seq = f.seq)';

const COLUMNS = 'c.id, c.name, c.created';
const COMPLETE_FILES = `collection_files m CROSS JOIN files f ON f.seq = m.seq
  WHERE m.collection = :collection AND f.status = 'Completed'`;

export type CollectionStore = ReturnType<typeof createCollectionStore>;

export const createCollectionStore = (db: Database) => {
  const list = db.prepare<[], CollectionRow>(`SELECT ${COLUMNS} FROM collections c ORDER BY c.name_key`);
  const count = db.prepare<[], number>('SELECT count(*) FROM collections').pluck();
  const findById = db.prepare<[string], CollectionRow>(`SELECT ${COLUMNS} FROM collections c WHERE c.id = ?`);
  const findByName = db.prepare<[string], CollectionRow>(`SELECT ${COLUMNS} FROM collections c WHERE c.name_key = ?`);
  const collectionsOfFile = db.prepare<[number], CollectionRow>(
    `SELECT ${COLUMNS} FROM collection_files m JOIN collections c ON c.id = m.collection WHERE m.seq = ? ORDER BY c.name_key`,
  );
  const insert = db.prepare<[CollectionRow & { name_key: string }]>(
    'INSERT INTO collections (id, name, name_key, created) VALUES (:id, :name, :name_key, :created)',
  );
  const rename = db.prepare('UPDATE collections SET name = ?, name_key = ? WHERE id = ?');
  const remove = db.prepare('DELETE FROM collections WHERE id = ?');
  const isShared = db
    .prepare<{ id: string }, number>(
      `SELECT EXISTS (SELECT 1 FROM collection_grants WHERE collection = :id)
         OR EXISTS (SELECT 1 FROM share_links WHERE collection = :id)
         OR EXISTS (SELECT 1 FROM invitations WHERE collection = :id AND accepted IS NULL AND revoked IS NULL)`,
    )
    .pluck();
  const addFile = db.prepare<{ collection: string; seq: number }>(
    `INSERT OR IGNORE INTO collection_files (collection, position, seq)
     SELECT :collection, coalesce(max(position), 0) + 1, :seq FROM collection_files WHERE collection = :collection`,
  );
  const removeFile = db.prepare('DELETE FROM collection_files WHERE collection = ? AND seq = ?');
  const hasFile = db
    .prepare<[string, number], number>('SELECT 1 FROM collection_files WHERE collection = ? AND seq = ?')
    .pluck();
  const countFiles = db
    .prepare<{ collection: string; max: number }, number>(
      `SELECT count(*) FROM (SELECT 1 FROM ${COMPLETE_FILES} LIMIT :max)`,
    )
    .pluck();
  const files = db.prepare<{ collection: string; before: number; skip: number; take: number }, CollectedFile>(
    `SELECT ${FILE_COLUMNS}, m.position FROM ${COMPLETE_FILES} AND m.position < :before
     ORDER BY m.position DESC LIMIT :take OFFSET :skip`,
  );

  return {
    list: () => list.all(),
    count: () => count.get() ?? 0,
    findById: (id: string) => findById.get(id),
    /** Compares names by `nameKey`. */
    findByName: (name: string) => findByName.get(nameKey(name)),
    collectionsOfFile: (seq: number) => collectionsOfFile.all(seq),
    hasFile: (id: string, seq: number) => hasFile.get(id, seq) !== undefined,
    /**
     * Returns true if a grant, a link, or an invitation that was neither accepted nor revoked refers to the collection.
     */
    isShared: (id: string) => isShared.get({ id }) === 1,
    countFiles: (collection: string, max: number) => countFiles.get({ collection, max }) ?? 0,
    /** Returns complete files. The file that was added last comes first. */
    files: (collection: string, { before = Number.MAX_SAFE_INTEGER, skip = 0, take }: CollectionPage) =>
      files.all({ collection, before, skip, take }),
    insert: (_tx: Transaction, row: CollectionRow) => void insert.run({ ...row, name_key: nameKey(row.name) }),
    rename: (_tx: Transaction, id: string, name: string) => void rename.run(name, nameKey(name), id),
    remove: (_tx: Transaction, id: string) => void remove.run(id),
    /** Has no effect if the collection already contains the file. */
    addFile: (_tx: Transaction, collection: string, seq: number) => void addFile.run({ collection, seq }),
    removeFile: (_tx: Transaction, collection: string, seq: number) => void removeFile.run(collection, seq),
  };
};

export type CollectionGrantStore = ReturnType<typeof createCollectionGrantStore>;

export const createCollectionGrantStore = (db: Database) => {
  const grants = createGrantStore(db, 'collection_grants', 'collection');
  const collectionsOf = db.prepare<[number], string>('SELECT collection FROM collection_files WHERE seq = ?').pluck();
  return {
    ...grants,
    listGrantsContaining: (seq: number) => grants.listByTargets(collectionsOf.all(seq)),
    includes: (userId: string, seq: number) => grants.includesAny(userId, collectionsOf.all(seq)),
  };
};
