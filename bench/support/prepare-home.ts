import { createPda } from '../../server/pda/pda.ts';
import { silentLog } from '../../server/platform/log.ts';
import { ENDPOINTS, FILTERED_RECORDS, recordTexts } from './records.ts';

/**
 * Fills a home through the account server's record service, so that counters, events and statistics are consistent.
 * Usage: node prepare-home.ts HOME NAME PASSWORD RECORDS
 */

const BATCH_SIZE = 1000;
const [home = '', name = '', password = '', records = '0'] = process.argv.slice(2);

const pda = await createPda({ home, log: silentLog() });
await pda.owner.init(name, password);

const fill = async (endpoint: string, count: number): Promise<void> => {
  for (let from = 0; from < count; from += BATCH_SIZE) {
    const batch = recordTexts(from, Math.min(BATCH_SIZE, count - from)).map((data) => ({ endpoint, data }));
    await pda.records.create(batch, { kind: 'owner', name: 'owner' });
  }
};

await fill(ENDPOINTS.large, Number(records));
await fill(ENDPOINTS.filtered, FILTERED_RECORDS);
await pda.close();
