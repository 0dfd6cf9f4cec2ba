import { createPda } from '../../server/pda/pda.ts';
import { silentLog } from '../../server/platform/log.ts';
import { ENDPOINTS, FILTERED_RECORDS, recordTexts } from './records.ts';

/**
 * Fills a home: node prepare-home.ts HOME NAME PASSWORD RECORDS. It goes through the account server's own record service, so that
 * counters, events and days are what the server itself would have written.
 */

const AT_ONCE = 1000;
const [home = '', name = '', password = '', records = '0'] = process.argv.slice(2);

const pda = await createPda({ home, log: silentLog() });
await pda.owner.init(name, password);

const fill = async (endpoint: string, count: number): Promise<void> => {
  for (let from = 0; from < count; from += AT_ONCE) {
    const given = recordTexts(from, Math.min(AT_ONCE, count - from)).map((data) => ({ endpoint, data }));
    await pda.records.create(given, { kind: 'owner', name: 'owner' });
  }
};

await fill(ENDPOINTS.large, Number(records));
await fill(ENDPOINTS.filtered, FILTERED_RECORDS);
await pda.close();
