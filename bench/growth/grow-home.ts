import { createPda } from '../../server/pda/pda.ts';
import { silentLog } from '../../server/platform/log.ts';
import { ENDPOINTS, recordTexts } from '../support/records.ts';

/**
 * Adds records to a home: node grow-home.ts HOME NAME PASSWORD FROM TO. Through the account server's own record service, and with the home's indexes
 * kept up. Writes the seconds that it took, as JSON.
 */

const AT_ONCE = 1000;
const [home = '', name = '', password = '', from = '0', to = '0'] = process.argv.slice(2);

const pda = await createPda({ home, log: silentLog() });
if (!pda.owner.isSetUp()) await pda.owner.init(name, password);
const began = performance.now();
for (let next = Number(from); next < Number(to); next += AT_ONCE) {
  const count = Math.min(AT_ONCE, Number(to) - next);
  const given = recordTexts(next, count).map((data) => ({ endpoint: ENDPOINTS.large, data }));
  await pda.records.create(given, { kind: 'owner', name: 'owner' });
}
const seconds = (performance.now() - began) / 1000;
await pda.close();
process.stdout.write(JSON.stringify({ seconds }));
