import { createPda } from '../../server/pda/pda.ts';
import { silentLog } from '../../server/platform/log.ts';
import { ENDPOINTS, recordTexts } from '../support/records.ts';

/**
 * Adds records to a home through the account server's record service, which maintains the indexes.
 * Usage: node grow-home.ts HOME NAME PASSWORD FROM TO. Prints the seconds as JSON.
 */

const BATCH_SIZE = 1000;
const [home = '', name = '', password = '', from = '0', to = '0'] = process.argv.slice(2);

const pda = await createPda({ home, log: silentLog() });
if (!pda.owner.isSetUp()) await pda.owner.init(name, password);
const startedAt = performance.now();
for (let next = Number(from); next < Number(to); next += BATCH_SIZE) {
  const count = Math.min(BATCH_SIZE, Number(to) - next);
  const batch = recordTexts(next, count).map((data) => ({ endpoint: ENDPOINTS.large, data }));
  await pda.records.create(batch, { kind: 'owner', name: 'owner' });
}
const seconds = (performance.now() - startedAt) / 1000;
await pda.close();
process.stdout.write(JSON.stringify({ seconds }));
