import { createPda } from '../../server/pda/pda.ts';
import { silentLog } from '../../server/platform/log.ts';
import { NAME, PASSWORD } from './pda.ts';
import { createRecordTexts } from './records.ts';

// Adds the records FROM to TO - 1 to each endpoint through the account server's record service, which maintains
// indexes, counters, events and statistics. Creates the home if it does not exist.
// Prints the duration in seconds. Usage: node fill-home.ts HOME FROM TO ENDPOINT …

const BATCH_SIZE = 1000;
const [home = '', from = '0', to = '0', ...endpoints] = process.argv.slice(2);

const pda = await createPda({ home, log: silentLog() });
if (!pda.owner.isSetUp()) await pda.owner.init(NAME, PASSWORD);
const startedAt = performance.now();
for (const endpoint of endpoints) {
  for (let next = Number(from); next < Number(to); next += BATCH_SIZE) {
    const count = Math.min(BATCH_SIZE, Number(to) - next);
    const batch = createRecordTexts(next, count).map((data) => ({ endpoint, data }));
    await pda.records.create(batch, { kind: 'owner', name: 'owner' });
  }
}
const seconds = (performance.now() - startedAt) / 1000;
await pda.close();
process.stdout.write(String(seconds));
