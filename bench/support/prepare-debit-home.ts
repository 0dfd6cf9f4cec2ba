import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPda } from '../../server/pda/pda.ts';
import { silentLog } from '../../server/platform/log.ts';
import { recordTexts } from './records.ts';

/**
 * Creates a home with an application that may request data.
 * Usage: node prepare-debit-home.ts HOME NAME PASSWORD APPLICATION RECORDS ENDPOINT …
 */

const BATCH_SIZE = 1000;
const [home = '', name = '', password = '', application = '', records = '0', ...endpoints] = process.argv.slice(2);
const site = 'https://bench.example.com/';

mkdirSync(home, { recursive: true });
const config = {
  applications: [
    {
      id: application,
      kind: { kind: 'App', url: site },
      info: {
        version: '1.0.0',
        published: true,
        name: application,
        headline: '',
        description: { text: '' },
        graphics: { logo: { normal: '' } },
      },
      permissions: { rolesGranted: [{ role: 'datadebit' }] },
      setup: { kind: 'External', url: site },
      status: { kind: 'Internal', compatibility: '1.0.0' },
    },
  ],
};
writeFileSync(join(home, 'config.json'), JSON.stringify(config));

const pda = await createPda({ home, log: silentLog() });
await pda.owner.init(name, password);
for (const endpoint of endpoints) {
  for (let from = 0; from < Number(records); from += BATCH_SIZE) {
    const batch = recordTexts(from, Math.min(BATCH_SIZE, Number(records) - from)).map((data) => ({ endpoint, data }));
    await pda.records.create(batch, { kind: 'owner', name: 'owner' });
  }
}
await pda.close();
