import type { PartName } from '../../../../wire/move-parts.ts';

/**
 * Which table a part of the archive is, and what of the database stays behind and why. tests/move-format.test.ts holds this against the database: what is new
 * there has to be said here.
 */

export type TablePart = {
  part: PartName;
  table: string;
  /** Which rows come along, in SQL; all when not given. */
  where?: string;
  /** `rowid` where pages show things in the order in which they came. */
  order: string;
  /** Columns that have other names than the members, in the archive's order of members otherwise. */
  columns?: Readonly<Record<string, string>>;
  /** How a member is read, and how it is stored, in SQL, where that is not simply its column. */
  reads?: Readonly<Record<string, string>>;
  stores?: Readonly<Record<string, string>>;
  /** Columns that do not come along: why, and what they are at the new place (SQL). */
  leaves?: Readonly<Record<string, { why: string; becomes: string }>>;
};

const derived = (becomes = 'NULL') => ({ why: 'derived from the other tables', becomes });
/** Given by the import for each row. */
const given = (name: string) => ({ why: 'derived from the other tables', becomes: `:${name}` });

/** Bytes, as hexadecimal digits. */
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
  { part: 'endpoints', table: 'endpoints', order: 'id', leaves: { fingerprinted_to: derived() } },
  { part: 'origins', table: 'origins', order: 'id' },
  { part: 'records', table: 'records', order: 'seq', leaves: { seq: given('seq') } },
  { part: 'deletions', table: 'deletions', order: 'rowid' },
  { part: 'deleted-records', table: 'deleted_records', order: 'deletion, seq', leaves: { seq: given('seq') } },
  { part: 'events', table: 'events', order: 'seq' },
  { part: 'activity', table: 'activity', order: 'day, kind' },
  { part: 'combinators', table: 'combinators', order: 'rowid' },
  { part: 'bundles', table: 'bundles', order: 'rowid' },
  {
    part: 'imports',
    table: 'imports',
    where: "state IN ('done', 'failed', 'cancelled', 'undone')",
    order: 'rowid',
    leaves: {
      path: { why: 'a place on the other machine', becomes: 'NULL' },
      changed: { why: 'of the file on the other machine', becomes: 'NULL' },
    },
  },
  { part: 'import-kinds', table: 'import_kinds', order: 'import, endpoint' },
  { part: 'import-troubles', table: 'import_troubles', order: 'import, number' },
  { part: 'import-keys', table: 'import_keys', order: 'endpoint, key', ...HASHES },
  { part: 'import-changes', table: 'import_changes', order: 'import, endpoint, key', ...HASHES },
  { part: 'applications', table: 'applications', order: 'rowid' },
  { part: 'debits', table: 'debits', order: 'id' },
  { part: 'debit-bundles', table: 'debit_bundles', order: 'name' },
  { part: 'debit-permissions', table: 'debit_permissions', order: 'seq' },
  { part: 'debit-history', table: 'debit_history', order: 'seq' },
  {
    part: 'offer-claims',
    table: 'offer_claims',
    order: 'rowid',
    leaves: { password_hash: { why: 'a secret', becomes: ':unusableHash' } },
  },
  { part: 'contracts', table: 'contracts', order: 'id' },
  {
    part: 'people',
    table: 'users',
    order: 'rowid',
    leaves: { password_hash: { why: 'a secret', becomes: ':unusableHash' }, name_key: given('nameKey') },
  },
  {
    part: 'files',
    table: 'files',
    order: 'seq',
    reads: { path: 'CASE WHEN moving = 1 THEN NULL ELSE path END' },
    leaves: {
      seq: given('seq'),
      nonce: { why: 'a secret: by it anybody could send content', becomes: 'NULL' },
      path_key: given('pathKey'),
      moving: { why: 'what was on its way is where it came from', becomes: '0' },
      inode: given('inode'),
    },
  },
  {
    part: 'file-grants',
    table: 'file_grants',
    order: 'seq, user_id',
    columns: { file: 'seq' },
    reads: { file: '(SELECT id FROM files WHERE files.seq = file_grants.seq)' },
  },
  { part: 'file-slugs', table: 'file_slugs', order: 'slug' },
  { part: 'functions', table: 'functions', order: 'rowid' },
  { part: 'function-packages', table: 'function_packages', order: 'rowid' },
  { part: 'function-runs', table: 'function_runs', order: 'seq' },
  { part: 'absorbed-endpoints', table: 'absorbed_endpoints', order: 'id' },
  {
    part: 'access-groups',
    table: 'ledger_groups',
    order: 'id',
    leaves: { calls: derived('0'), records: derived('0') },
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
    leaves: {
      plan: { why: 'none is left when it is done', becomes: 'NULL' },
      step: { why: 'none is left when it is done', becomes: 'NULL' },
      problem: { why: 'none is left when it is done', becomes: 'NULL' },
    },
  },
  { part: 'moves', table: 'moves', order: 'rowid' },
];

/** Read for the part `keys`, both at once. */
export const KEY_TABLES = ['signing_keys', 'former_keys'] as const;

/** Tables of which nothing comes along, each with the reason. */
export const STAYS: Readonly<Record<string, string>> = {
  owner: 'name, id and when it was made are in the manifest; the password is a secret',
  sessions: 'sign-ins are of the one place',
  sign_in_networks: 'sign-ins are of the one place',
  fingerprints: 'rebuilt on demand',
  earned_indexes: 'rebuilt',
  endpoint_usage: 'counted again from the records',
  record_usage: 'counted again from the records',
  reviews: 'what a session was shown; sessions stay',
  outbox: 'messages that wait are sent from where they were written',
  ledger_unions: 'rebuilt',
  ledger_waiting: 'rebuilt',
  ledger_met: 'rebuilt',
  ledger_days: 'rebuilt',
  file_tags: 'rebuilt from the files',
  file_secret: 'a secret: signed addresses of the old place open nothing here',
  files_text: 'rebuilt from the files',
  registrations: 'the exchange knows the account by its address',
  exchange_lists: 'fetched again from the exchange',
  data_plugs: 'passwords; fetched again from the exchange',
  exchange_tokens: 'tokens that were used at the old address',
  contract_keys: 'fetched again from the contracts service',
  statistics: 'counted for the exchange by the old address',
  statistic_events: 'counted for the exchange by the old address',
  exposure: 'the owner chooses the address again',
  backup: 'keys of backups, and a folder of the other machine',
  second_factor: 'secrets',
  passkeys: 'bound to the old address',
  recovery_codes: 'secrets',
};

/** Tables that the importing account keeps. */
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

/** Where something of these is, an account is not empty. */
export const NOT_EMPTY = [
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

/** Tables that give out numbers, which are never given twice. */
export const NUMBERED = [
  'endpoints',
  'events',
  'debits',
  'debit_permissions',
  'debit_history',
  'function_runs',
] as const;

export const columnOf = (name: string): string => name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
