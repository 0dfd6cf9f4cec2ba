import type { PartName } from '../../../../wire/move-parts.ts';

/**
 * Table in the archive. tests/archive-format.test.ts compares these tables with the database: each new table and column
 * must be added here.
 */
export type TablePart = {
  part: PartName;
  table: string;
  /** SQL condition of exported rows; default: all rows. */
  where?: string;
  /** SQL sort order; `rowid` is the order of insertion. */
  order: string;
  /** Names of columns by member of the archive's lines, where the two names differ. */
  columns?: Readonly<Record<string, string>>;
  /** SQL expressions for members whose value differs from that of the column. */
  reads?: Readonly<Record<string, string>>;
  /** SQL expressions for columns whose value differs from that of the member. */
  stores?: Readonly<Record<string, string>>;
  /** Columns that are not exported, with the reason and the SQL value after an import. */
  omitted?: Readonly<Record<string, { reason: string; becomes: string }>>;
};

/** Column that is derived. @param becomes SQL value that the import inserts; a rebuild may change it later */
const derivedColumn = (becomes = 'NULL') => ({ reason: 'derived from other columns or tables', becomes });
/** Column that the import computes for each row. @param name statement parameter */
const computedColumn = (name: string) => ({ reason: 'derived from other columns or the file', becomes: `:${name}` });

const PICTURE_DETAIL_COLUMN = { reason: 'read from the picture again', becomes: 'NULL' };
const ERASURE_PROGRESS_COLUMN = { reason: 'empty when the erasure is done', becomes: 'NULL' };

/* Hashes are stored in binary form and exported in hexadecimal. */
const HASHES = {
  reads: { key: 'lower(hex(key))', content: 'lower(hex(content))' },
  stores: { key: 'unhex(:key)', content: 'unhex(:content)' },
};

