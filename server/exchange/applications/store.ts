import { sql } from 'kysely';
import type { Db, Tx } from '../storage/index.ts';
import type { Tables } from '../storage/tables.ts';
import type { PublicationState } from './rules.ts';

export type ApplicationRow = Tables['applications'];
export type VersionRow = Pick<Tables['application_versions'], 'version' | 'published'>;

const CATALOGUE = 'applications';

export const insertApplication = async (tx: Tx, row: ApplicationRow): Promise<boolean> => {
  const insertedRow = await tx
    .insertInto('applications')
    .values(row)
    .onConflict((conflict) => conflict.column('id_key').doNothing())
    .returning('id_key')
    .executeTakeFirst();
  return insertedRow !== undefined;
};

export const stateOf = (row: ApplicationRow): PublicationState => ({
  state: row.state,
  suspended: row.suspended,
  version: row.version,
  publicVersion: row.public_version,
});

export const isPublic = (row: ApplicationRow): boolean => row.public_version !== null && !row.suspended;

export const countUnpublished = async (tx: Tx, accountId: string): Promise<number> => {
  const row = await tx
    .selectFrom('applications')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('public_version', 'is', null)
    .executeTakeFirstOrThrow();
  return row.count;
};

export const lockApplication = (tx: Tx, idKey: string): Promise<ApplicationRow | undefined> =>
  tx.selectFrom('applications').selectAll().where('id_key', '=', idKey).forUpdate().executeTakeFirst();

export const findApplication = (db: Db, idKey: string): Promise<ApplicationRow | undefined> =>
  db.selectFrom('applications').selectAll().where('id_key', '=', idKey).executeTakeFirst();

export const updateApplication = async (tx: Tx, { id_key: idKey, ...columns }: ApplicationRow): Promise<void> => {
  await tx.updateTable('applications').set(columns).where('id_key', '=', idKey).execute();
};

export type ApplicationFilter = {
  accountId?: string | undefined;
  state?: 'draft' | 'waiting' | 'published' | 'suspended' | undefined;
  /** Id key of the previous page's last application. */
  after?: string | undefined;
  key?: string | undefined;
  take: number;
};

export const listApplications = (
  db: Db,
  { accountId, state, after, key, take }: ApplicationFilter,
): Promise<ApplicationRow[]> => {
  let query = db.selectFrom('applications').selectAll().orderBy('id_key').limit(take);
  if (accountId !== undefined) query = query.where('account_id', '=', accountId);
  if (after !== undefined) query = query.where('id_key', '>', after);
  if (key !== undefined) query = query.where('id_key', '=', key);
  if (state === 'waiting') query = query.where('state', '=', 'waiting');
  else if (state === 'suspended') query = query.where('suspended', '=', true).where('state', '<>', 'waiting');
  else if (state !== undefined) query = query.where('state', '=', state).where('suspended', '=', false);
  return query.execute();
};

/** The caller must not change published versions. */
export const saveVersion = async (tx: Tx, row: Tables['application_versions']): Promise<void> => {
  await tx
    .insertInto('application_versions')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['id_key', 'version']).doUpdateSet({ body: row.body, published: row.published }),
    )
    .execute();
};

export const deleteDraft = async (tx: Tx, idKey: string, version: string): Promise<void> => {
  await tx
    .deleteFrom('application_versions')
    .where('id_key', '=', idKey)
    .where('version', '=', version)
    .where('published', 'is', null)
    .execute();
};

export const listVersions = async (db: Db, idKeys: readonly string[]): Promise<Map<string, VersionRow[]>> => {
  const byKey = new Map<string, VersionRow[]>(idKeys.map((key) => [key, []]));
  if (idKeys.length === 0) return byKey;
  const rows = await db
    .selectFrom('application_versions')
    .select(['id_key', 'version', 'published'])
    .where('id_key', 'in', idKeys)
    .execute();
  for (const { id_key: key, version, published } of rows) byKey.get(key)?.push({ version, published });
  return byKey;
};

/** Invalidates the catalogue caches of all processes. */
export const setCatalogueVersion = async (tx: Tx, version: string): Promise<void> => {
  await tx
    .insertInto('catalogue')
    .values({ name: CATALOGUE, version })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ version }))
    .execute();
};

export const readCatalogueVersion = async (db: Db): Promise<string> => {
  const row = await db.selectFrom('catalogue').select('version').where('name', '=', CATALOGUE).executeTakeFirst();
  return row?.version ?? '';
};

type PublicRow = { id_key: string; body: string };

export const listPublicApplications = async (db: Db, after: string, take: number): Promise<PublicRow[]> => {
  const { rows } = await sql<PublicRow>`
    SELECT id_key, public_body AS body FROM applications
    WHERE id_key > ${after} AND public_body IS NOT NULL AND NOT suspended
    ORDER BY id_key LIMIT ${take}`.execute(db);
  return rows;
};

export type PropertiesRow = { id_key: string; cluster: string; pda: string; properties: string };

export const listProperties = (db: Db): Promise<PropertiesRow[]> =>
  db.selectFrom('application_properties').select(['id_key', 'cluster', 'pda', 'properties']).execute();

export const saveProperties = async (tx: Tx, row: PropertiesRow & { changed: number }): Promise<void> => {
  const { properties, changed } = row;
  await tx
    .insertInto('application_properties')
    .values(row)
    .onConflict((conflict) => conflict.columns(['id_key', 'cluster', 'pda']).doUpdateSet({ properties, changed }))
    .execute();
};
