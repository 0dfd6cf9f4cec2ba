import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { silentLog } from '../../../platform/log.ts';
import { describeOnDatabases } from '../../../platform/postgres/database.test-support.ts';
import { PATIENT_DATABASE_LIMITS } from '../../../platform/postgres/server-client.test-support.ts';
import { openDatabase, type Database } from '../../storage/index.ts';
import { openClaimCredentialDeriver } from './credentials.ts';

const SECRET = 'a secret of more than thirty-two characters';

describeOnDatabases('claim secret', (databases) => {
  const log = silentLog();
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase({ ...PATIENT_DATABASE_LIMITS, database: await databases.createDatabase(), log });
  });
  beforeEach(() => database.run((db) => db.deleteFrom('secrets').execute()));
  afterAll(() => database.close());
  const open = (secret?: string) => openClaimCredentialDeriver({ database, secret, log });

  it('is generated once if none is configured, and shared through the database', async () => {
    const credentialSets = await Promise.all([open(), open(), open()]);
    expect(new Set(credentialSets.map((credentials) => credentials.password('claim'))).size).toBe(1);
    expect((await open()).password('claim')).toBe(credentialSets[0]?.password('claim'));
    expect(credentialSets[0]?.password('claim')).not.toBe(credentialSets[0]?.password('another'));
    await expect(open(SECRET)).rejects.toThrow(/differs from the one/u);
  });

  it('cannot be changed once configured and is not stored in the database', async () => {
    const credentials = await open(SECRET);
    expect((await open(SECRET)).password('claim')).toBe(credentials.password('claim'));
    await expect(open(`${SECRET}.`)).rejects.toThrow(/differs from the one/u);
    await expect(open()).rejects.toThrow(/differs from the one/u);
    await expect(open('short')).rejects.toThrow(/at least 32/u);
    const rows = await database.run((db) => db.selectFrom('secrets').selectAll().execute());
    expect(JSON.stringify(rows)).not.toContain(SECRET);
    expect(rows.map(({ name }) => name)).toEqual(['claims-fingerprint']);
  });
});