export const TABLES: readonly TablePart[] = [
  { part: 'settings', table: 'settings', where: "key <> 'port'", order: 'key' },
  { part: 'network', table: 'network', order: 'id' },
  { part: 'profile', table: 'profile', order: 'id' },
  { part: 'examples', table: 'examples', order: 'id' },
  { part: 'first-steps', table: 'first_steps', order: 'step' },
  { part: 'field-corrections', table: 'field_corrections', order: 'endpoint, path' },
  { part: 'pinned-charts', table: 'pinned_charts', order: 'position' },
  { part: 'record-views', table: 'record_views', order: 'endpoint, position' },
  { part: 'endpoints', table: 'endpoints', order: 'id', omitted: { fingerprinted_to: derivedColumn() } },
  { part: 'origins', table: 'origins', order: 'id' },
  { part: 'records', table: 'records', order: 'seq', omitted: { seq: computedColumn('seq') } },
  { part: 'deletions', table: 'deletions', order: 'rowid' },
  {
    part: 'deleted-records',
    table: 'deleted_records',
    order: 'deletion, seq',
    omitted: { seq: computedColumn('seq') },
  },
  {
    part: 'record-versions',
    table: 'record_versions',
    where: 'seq NOT IN (SELECT seq FROM orphaned_versions)',
    order: 'version',
    columns: { record: 'seq' },
    reads: {
      record:
        'coalesce((SELECT id FROM records WHERE records.seq = record_versions.seq), (SELECT id FROM deleted_records WHERE deleted_records.seq = record_versions.seq))',
    },
    omitted: { bytes: derivedColumn('octet_length(:data)') },
  },
  {
    part: 'record-moves',
    table: 'record_moves',
    order: 'id',
    columns: { record: 'seq' },
    reads: {
      record:
        'coalesce((SELECT id FROM records WHERE records.seq = record_moves.seq), (SELECT id FROM deleted_records WHERE deleted_records.seq = record_moves.seq))',
    },
  },
  { part: 'events', table: 'events', order: 'seq' },
  { part: 'activity', table: 'activity', order: 'day, kind' },
  { part: 'combinators', table: 'combinators', order: 'rowid' },
  { part: 'bundles', table: 'bundles', order: 'rowid' },
  {
    part: 'imports',
    table: 'imports',
    where: "state IN ('done', 'failed', 'cancelled', 'undone')",
    order: 'rowid',
    omitted: {
      path: { reason: 'a path on the other machine', becomes: 'NULL' },
      changed: { reason: 'describes the file on the other machine', becomes: 'NULL' },
    },
  },
  { part: 'import-kinds', table: 'import_kinds', order: 'import, endpoint' },
  { part: 'import-problems', table: 'import_problems', order: 'import, number' },
  { part: 'import-keys', table: 'import_keys', order: 'endpoint, key', ...HASHES },
  {
    part: 'import-changes',
    table: 'import_changes',
    order: 'import, endpoint, key',
    ...HASHES,
    omitted: {
      author: derivedColumn(
        '(SELECT author FROM record_versions WHERE seq = :seq AND data = :data ORDER BY version DESC LIMIT 1)',
      ),
    },
  },
  { part: 'applications', table: 'applications', order: 'rowid' },
  { part: 'debits', table: 'debits', order: 'id' },
  { part: 'debit-bundles', table: 'debit_bundles', order: 'name' },
  { part: 'debit-permissions', table: 'debit_permissions', order: 'seq' },
  { part: 'debit-history', table: 'debit_history', order: 'seq' },
  {
    part: 'offer-claims',
    table: 'offer_claims',
    order: 'rowid',
    omitted: { password_hash: { reason: 'a secret', becomes: ':unusableHash' } },
  },
  {
    part: 'contracts',
    table: 'contracts',
    order: 'id',
    omitted: { address: { reason: 'the new account has another address', becomes: 'NULL' } },
  },
  {
    part: 'people',
    table: 'users',
    order: 'rowid',
    omitted: {
      password_hash: { reason: 'a secret', becomes: ':unusableHash' },
      has_password: { reason: 'passwords are not exported', becomes: '0' },
      name_key: computedColumn('nameKey'),
    },
  },
  {
    part: 'files',
    table: 'files',
    order: 'seq',
    reads: { path: 'CASE WHEN moving = 1 THEN NULL ELSE path END' },
    omitted: {
      seq: computedColumn('seq'),
      nonce: { reason: 'a secret that permits uploads', becomes: 'NULL' },
      path_key: computedColumn('pathKey'),
      moving: { reason: 'a file that is being moved into the folder is exported without a path', becomes: '0' },
      inode: computedColumn('inode'),
      taken: PICTURE_DETAIL_COLUMN,
      taken_local: PICTURE_DETAIL_COLUMN,
      latitude: PICTURE_DETAIL_COLUMN,
      longitude: PICTURE_DETAIL_COLUMN,
      camera: PICTURE_DETAIL_COLUMN,
      picture_read: { ...PICTURE_DETAIL_COLUMN, becomes: '0' },
    },
  },
  {
    part: 'file-grants',
    table: 'file_grants',
    order: 'seq, user_id',
    columns: { file: 'seq' },
    reads: { file: '(SELECT id FROM files WHERE files.seq = file_grants.seq)' },
  },
  { part: 'folder-grants', table: 'folder_grants', order: 'user_id, folder' },
  { part: 'collections', table: 'collections', order: 'id', omitted: { name_key: computedColumn('nameKey') } },
  {
    part: 'collection-files',
    table: 'collection_files',
    order: 'collection, position',
    columns: { file: 'seq' },
    reads: { file: '(SELECT id FROM files WHERE files.seq = collection_files.seq)' },
  },
  { part: 'collection-grants', table: 'collection_grants', order: 'user_id, collection' },
  { part: 'view-grants', table: 'view_grants', order: 'user_id, endpoint, kind, name' },
  { part: 'file-slugs', table: 'file_slugs', order: 'slug' },
  { part: 'functions', table: 'functions', order: 'rowid' },
  { part: 'function-packages', table: 'function_packages', order: 'rowid' },
  { part: 'function-runs', table: 'function_runs', order: 'seq' },
  { part: 'absorbed-endpoints', table: 'absorbed_endpoints', order: 'id' },
  {
    part: 'access-groups',
    table: 'ledger_groups',
    order: 'id',
    omitted: { calls: derivedColumn('0'), records: derivedColumn('0') },
  },
  { part: 'access-shapes', table: 'ledger_shapes', order: 'id' },
  {
    part: 'access-places',
    table: 'ledger_places',
    order: 'place',
    columns: { id: 'seq' },
    reads: { tail: 'CASE WHEN tail IS NULL THEN NULL ELSE lower(hex(tail)) END' },
    stores: { tail: 'unhex(:tail)' },
  },
  { part: 'access', table: 'ledger', order: 'id' },
  {
    part: 'erasures',
    table: 'erasures',
    where: 'step IS NULL',
    order: 'rowid',
    omitted: { plan: ERASURE_PROGRESS_COLUMN, step: ERASURE_PROGRESS_COLUMN, problem: ERASURE_PROGRESS_COLUMN },
  },
  { part: 'moves', table: 'moves', order: 'rowid' },
];

