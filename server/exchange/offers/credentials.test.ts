import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { silentLog } from '../../platform/log.ts';
import { onBothDatabases } from '../../platform/postgres/postgres.test-support.ts';
import { openDatabase, type Database } from '../storage/index.ts';
import { openClaimCredentials } from './credentials.ts';

const SECRET = 'a secret of more than thirty-two characters';

onBothDatabases('the secret of claims', (databases) => {
  const log = silentLog();
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase({ database: await databases.fresh(), log });
  });
  beforeEach(() => database.read((db) => db.deleteFrom('secrets').execute()));
  afterAll(() => database.close());
  const open = (secret?: string) => openClaimCredentials({ database, secret, log });

  it('is made once where none is given, and is the same for all processes', async () => {
    const all = await Promise.all([open(), open(), open()]);
    expect(new Set(all.map((credentials) => credentials.password('claim'))).size).toBe(1);
    expect((await open()).password('claim')).toBe(all[0]?.password('claim'));
    expect(all[0]?.password('claim')).not.toBe(all[0]?.password('another'));
    await expect(open(SECRET)).rejects.toThrow(/not the one/u);
  });

  it('stays the one that was given first, and is not kept in the database', async () => {
    const first = await open(SECRET);
    expect((await open(SECRET)).password('claim')).toBe(first.password('claim'));
    await expect(open(`${SECRET}.`)).rejects.toThrow(/not the one/u);
    await expect(open()).rejects.toThrow(/not the one/u);
    await expect(open('short')).rejects.toThrow(/at least 32/u);
    const kept = await database.read((db) => db.selectFrom('secrets').selectAll().execute());
    expect(JSON.stringify(kept)).not.toContain(SECRET);
    expect(kept.map(({ name }) => name)).toEqual(['claims-fingerprint']);
  });
});