export const KEY_TABLES = ['signing_keys', 'former_keys'] as const;

/** Tables that are not exported, with the reason. */
export const OMITTED_TABLES: Readonly<Record<string, string>> = {
  owner: 'name, id and creation time are in the manifest; the password is a secret',
  sessions: 'sign-ins belong to one server',
  sign_in_networks: 'sign-ins belong to one server',
  fingerprints: 'rebuilt on demand',
  record_digests: 'computed again on demand',
  query_indexes: 'rebuilt',
  table_indexes: 'lists the indexes that this server needs',
  record_search: 'rebuilt',
  search_progress: 'rebuilt',
  search_pending: 'rebuilt',
  orphaned_versions: 'versions of permanently deleted records, which are not exported',
  record_version_bytes: 'counted again from the versions',
  endpoint_usage: 'counted again from the records',
  record_usage: 'counted again from the records',
  reviews: 'belongs to sessions, which are not exported',
  outbox: 'pending webhooks are sent by the old server',
  ledger_unions: 'rebuilt',
  ledger_waiting: 'rebuilt',
  ledger_met: 'rebuilt',
  ledger_days: 'rebuilt',
  file_tags: 'rebuilt from the files',
  file_secret: 'a secret: signed URLs of the old server are not valid here',
  files_text: 'rebuilt from the files',
  file_texts: 'read again from the files',
  file_text_words: 'read again from the files',
  file_text_queue: 'lists the files whose text this server has to read',
  file_text_progress: 'counted again while this server reads the texts',
  file_moves: 'moves in progress; a file is exported at its old path',
  share_links: 'contains secrets; the owner creates new links',
  share_link_files: 'belongs to share links, which are not exported',
  invitations: 'contains secrets; the owner invites again from the new address',
  invitation_files: 'belongs to invitations, which are not exported',
  registrations: 'the exchange knows the account by its address',
  exchange_lists: 'fetched again from the exchange',
  data_plugs: 'contains passwords; fetched again from the exchange',
  exchange_tokens: 'tokens that belong to the old address',
  contract_keys: 'fetched again from the contracts service',
  statistics: 'counted for the exchange under the old address',
  statistic_events: 'counted for the exchange under the old address',
  exposure: 'the owner chooses the address again',
  backup: 'contains the keys of backups and a folder on the other machine',
  second_factor: 'secrets',
  passkeys: 'bound to the old address',
  user_passkeys: 'bound to the old address; the owner sends each guest a link for a new password',
  recovery_codes: 'secrets',
};

/** Tables of the importing account, which replace the imported ones. */
export const OWN_TABLES = [
  'owner',
  'signing_keys',
  'exposure',
  'backup',
  'second_factor',
  'passkeys',
  'recovery_codes',
  'file_secret',
  'registrations',
  'exchange_lists',
  'data_plugs',
  'exchange_tokens',
] as const;

/** An account with rows in one of these tables is not empty. */
export const USER_DATA_TABLES = [
  'records',
  'deleted_records',
  'files',
  'debits',
  'applications',
  'users',
  'combinators',
  'bundles',
  'imports',
  'function_packages',
  'function_runs',
  'offer_claims',
  'contracts',
  'examples',
  'moves',
] as const;

/** Exported tables whose ids are never reused. */
export const AUTOINCREMENT_TABLES = [
  'endpoints',
  'events',
  'debits',
  'debit_permissions',
  'debit_history',
  'function_runs',
] as const;

export const columnOf = (name: string): string => name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
